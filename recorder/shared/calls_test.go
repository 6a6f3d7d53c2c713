package shared_test

import (
	"path/filepath"
	"testing"
	"time"

	"tracex/recorder"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/recordertest"
	"tracex/recorder/shared/sharedtest"
)

// TestSharedMemory has a service record random programs.
func TestSharedMemory(t *testing.T) { versiontest.EachVersion(t, testSharedMemory) }

func testSharedMemory(t *testing.T) {
	for _, c := range []struct {
		name    string
		config  recorder.Config
		program recordertest.Program
	}{
		{"one goroutine", recorder.Config{}, recordertest.Program{Seed: 1, Goroutines: 1, Steps: 5_000}},
		{"many", recorder.Config{BlockSize: 4 << 10}, recordertest.Program{Seed: 2, Goroutines: 40, Steps: 500}},
		{"with flushes", recorder.Config{NoTimes: true}, recordertest.Program{Seed: 3, Goroutines: 4, Steps: 300, Flushes: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := sharedtest.Start(t, calls.Source, 4<<10)
			r := start(t, c.config)
			trees := c.program.Run(r)
			stop(t, r)
			recordertest.SameForest(t, tracetest.Load(t, sharedtest.File(t, g.Parts())), trees)
		})
	}
}

// TestSharedMemoryNoService records without a service.
func TestSharedMemoryNoService(t *testing.T) {
	t.Setenv(ipc.ProducerVariable, filepath.Join(ipctest.Directory(t), "p"))
	told := make(chan error, 10)
	r, err := recorder.Start(recorder.Config{Strategy: recorder.SharedMemory, OnError: func(err error) { told <- err }})
	if err != nil {
		t.Fatal(err)
	}
	recordertest.Program{Seed: 1, Goroutines: 2, Steps: 1_000}.Run(r)
	if _, err := r.Flush(); err == nil {
		t.Error("no service, and Flush does not say so")
	}
	if err := r.Stop(); err == nil {
		t.Error("no service, and Stop does not say so")
	}
	select {
	case <-told:
	case <-time.After(time.Minute):
		t.Error("no error was reported")
	}
}

// TestSharedMemoryNoServiceStops stops a recorder as soon as it reports that there is no
// service.
func TestSharedMemoryNoServiceStops(t *testing.T) {
	t.Setenv(ipc.ProducerVariable, filepath.Join(ipctest.Directory(t), "p"))
	var r *recorder.Recorder
	started, stopped := make(chan struct{}), make(chan error, 10)
	r, err := recorder.Start(recorder.Config{Strategy: recorder.SharedMemory, OnError: func(error) {
		<-started
		stopped <- r.Stop()
	}})
	if err != nil {
		t.Fatal(err)
	}
	close(started)
	select {
	case err := <-stopped:
		if err == nil {
			t.Error("no service, and Stop does not say so")
		}
	case <-time.After(time.Minute):
		t.Error("OnError waits for Stop, which waits for OnError")
	}
}
