package main

import (
	"context"
	"net"
	"sync"
	"time"
)

const (
	probeTimeout = time.Second
	maxTargets   = 32
)

// reachable tells which of the targets (`host:port`) take a TCP connection from this container, in their order.
func reachable(ctx context.Context, targets []string) []string {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	open := make([]bool, len(targets))
	var dials sync.WaitGroup
	for i, target := range targets {
		dials.Add(1)
		go func() {
			defer dials.Done()
			var dialer net.Dialer
			conn, err := dialer.DialContext(ctx, "tcp", target)
			if err == nil {
				conn.Close()
				open[i] = true
			}
		}()
	}
	dials.Wait()
	reached := []string{}
	for i, target := range targets {
		if open[i] {
			reached = append(reached, target)
		}
	}
	return reached
}
