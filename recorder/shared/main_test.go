package shared_test

import (
	"fmt"
	"log"
	"os"
	"strings"
	"testing"
	"time"

	"tracex/recorder"
	"tracex/recorder/perfetto/ipctest"
)

// TestMain makes the test binary a program that records: see burstVariable.
func TestMain(m *testing.M) {
	if how, _, ok := strings.Cut(os.Getenv(burstVariable), " "); ok {
		burst()
		bursts[how]()
	}
	ipctest.NoService()
	os.Exit(m.Run())
}

// burstVariable names how a program ends that records a burst of calls, and the file that it
// names to its recorder.
const burstVariable = "TRACEX_SHARED_BURST"

// bursts are the ways to end.
var bursts = map[string]func(){
	"exit":  func() { os.Exit(0) },
	"fatal": func() { log.Fatal("this is what the test is about") },
	"panic": func() { panic("this is what the test is about") },
}

// early records while the program's packages are initialized.
var early = startEarly()

func startEarly() *recorder.Recorder {
	_, path, ok := strings.Cut(os.Getenv(burstVariable), " ")
	if !ok {
		return nil
	}
	r, err := recorder.Start(recorder.Config{Path: path, FlushInterval: -1, Overwrite: true, ServiceTimeout: patience})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	call(r, r.Thread("variables"), "variable")
	return r
}

// burst records calls right after Start, and does not flush.
func burst() {
	t := early.Thread("burst")
	for range 1000 {
		call(early, t, "burst")
	}
}

// call records a call of the method with a name.
func call(r *recorder.Recorder, t *recorder.Thread, name string) {
	t.Enter(r.Method(r.Class("Child"), name, recorder.Type{}), 0, recorder.Null())
	t.Exit(recorder.Void())
}

// patience is how long a recorder waits for a service. A test's service may be slow to answer:
// that is no reason to fail.
const patience = time.Minute

// start starts a recorder that shares memory with a service. It has no fault.
func start(t *testing.T, c recorder.Config) *recorder.Recorder {
	t.Helper()
	c.ServiceTimeout = patience
	c.OnError = func(err error) { t.Error(err) }
	r, err := recorder.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// stop stops a recorder that lost nothing.
func stop(t *testing.T, r *recorder.Recorder) {
	t.Helper()
	if err := r.Stop(); err != nil {
		t.Error(err)
	}
	if saved, _ := r.Flush(); saved.Dropped != 0 {
		t.Fatalf("%d points found no room", saved.Dropped)
	}
}
