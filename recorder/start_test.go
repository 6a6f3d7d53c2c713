package recorder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/sink"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/shared/sharedtest"
)

// within waits for a value.
func within[T any](t *testing.T, from <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(time.Minute):
		t.Fatalf("%s did not come", what)
	}
	return v
}

// mute listens, and accepts connections, but never answers.
func mute(t *testing.T, address string) net.Listener {
	t.Helper()
	l, err := net.Listen("unix", address)
	if err != nil {
		t.Skip("no Unix sockets here: ", err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// oneCall records a call and ends the recording.
func oneCall(t *testing.T, r *Recorder) {
	t.Helper()
	th := r.Thread("main")
	th.Enter(r.Method(r.Class("C"), "m", Type{}), 0, Null())
	th.Exit(Void())
	th.End()
	if err := r.Stop(); err != nil {
		t.Error(err)
	}
}

// The environment names a service that does not exist, or does not answer: the whole recording
// goes to Path, and OnError is told once.
func TestStartWithoutService(t *testing.T) {
	for _, events := range []bool{false, true} {
		for _, answers := range []string{"absent", "mute"} {
			t.Run(answers, func(t *testing.T) {
				dir := ipctest.Directory(t)
				address, path := filepath.Join(dir, "p"), filepath.Join(dir, "trace.bin")
				t.Setenv(ipc.ProducerVariable, address)
				told := make(chan error, 10)
				c := Config{Path: path, TrackEvents: events, OnError: func(err error) { told <- err }}
				left := func() {}
				if answers == "mute" {
					left = leaves(t, mute(t, address))
					c.ServiceTimeout = time.Millisecond
				}
				r, err := Start(c)
				if err != nil {
					t.Fatal(err)
				}
				left()
				oneCall(t, r)
				if n := len(tracetest.LoadChecked(t, path).Threads); n != 1 {
					t.Errorf("the trace has %d threads", n)
				}
				if err := within(t, told, "what is wrong"); !errors.Is(err, sink.ErrNoService) || !strings.Contains(err.Error(), path) {
					t.Errorf("told %v", err)
				} else if answers == "mute" && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("told %v, want that it waited in vain", err)
				}
				select {
				case err := <-told:
					t.Errorf("told again: %v", err)
				default:
				}
			})
		}
	}
}

// leaves accepts connections, and returns a check that all of them were closed again, so that
// nothing is offered later. A program that waits only briefly may have made none.
func leaves(t *testing.T, silent net.Listener) (check func()) {
	t.Helper()
	var socks sync.WaitGroup
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			sock, err := silent.Accept()
			if err != nil {
				return
			}
			socks.Go(func() {
				defer sock.Close()
				_ = sock.SetReadDeadline(time.Now().Add(time.Minute))
				if _, err := io.Copy(io.Discard, sock); errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("a connection is still there: %v", err)
				}
			})
		}
	}()
	return func() {
		_ = silent.Close()
		<-done
		socks.Wait()
	}
}

// Without a Path there is nowhere else to record to, and Start reports it.
func TestStartNowhere(t *testing.T) {
	address := filepath.Join(ipctest.Directory(t), "p")
	t.Setenv(ipc.ProducerVariable, address)
	r, err := Start(Config{OnError: func(err error) { t.Errorf("told %v besides", err) }})
	if r != nil || !errors.Is(err, sink.ErrNoService) || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), address) {
		t.Errorf("Start returned %v, %v", r, err)
	}
	mute(t, address)
	r, err = Start(Config{ServiceTimeout: time.Millisecond})
	if r != nil || !errors.Is(err, sink.ErrNoService) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Start returned %v, %v", r, err)
	}
	// If the path is unusable too, that is the error.
	r, err = Start(Config{ServiceTimeout: time.Millisecond, Path: filepath.Join(t.TempDir(), "no", "trace.bin")})
	if r != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Start returned %v, %v", r, err)
	}
}

// A program that runs for some milliseconds waits no longer than that by default.
func TestDefaultServiceTimeout(t *testing.T) {
	if DefaultServiceTimeout != time.Second {
		t.Errorf("Start waits %v", DefaultServiceTimeout)
	}
}

// When Start returns, existing sessions have begun, whatever the policy.
func TestStartWaitsForSessions(t *testing.T) {
	dir := sharedtest.Start(t, calls.Source, 0).Dir
	for range 20 {
		for _, full := range []Policy{Stall, Drop} {
			r, err := Start(Config{Path: filepath.Join(dir, "trace.bin"), OnFull: full, OnError: func(err error) { t.Error(err) }})
			if err != nil {
				t.Fatal(err)
			}
			if n := r.sink.(*serviceSink).to.(interface{ Sessions() int }).Sessions(); n != 1 {
				t.Errorf("%v: %d sessions record", full, n)
			}
			if err := r.Stop(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "trace.bin")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file, too: %v", err)
	}
}
