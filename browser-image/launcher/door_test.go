package main

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
)

func TestWhoIsNotTheSupervisorGetsNoAnswer(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "launcher.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	door := &door{stop: func() { t.Error("stopped") }}
	server := &http.Server{Handler: door.routes(), ConnContext: withPeer}
	go server.Serve(listener)
	defer server.Close()

	client := http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", socket) },
	}}
	for _, path := range []string{"/stop", "/screen", "/probe"} {
		answer, err := client.Post("http://launcher"+path, "application/json", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusForbidden {
			t.Errorf("%s answered %d", path, answer.StatusCode)
		}
	}
}

func TestAProbeTellsWhatTakesConnections(t *testing.T) {
	open, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	shut, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	shut.Close()

	got := reachable(t.Context(), []string{shut.Addr().String(), open.Addr().String(), "not an address"})
	if want := []string{open.Addr().String()}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
