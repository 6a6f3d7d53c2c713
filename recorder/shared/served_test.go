package shared_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"testing"
	"time"

	"tracex/recorder"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/shared"
)

// TestServiceWithoutAnswer starts a recorder with a service that never answers: recording
// begins all the same after the timeout, and the consequences are reported.
func TestServiceWithoutAnswer(t *testing.T) {
	address := filepath.Join(ipctest.Directory(t), "p")
	silent, err := net.Listen("unix", address)
	if err != nil {
		t.Skip("no Unix sockets here: ", err)
	}
	defer func() { _ = silent.Close() }()
	p, err := producer.Start(producer.Options{Address: address})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	told := make(chan error, 1)
	r, err := recorder.Start(recorder.Config{
		Strategy: recorder.SharedMemory, Service: shared.Via(p), ServiceTimeout: time.Millisecond, OnError: func(err error) { told <- err },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Stop() }()
	select {
	case err = <-told:
	case <-time.After(time.Minute):
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("told %v, want that it waited in vain", err)
	}
	if _, err := r.Flush(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Flush returned %v, want that it waited in vain", err)
	}
}

// TestFlushWithoutService flushes a recorder whose producer, the program's own, found no
// service: the loss of what was recorded must be reported.
func TestFlushWithoutService(t *testing.T) {
	p, err := producer.Start(producer.Options{Address: filepath.Join(ipctest.Directory(t), "none")})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r, err := recorder.Start(recorder.Config{Strategy: recorder.SharedMemory, Service: shared.Via(p)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Stop() }()
	if _, err := r.Flush(); !errors.Is(err, producer.ErrNoService) {
		t.Errorf("Flush returned %v, want %v", err, producer.ErrNoService)
	}
}
