//go:build linux

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tracex/format/formattest"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
	"tracex/recorder/recording"
)

// recordRaw records as instrumented programs do.
func recordRaw(calls int) error {
	folder := os.Getenv(raw.FolderVariable)
	if folder == "" || !strings.Contains(os.Getenv(raw.OptionsVariable), "depth=3") {
		return errors.New("it is not asked to record")
	}
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return err
	}
	f := rawFile(rawtest.Options{PID: uint64(os.Getpid()), Nanos: uint64(now.Nano()), Wall: uint64(time.Now().UnixNano())}, calls)
	return os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d-1%s", os.Getpid(), raw.Suffix)), f.Image, 0o600)
}

// recordRawAndWait does the same, and runs until its input ends.
func recordRawAndWait() error {
	if err := recordRaw(3); err != nil {
		return err
	}
	fmt.Println("waiting")
	_, err := io.ReadAll(os.Stdin)
	fmt.Println("continued")
	return err
}

// shell returns a command of a shell that runs this program with each of these endings.
func shell(t *testing.T, out string, ends ...string) []string {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the commands need it: ", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := ""
	for _, end := range ends {
		script += fmt.Sprintf("'%s' %s '%s'; ", self, tracedArgument, end)
	}
	return []string{"record", "--depth", "3", "-o", out, "--", "sh", "-c", script + "exit 5"}
}

// checkText checks how many calls of the two kinds of programs a trace has.
func checkText(t *testing.T, path string, raws, packets int) {
	t.Helper()
	text, stderr, exit := runCommand(t, "print", path)
	if got := [...]int{strings.Count(text, "sell()"), strings.Count(text, "inner(")}; exit != 0 || got != [...]int{raws, packets} {
		t.Errorf("%s: exit code %d, calls %v: %s%.300s", path, exit, got, stderr, text)
	}
}

// TestRecordChildren: a command whose children record, in one way or another.
func TestRecordChildren(t *testing.T) {
	for _, c := range []struct {
		name          string
		ends          []string
		code          int
		says          string
		raws, packets int // calls in the trace
	}{
		{"instrumented", []string{"raw", "nothing", "raw"}, 5, "recorded 6 calls of 1 function, 2 goroutines, 2 processes in ", 6, 0},
		{"one recorder", []string{"raw without calls", "exit"}, 5, "1 thread, 1,001 events", 0, 1000},
		{"calls of a recorder", []string{"raw without calls", "calls"}, 5, "1 thread, 1 event", 0, 1},
		{"both", []string{"raw", "calls"}, 5, "recorded 3 calls of 1 function, 1 goroutine, 1 event of package recorder in 1 thread in ", 3, 1},
		{"no calls", []string{"raw without calls"}, exitFailure, "no trace written: no instrumented function was called", 0, 0},
		{"nothing", []string{"nothing"}, exitFailure, "no trace written: sh ran no instrumented program, and did not connect to the tracing service\nhint: a program needs to be built by tracex build", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "trace.bin")
			_, stderr, exit := runCommand(t, shell(t, out, c.ends...)...)
			if exit != c.code || !strings.Contains(stderr, c.says) {
				t.Errorf("exit code %d, %s", exit, stderr)
			}
			want := []string{"trace.bin", "trace.bin.idx", "trace.bin.tim"}
			if c.raws+c.packets == 0 {
				want = nil
			}
			if got := formattest.Names(t, filepath.Dir(out)); !slices.Equal(got, want) {
				t.Fatalf("there are %q", got)
			}
			if want != nil {
				checkText(t, out, c.raws, c.packets)
			}
		})
	}
}

// TestRecordLater: an instrumented program begins when the trace has the calls of a recorder.
func TestRecordLater(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "trace.bin")
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	cmd, _, _ := command(t, shell(t, out, "continues", "raw")...)
	cmd.Stderr = said
	proceed := startWaiting(t, cmd)
	awaitTrace(t, out)
	proceed()
	exit := code(t, cmd.Wait())
	stderr, err := os.ReadFile(said.Name())
	if err != nil || exit != 5 || !strings.Contains(string(stderr), "recorded 3 calls of 1 function, 1 goroutine, 2,000 events of package recorder in 1 thread in "+out) {
		t.Errorf("exit code %d, %v, %s", exit, err, stderr)
	}
	checkText(t, out, 3, 2000)
	if left := formattest.Names(t, filepath.Dir(out)); len(left) != 3 {
		t.Errorf("there are %q", left)
	}
}

