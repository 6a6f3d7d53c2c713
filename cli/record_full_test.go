//go:build linux

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"tracex/format/formattest"
)

// TestRecordFullDisk: a trace that grows reaches the limit of its disk. Its program continues,
// the trace ends there, and the calls that follow are kept as packets.
func TestRecordFullDisk(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "trace.bin")
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	cmd, _, tmp := command(t, "record", "-o", out, "--", self, tracedArgument, "continues")
	cmd.Stderr = said
	proceed := startWaiting(t, cmd)
	awaitTrace(t, out)
	st, err := os.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	// From now on, no file of tracex record may grow beyond half again the size of the trace. As
	// many calls follow as the trace has: too many for it, but not for the file of packets.
	limit := unix.Rlimit{Cur: uint64(st.Size() * 3 / 2), Max: uint64(st.Size() * 3 / 2)}
	if err := unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
		t.Fatal(err)
	}
	proceed()
	exit := code(t, cmd.Wait())
	text, err := os.ReadFile(said.Name())
	if err != nil {
		t.Fatal(err)
	}
	kept := out + ".pftrace"
	if s := string(text); exit != 3 || !strings.Contains(s, "cannot write "+out+": file too large") ||
		!strings.Contains(s, "hint: the part that is not in "+out+" is kept in "+kept+"; tracex convert makes a trace from it") {
		t.Errorf("exit code %d: %s", exit, s)
	}
	if left := formattest.Names(t, dir); len(left) != 4 {
		t.Errorf("there are %q", left)
	}
	if left := formattest.Names(t, tmp); len(left) > 0 {
		t.Errorf("temporary files stay: %q", left)
	}
	if _, said, exit := runCommand(t, "convert", "-o", out+".rest", kept); exit != 0 {
		t.Fatalf("converting the rest ends with %d: %s", exit, said)
	}
	calls := 0
	for _, path := range []string{out, out + ".rest"} {
		text, said, exit := runCommand(t, "print", path)
		if exit != 0 || strings.Contains(text, "unfinished") {
			t.Errorf("%s: exit code %d: %s", path, exit, said)
		}
		calls += strings.Count(text, "inner(")
	}
	if calls != 2000 {
		t.Errorf("%d calls, want 2000", calls)
	}
}
