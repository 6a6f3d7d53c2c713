package recorder_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"tracex/recorder"
	"tracex/recorder/internal/tracetest"
)

// A program that starts itself again does not lose its trace to the child, which is told why it
// has none. The trace of a crashed process belongs to no process.
func TestInUseByParent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	c := recorder.Config{Path: path, FlushInterval: -1, Overwrite: true}
	r, err := recorder.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := recorder.Start(c); !errors.Is(err, recorder.ErrInUse) {
		_ = r.Stop()
		if runtime.GOOS != "linux" {
			t.Skip("no locks here: ", err)
		}
		t.Fatal(err)
	}
	run := func() (string, int) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childVariable+"=init "+path)
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	out, code := run()
	if code != 1 || !strings.Contains(out, path+": another recording goes to this file") {
		t.Errorf("the child ends with %d: %s", code, out)
	}
	if by := "that of process " + strconv.Itoa(os.Getpid()); runtime.GOOS == "linux" && !strings.Contains(out, by) {
		t.Errorf("the child says %q, not %q", out, by)
	}
	call(r, r.Thread("parent"), "parent")
	if err := r.Stop(); err != nil {
		t.Error(err)
	}
	if forest := tracetest.Load(t, path); len(forest.Threads) != 1 || forest.Threads[0].Name != "parent" {
		t.Errorf("the trace has threads %v", forest.Threads)
	}
	if out, code := run(); code != 0 { // it exits without Stop
		t.Errorf("the child ends with %d: %s", code, out)
	}
	if r, err = recorder.Start(c); err != nil {
		t.Fatal(err)
	}
	if err := r.Stop(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(path + "*"); len(left) != 3 {
		t.Errorf("there are %q", left)
	}
}