// TestRecordLaterInTheWay: an instrumented program begins when another file keeps the calls of a recorder out of the
// trace. What both recorded is kept.
func TestRecordLaterInTheWay(t *testing.T) {
	t.Parallel()
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	cmd, _, _ := command(t, shell(t, "trace.bin", "calls, in the way", "raw")...)
	cmd.Stderr = said
	proceed := startWaiting(t, cmd)
	for tick := time.NewTicker(time.Millisecond); ; <-tick.C {
		if stderr, err := os.ReadFile(said.Name()); err != nil || strings.Contains(string(stderr), "the trace cannot grow") {
			break
		}
	}
	proceed()
	exit := code(t, cmd.Wait())
	stderr, err := os.ReadFile(said.Name())
	if err != nil || exit == 0 || exit == 5 {
		t.Errorf("exit code %d, %v, %s", exit, err, stderr)
	}
	made := filepath.Join(t.TempDir(), "made.bin")
	for _, c := range []struct {
		kept          string
		raws, packets int
	}{{"trace.bin" + recording.RawFolder, 3, 0}, {"trace.bin.pftrace", 0, 2000}} {
		if _, told, exit := runCommand(t, "convert", "--force", "-o", made, filepath.Join(cmd.Dir, c.kept)); exit != 0 {
			t.Errorf("exit code %d, %s: %s", exit, told, stderr)
		}
		checkText(t, made, c.raws, c.packets)
	}
}

// awaitFiles waits until the files of a trace are at their paths: a process that is killed before leaves drafts of
// them.
func awaitFiles(t *testing.T, out string) {
	t.Helper()
	for tick := time.NewTicker(time.Millisecond); ; <-tick.C {
		if begun, _ := recording.State(out); begun {
			return
		}
	}
}

// TestRecordBothKilled: everything that a killed tracex record leaves of programs of both kinds is found.
func TestRecordBothKilled(t *testing.T) {
	for _, c := range []struct {
		name          string
		ends          []string
		await         func(t *testing.T, out string)
		later         int // calls of an instrumented program that began later
		raws, packets int // calls in the trace
	}{
		{"instrumented first", []string{"raw", "continues"}, func(t *testing.T, out string) {
			awaitSpool(t, out)
			awaitFiles(t, out)
		}, 0, 3, 1000},
		{"instrumented first, in the trace", []string{"raw", "continues"}, awaitTrace, 0, 3, 1000},
		{"recorder first", []string{"continues"}, awaitTrace, 4, 4, 1000},
		{"instrumented", []string{"raw and waits"}, awaitFiles, 0, 3, 0},
		{"no call", []string{"raw without calls", "continues"}, awaitSpool, 0, 0, 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "trace.bin")
			cmd, _, _ := command(t, shell(t, out, c.ends...)...)
			proceed := startWaiting(t, cmd)
			c.await(t, out)
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if _, err := cmd.Process.Wait(); err != nil {
				t.Fatal(err)
			}
			if c.later > 0 {
				ownRaw(1, c.later).Save(t, filepath.Join(out+recording.Suffix, "1-1"+raw.Suffix))
			}
			proceed()
			_, said, exit := runCommand(t, "info", out)
			if exit != 0 || !strings.Contains(said, "the recording command was killed; completed the trace") {
				t.Errorf("exit code %d, %s", exit, said)
			}
			text, stderr, exit := runCommand(t, "print", out)
			// Some of what the program recorded until it saw that record is gone is there, too.
			raws, packets := strings.Count(text, "sell()"), strings.Count(text, "inner(")
			if exit != 0 || raws != c.raws || packets < c.packets || packets > 2*c.packets {
				t.Errorf("exit code %d, %d and %d calls: %s%.300s", exit, raws, packets, stderr, text)
			}
			if left := formattest.Names(t, filepath.Dir(out)); len(left) != 3 {
				t.Errorf("there are %q", left)
			}
		})
	}
}
