//go:build linux

package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/recorder/perfetto/perfettotest"
	"tracex/recorder/recordertest"
	"tracex/recorder/recording"
)

// If tracex record is killed together with its program, or right before or after it, the next command makes a
// trace of all calls that had returned.
func TestRecordIsKilledWithProgram(t *testing.T) {
	times := 4
	if testing.Short() {
		times = 1
	}
	for _, order := range []string{"record first", "program first"} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			for n := range times {
				// The first kills come before anything is in a file, the last after many files.
				killBoth(t, order == "record first", []int64{1, 3_000, 30_000, 100_000}[n], rand.Uint64())
			}
		})
	}
}

func killBoth(t *testing.T, recordFirst bool, calls int64, seed uint64) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out, instead := filepath.Join(dir, "trace.bin"), filepath.Join(t.TempDir(), "instead.bin")
	said, err := recordertest.Tell(instead + ".told")
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	how := "kill"
	cmd, _, tmp := command(t, "record", "-o", out, "--", self, crashesArgument, fmt.Sprintf("%s %d %s", how, seed, instead))
	cmd.Stderr = nil // the program has it, too
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if err := said.Await(1, calls, ended); err != nil {
		t.Fatal(err)
	}
	kill := func(pid int) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	program := int(said.PID().Load())
	least := said.Now()
	if recordFirst {
		kill(cmd.Process.Pid)
		kill(program) // what it recorded in between may be lost
	} else {
		kill(program)
		least = said.Now()
		kill(cmd.Process.Pid)
	}
	<-ended
	if _, err := os.Stat(instead); err == nil {
		t.Skip("the service did not answer in time, and the program recorded without it")
	}
	_, text, exit := runCommand(t, "info", out)
	what := fmt.Sprintf("killed after %d calls, with the seed %d", calls, seed)
	if exit != 0 || !strings.Contains(text, "the recording command was killed; completed the trace (") {
		t.Fatalf("%s: info ends with %d and says %q", what, exit, text)
	}
	checkReturned(t, what, out, said, least, text)
	if left := formattest.Names(t, dir); len(left) > 3 { // without times there is no file of them
		t.Errorf("%s: there are %q", what, left)
	}
	if left := formattest.Names(t, tmp); len(left) > 0 {
		t.Errorf("%s: temporary files stay: %q", what, left)
	}
}

// A recording that is killed while it creates the files of the trace can be completed, whichever exist by then,
// and the trace that was there before is kept.
func TestRecordIsKilledCreating(t *testing.T) {
	data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Calls, N: 100, Options: formattest.Options{Version: format.V27}})
	packets, err := perfettotest.RecordedCalls(data, 1)
	if err != nil {
		t.Fatal(err)
	}
	suffixes := append([]string{"nothing", "claimed"}, tracefile.Suffixes...)
	for n, last := range suffixes {
		t.Run(fmt.Sprint(n, last), func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "trace.bin")
			if err := os.WriteFile(out, data, 0o600); err != nil {
				t.Fatal(err)
			}
			folder, err := recording.Create(out, recording.About{PID: os.Getpid()})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(folder.Spool(), packets, 0o600); err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				if _, err := folder.Claim(out); err != nil {
					t.Fatal(err)
				}
			}
			for _, suffix := range suffixes[2:max(2, n+1)] {
				if err := os.WriteFile(out+suffix, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := folder.Close(); err != nil { // as when the process is killed
				t.Fatal(err)
			}
			if _, said, exit := runCommand(t, "info", out); exit != 0 || !strings.Contains(said, "completed the trace") {
				t.Errorf("info ends with %d and says %q", exit, said)
			}
			if old, err := os.ReadFile(recording.AsideName(out)); err != nil || string(old) != string(data) {
				t.Errorf("the trace that was there before has %d bytes, want %d: %v", len(old), len(data), err)
			}
			if left := formattest.Names(t, filepath.Dir(out)); len(left) > 4 {
				t.Errorf("there are %q", left)
			}
		})
	}
}
