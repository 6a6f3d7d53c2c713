package recorder_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tracex/recorder"
)

// A program that is started while a trace is written does not inherit its files, however it is
// started.
func TestFilesAreNotInherited(t *testing.T) {
	dir := t.TempDir()
	r, err := recorder.Start(recorder.Config{Path: filepath.Join(dir, "trace.bin")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Stop(); err != nil {
			t.Error(err)
		}
	}()
	list, err := exec.LookPath("ls")
	if err != nil {
		t.Skip("there is no ls to start")
	}
	open := func(what string, out []byte, err error) string {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return string(out)
	}
	mine, err := openFiles("/proc/self/fd")
	if n := strings.Count(mine, dir); err != nil || n != 4 {
		t.Fatalf("this program has %d files of the trace open, want 4: %v\n%s", n, err, mine)
	}
	out, err := exec.Command(list, "-l", "/proc/self/fd").Output()
	if child := open("exec", out, err); strings.Contains(child, dir) || !strings.Contains(child, "/") {
		t.Errorf("a child has open\n%s", child)
	}
	// The same without the precautions of os/exec.
	path := filepath.Join(t.TempDir(), "out")
	to, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	pid, err := syscall.ForkExec(list, []string{"ls", "-l", "/proc/self/fd"},
		&syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, to.Fd(), 2}})
	if err == nil {
		_, err = syscall.Wait4(pid, nil, 0, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err = os.ReadFile(path)
	if child := open("fork", out, err); strings.Contains(child, dir) || !strings.Contains(child, path) {
		t.Errorf("a forked child has open\n%s", child)
	}
}

// openFiles returns the targets of the links in a directory.
func openFiles(dir string) (text string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		target, _ := os.Readlink(filepath.Join(dir, e.Name())) // the one of the directory itself is closed
		text += target + "\n"
	}
	return text, err
}
