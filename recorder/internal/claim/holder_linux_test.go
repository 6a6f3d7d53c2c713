package claim

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// childVariable makes the test binary a process that claims the file it names.
const childVariable = "TRACEX_CLAIM"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		f, err := File(path)
		if err != nil {
			panic(err)
		}
		_, _ = os.Stdout.WriteString("claimed\n")
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the test ends it
		_ = f.Close()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The holder of a file is known, also if it is another process; a free file has none.
func TestHolder(t *testing.T) {
	path, dir := "", t.TempDir()
	for i := range 10 { // one with a number that no file of another file system has that is locked now
		path = closed(t, filepath.Join(dir, strconv.Itoa(i)))
		if holder(path) == 0 {
			break
		}
	}
	if pid := holder(path); pid != 0 {
		t.Fatalf("a free file is held by %d", pid)
	}
	if pid := holder(path + " that does not exist"); pid != 0 {
		t.Errorf("no file is held by %d", pid)
	}
	f := claimed(t, path)
	if pid := holder(path); pid != os.Getpid() {
		t.Errorf("it is held by %d, want %d", pid, os.Getpid())
	}
	_ = f.Close()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+path)
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Errorf("it does not start: %v", err)
	}
	if pid := holder(path); pid != child.Process.Pid {
		t.Errorf("it is held by %d, want the child, %d", pid, child.Process.Pid)
	}
	_ = in.Close()
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
	if pid := holder(path); pid != 0 {
		t.Errorf("after its holder's end it is held by %d", pid)
	}
}
