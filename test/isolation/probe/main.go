// The probe tries, from where it runs, what somebody who took over the browser would try. It prints one JSON line for
// each attempt: its name and what came of it. It judges nothing: inside.test.ts says what may succeed.
package main

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"syscall"
)

type result struct {
	Name string `json:"name"`
	// Got is `ok` when the attempt succeeded, else the name of the error.
	Got string `json:"got"`
	// Detail is for people.
	Detail string `json:"detail,omitempty"`
}

var out = json.NewEncoder(os.Stdout)

func report(name string, err error, detail string) {
	got := "ok"
	if err != nil {
		got = err.Error()
		var number syscall.Errno
		if errors.As(err, &number) {
			got = errnoName(number)
		}
	}
	_ = out.Encode(result{Name: name, Got: got, Detail: detail})
}

func errnoName(number syscall.Errno) string {
	names := map[syscall.Errno]string{
		syscall.EPERM: "EPERM", syscall.ENOSYS: "ENOSYS", syscall.EACCES: "EACCES", syscall.EROFS: "EROFS",
		syscall.ENOENT: "ENOENT", syscall.ECONNREFUSED: "ECONNREFUSED", syscall.EAFNOSUPPORT: "EAFNOSUPPORT",
		syscall.EPROTONOSUPPORT: "EPROTONOSUPPORT", syscall.EINVAL: "EINVAL", syscall.ESRCH: "ESRCH",
		syscall.ENETUNREACH: "ENETUNREACH", syscall.ETIMEDOUT: "ETIMEDOUT",
	}
	if name, known := names[number]; known {
		return name
	}
	return number.Error()
}

// call makes a system call that must not hurt if it succeeds.
func call(name string, number uintptr, args ...uintptr) {
	var a [6]uintptr
	copy(a[:], args)
	_, _, errno := syscall.RawSyscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	var err error
	if errno != 0 {
		err = errno
	}
	report(name, err, "")
}

// Modes: `calls`, `files`, `net ADDRESS...`, `userns` (the calls again, in a user namespace of its own).
func main() {
	if len(os.Args) < 2 {
		os.Exit(2)
	}
	switch os.Args[1] {
	case "calls":
		calls()
		sockets()
	case "files":
		files()
		processes()
	case "net":
		network(os.Args[2:])
	case "userns":
		inUserNamespace()
	case "inside":
		calls()
		sockets()
	case "x32", "int80":
		callForeignTable(os.Args[1])
	default:
		report("mode "+strings.Join(os.Args[1:], " "), errors.New("unknown"), "")
	}
}
