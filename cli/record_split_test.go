//go:build linux

package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tracex/format/formattest"
	"tracex/recorder/recording"
)

// checkSplitTraces checks that there are traces of two programs, of three calls each, and returns the
// names of all other files.
func checkSplitTraces(t *testing.T, out string) (others []string) {
	t.Helper()
	traces := 0
	for _, name := range formattest.Names(t, filepath.Dir(out)) {
		rest, ok := strings.CutPrefix(name, strings.TrimSuffix(filepath.Base(out), ".bin")+"-shop-")
		switch {
		case !ok:
			others = append(others, name)
		case strings.HasSuffix(rest, ".bin"):
			traces++
			checkText(t, filepath.Join(filepath.Dir(out), name), 3, 0)
		}
	}
	if traces != 2 {
		t.Errorf("there are %d traces", traces)
	}
	return others
}

// TestRecordSplit: each program has a trace of its own, if it has calls.
func TestRecordSplit(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "trace.bin")
	args := shell(t, out, "raw", "raw without calls", "raw")
	_, stderr, exit := runCommand(t, append([]string{"record", "--split", "--keep-raw"}, args[1:]...)...)
	if exit != 5 || strings.Count(stderr, "recorded 3 calls of 1 function, 1 goroutine in "+strings.TrimSuffix(out, ".bin")+"-shop-") != 2 {
		t.Errorf("exit code %d, %s", exit, stderr)
	}
	if others := checkSplitTraces(t, out); len(others) != 1 || others[0] != "trace.bin"+recording.RawFolder {
		t.Errorf("there are %q", others)
	}
	again := filepath.Join(t.TempDir(), "again.bin")
	for _, force := range []string{"--force=false", "--force=false", "--force"} {
		_, stderr, exit = runCommand(t, "convert", "--split", force, "-o", again, out+recording.RawFolder)
		if there := strings.Contains(stderr, " already exists\nhint: --force replaces it"); there != (exit == exitUsage) || exit != 0 && exit != exitUsage {
			t.Errorf("%s: exit code %d, %s", force, exit, stderr)
		}
	}
	if others := checkSplitTraces(t, again); exit != 0 || others != nil {
		t.Errorf("exit code %d, there are %q", exit, others)
	}
	_, stderr, exit = runCommand(t, append([]string{"record", "--split", "--force"}, shell(t, out, "raw without calls")[1:]...)...)
	if exit != exitFailure || !strings.Contains(stderr, "no trace written: no instrumented function was called") {
		t.Errorf("exit code %d, %s", exit, stderr)
	}
}

// TestRecordSplitKilled: the traces of programs are completed, too.
func TestRecordSplitKilled(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "trace.bin")
	cmd, _, _ := command(t, append([]string{"record", "--split"}, shell(t, out, "raw", "raw and waits")[1:]...)...)
	proceed := startWaiting(t, cmd)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	proceed()
	if _, said, _ := runCommand(t, "info", out); strings.Count(said, "the recording command was killed; completed the trace (3 calls)") != 2 {
		t.Errorf("it says %s", said)
	}
	if others := checkSplitTraces(t, out); others != nil {
		t.Errorf("there are %q", others)
	}
	if _, err := os.Stat(out + recording.Suffix); err == nil {
		t.Error("the recording is still there")
	}
}

// splitTraces returns how many calls of the two kinds of programs each trace of --split has, by program, and the names
// of all other files.
func splitTraces(t *testing.T, out string) (traces, others []string) {
	t.Helper()
	stem := strings.TrimSuffix(filepath.Base(out), ".bin") + "-"
	for _, name := range formattest.Names(t, filepath.Dir(out)) {
		program, ok := strings.CutPrefix(name, stem)
		switch {
		case !ok:
			others = append(others, name)
		case strings.HasSuffix(name, ".bin"):
			text, stderr, exit := runCommand(t, "print", filepath.Join(filepath.Dir(out), name))
			if exit != 0 {
				t.Errorf("%s: exit code %d, %s", name, exit, stderr)
			}
			program, _, _ = strings.Cut(program, "-")
			traces = append(traces, fmt.Sprintf("%s %d+%d", program, strings.Count(text, "sell()"), strings.Count(text, "inner(")))
		}
	}
	slices.Sort(traces)
	return traces, others
}

// TestRecordSplitJoined: what a program records by package recorder is in the trace of its calls. If it has no calls,
// it has a trace, too.
func TestRecordSplitJoined(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ends   []string
		traces []string
	}{
		{[]string{"raw and calls", "raw", "raw and calls"}, []string{"shop 3+0", "shop 3+1", "shop 3+1"}},
		{[]string{"calls", "raw and calls"}, []string{"process 0+1", "shop 3+1"}},
		{[]string{"calls without raw calls", "raw"}, []string{"shop 0+1", "shop 3+0"}},
	} {
		out := filepath.Join(t.TempDir(), "trace.bin")
		_, stderr, exit := runCommand(t, append([]string{"record", "--split", "--keep-raw"}, shell(t, out, c.ends...)[1:]...)...)
		if exit != 5 || strings.Contains(stderr, "kept in "+out+".pftrace") {
			t.Errorf("%q: exit code %d, %s", c.ends, exit, stderr)
		}
		traces, others := splitTraces(t, out)
		if !slices.Equal(traces, c.traces) || !slices.Equal(others, []string{"trace.bin" + recording.RawFolder}) {
			t.Errorf("%q: there are %q and %q: %s", c.ends, traces, others, stderr)
		}
		again := filepath.Join(t.TempDir(), "again.bin")
		_, stderr, exit = runCommand(t, "convert", "--split", "-o", again, out+recording.RawFolder)
		if traces, others = splitTraces(t, again); exit != 0 || !slices.Equal(traces, c.traces) || others != nil {
			t.Errorf("%q: exit code %d, there are %q and %q: %s", c.ends, exit, traces, others, stderr)
		}
	}
}

// TestRecordSplitJoinedKilled: traces that are completed have both, too.
func TestRecordSplitJoinedKilled(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "trace.bin")
	cmd, _, _ := command(t, append([]string{"record", "--split"}, shell(t, out, "raw and calls", "calls", "raw and waits")[1:]...)...)
	proceed := startWaiting(t, cmd)
	for tick := time.NewTicker(time.Millisecond); ; <-tick.C {
		// The name of each is there once.
		if packets, err := os.ReadFile(filepath.Join(out+recording.Suffix, "spool.pftrace")); err != nil || bytes.Count(packets, []byte("inner")) == 2 {
			break
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	proceed()
	_, said, _ := runCommand(t, "info", out)
	for _, want := range []string{"completed the trace (3 calls)", "completed the trace (3 calls, 1 event of package recorder)", "completed the trace (1 event of package recorder)"} {
		if strings.Count(said, want) != 1 {
			t.Errorf("%q is not in %s", want, said)
		}
	}
	if traces, others := splitTraces(t, out); !slices.Equal(traces, []string{"process 0+1", "shop 3+0", "shop 3+1"}) || others != nil {
		t.Errorf("there are %q and %q: %s", traces, others, said)
	}
}
