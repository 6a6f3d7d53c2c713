package recorder_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tracex/format"
	"tracex/lazy/eager"
	"tracex/recorder"
	"tracex/recorder/internal/tracetest"
)

// childVariable makes the test binary a program: its value names what to do, and the file to
// record into.
const childVariable = "TRACEX_RECORDER_CHILD"

// children are the main functions of the programs.
var children = map[string]func(){
	"init":      func() { leave(0) },
	"finalizer": childFinalizer,
	"exit":      childExit,
	"panic":     childPanic,
	"goexit":    childGoexit,
}

// early records while the program's packages are initialized.
var early = startEarly()

func startEarly() *recorder.Recorder {
	_, path, ok := strings.Cut(os.Getenv(childVariable), " ")
	if !ok {
		return nil
	}
	r, err := recorder.Start(recorder.Config{Path: path, FlushInterval: -1, Overwrite: true})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	call(r, r.Thread("variables"), "variable")
	return r
}

func init() { call(early, early.Thread("init"), "init") }

// call records a call of the method with a name.
func call(r *recorder.Recorder, t *recorder.Thread, name string) {
	t.Enter(r.Method(r.Class("Child"), name, recorder.Type{}), 0, recorder.Null())
	t.Exit(recorder.Void())
}

// leave ends the program without ending the recording, and prints what was saved.
func leave(code int) {
	say()
	os.Exit(code)
}

func say() {
	saved, err := early.Flush()
	fmt.Println(saved.Blocks, saved.DataBytes, saved.IndexBytes, saved.TimeBytes, err)
}

// child is the main function of a program. It may return.
func child() {
	if name, _, ok := strings.Cut(os.Getenv(childVariable), " "); ok {
		children[name]()
		os.Exit(0)
	}
}

// childFinalizer records in finalizers and cleanups.
func childFinalizer() {
	ran := make(chan struct{}, 2)
	func() {
		runtime.SetFinalizer(&[100]int{1}, func(*[100]int) {
			call(early, early.Thread("finalizer"), "finalizer")
			ran <- struct{}{}
		})
		runtime.AddCleanup(&[100]int{2}, func(int) {
			call(early, early.Thread("cleanup"), "cleanup")
			ran <- struct{}{}
		}, 0)
	}()
	for range 2 {
		runtime.GC()
		<-ran
	}
	leave(0)
}

// childExit exits while others record and a call is open.
func childExit() {
	early.Thread("main").Enter(early.Method(early.Class("Child"), "open", recorder.Type{}), 0, recorder.Null())
	begun := make(chan struct{})
	early.Go(context.Background(), "busy", func(ctx context.Context) {
		for i := 0; ; i++ {
			call(early, recorder.FromContext(ctx), "busy")
			if i == 1000 {
				close(begun)
			}
		}
	})
	<-begun
	leave(3)
}

// childPanic ends by a panic that is not recovered.
func childPanic() {
	t := early.Thread("main")
	t.Enter(early.Method(early.Class("Child"), "panics", recorder.Type{}), 0, recorder.Null())
	say()
	panic("this is what the test is about")
}

// childGoexit stops the recording in a goroutine that ends by Goexit.
func childGoexit() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { fmt.Println(early.Stop()) }()
		call(early, early.Thread("goexit"), "goexit")
		runtime.Goexit()
	}()
	<-done
}

// A program may record from its first moment on, and end in any way: what it flushed is in the
// trace.
func TestChildren(t *testing.T) {
	for name, want := range map[string]struct {
		calls []string
		code  int
		whole bool
	}{
		"init":      {calls: []string{"variable", "init"}},
		"finalizer": {calls: []string{"variable", "init", "finalizer", "cleanup"}},
		"exit":      {calls: []string{"variable", "init", "open", "busy"}, code: 3},
		"panic":     {calls: []string{"variable", "init", "panics"}, code: 2},
		"goexit":    {calls: []string{"variable", "init", "goexit"}, whole: true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "trace.bin")
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childVariable+"="+name+" "+path)
			out, err := cmd.Output()
			if code := cmd.ProcessState.ExitCode(); code != want.code {
				t.Fatalf("it ends with %d, want %d: %v, %s", code, want.code, err, out)
			}
			forest := tracetest.LoadDamaged(t, path)
			if (forest.Problem == nil) != want.whole {
				t.Errorf("the trace's problem: %v", forest.Problem)
			}
			tracetest.CheckTimes(t, path, want.whole)
			found := make(map[string]int)
			for _, thread := range forest.Threads {
				if thread.Name == "" {
					t.Errorf("thread %d has no name", thread.ID)
				}
				for root := range thread.Roots() {
					found[callName(t, forest, root)]++
				}
			}
			for _, name := range want.calls {
				if found[name] == 0 || name == "busy" && found[name] < 1000 {
					t.Errorf("%s is there %d times", name, found[name])
				}
			}
			if want.whole {
				if string(out) != "<nil>\n" {
					t.Errorf("Stop: %s", out)
				}
				return
			}
			savedIs(t, path, string(out))
		})
	}
}

// savedIs compares what a program says it saved with its files.
func savedIs(t *testing.T, path, said string) {
	t.Helper()
	var blocks int64
	var sizes [3]int64
	if _, err := fmt.Sscan(said, &blocks, &sizes[0], &sizes[1], &sizes[2]); err != nil || blocks < 2 || !strings.HasSuffix(said, " <nil>\n") {
		t.Fatalf("it says %q: %v", said, err)
	}
	for i, suffix := range []string{"", ".idx", ".tim"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() < sizes[i] {
			t.Errorf("%s has %d bytes, it says %d", suffix, info.Size(), sizes[i])
		}
	}
}

func callName(t *testing.T, forest *eager.Forest, n eager.Node) string {
	t.Helper()
	var p format.Point
	if err := n.Point(&p); err != nil {
		t.Fatal(err)
	}
	m := forest.Context.Method(p.Ref)
	if m == nil {
		t.Fatalf("%+v has no method", p)
	}
	return m.Name
}
