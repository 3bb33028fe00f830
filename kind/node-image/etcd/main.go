// Command etcd is the etcd server. The module that holds the server's own
// command has replace directives, so it can be built from here only as a
// library: this main adds nothing to it.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
