package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// network connects to every address, all at once.
func network(addresses []string) {
	var all sync.WaitGroup
	results := make([]error, len(addresses))
	for i, address := range addresses {
		all.Add(1)
		go func() {
			defer all.Done()
			conn, err := net.DialTimeout("tcp", address, 2500*time.Millisecond)
			if err == nil {
				fmt.Fprintf(conn, "GET /hit/direct HTTP/1.1\r\nHost: x\r\n\r\n")
				time.Sleep(50 * time.Millisecond)
				conn.Close()
			} else if timeout, is := err.(net.Error); is && timeout.Timeout() {
				err = fmt.Errorf("timeout")
			}
			results[i] = err
		}()
	}
	all.Wait()
	for i, address := range addresses {
		report("tcp "+address, results[i], "")
	}
	doors()
}

// doors asks what listens inside the pod.
func doors() {
	client := &http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{Proxy: nil}}
	for _, one := range []struct{ method, path string }{
		{"GET", "/healthz"}, {"GET", "/status"}, {"POST", "/bind"}, {"POST", "/quiesce"}, {"POST", "/activity"},
		{"GET", "/cdp/json/version"}, {"PUT", "/viewport"}, {"GET", "/files/downloads"}, {"PUT", "/files/uploads/x"},
		{"GET", "/profile"}, {"PUT", "/profile"}, {"POST", "/collected"}, {"GET", "/metrics"}, {"GET", "/../etc/passwd"},
	} {
		request, _ := http.NewRequest(one.method, "http://127.0.0.1:9000"+one.path, strings.NewReader("{}"))
		answer, err := client.Do(request)
		detail := ""
		if err == nil {
			detail = answer.Status[:3]
			answer.Body.Close()
		}
		report("the supervisor's door: "+one.method+" "+one.path, err, detail)
	}
	unix := func(path string) http.Client {
		dial := func(string, string) (net.Conn, error) { return net.Dial("unix", path) }
		return http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{Dial: dial}}
	}
	launcher := unix("/run/podwright/launcher.sock")
	for _, one := range []struct{ method, path string }{{"GET", "/facts"}, {"POST", "/probe"}, {"POST", "/screen"}, {"POST", "/stop"}} {
		request, _ := http.NewRequest(one.method, "http://launcher"+one.path, strings.NewReader("{}"))
		answer, err := launcher.Do(request)
		detail := ""
		if err == nil {
			detail = answer.Status[:3]
			answer.Body.Close()
		}
		report("the launcher's socket: "+one.method+" "+one.path, err, detail)
	}
	for _, target := range []string{
		"127.0.0.1:9222", "[::1]:9222", "127.0.0.1:9000", "169.254.169.254:80", "10.77.0.7:18081", "kubernetes.default.svc:443",
		"[::ffff:10.77.0.7]:18081", "[64:ff9b::a4d:7]:18081", "0.0.0.0:9222", "2130706433:9222",
	} {
		report("the egress proxy: CONNECT "+target, nil, connectThrough(target))
	}
}

// connectThrough returns the status of a CONNECT to the pod's egress proxy.
func connectThrough(target string) string {
	conn, err := net.DialTimeout("tcp", "127.0.0.1:3128", 2*time.Second)
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(8 * time.Second))
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target)
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return strings.Fields(line)[1]
}
