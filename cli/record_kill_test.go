//go:build linux

package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/recorder"
	"tracex/recorder/recording"
)

// recordOn records until its input ends, and then some more, in the newest version of the
// format whatever the environment asks for.
func recordOn() error {
	r, err := recorder.Start(recorder.Config{Path: "own.bin", FormatVersion: int(format.Newest)})
	if err != nil {
		return err
	}
	t, m := r.Thread("main"), r.Method(r.Class("prog"), "inner", recorder.Type{})
	calls := func() {
		for i := range 1000 {
			t.Call(m, 0, recorder.Null(), recorder.Int(i), recorder.Raw("Color.RED")).End()
		}
	}
	calls()
	if _, err := r.Flush(); err != nil {
		return err
	}
	fmt.Println("waiting")
	if _, err := io.ReadAll(os.Stdin); err != nil {
		return err
	}
	calls()
	_ = r.Stop() // the service may be gone
	fmt.Println("continued")
	return nil
}

// recordingToKill starts tracex record with a program that waits, and returns a function that
// lets the program continue.
func recordingToKill(t *testing.T, out string, flags ...string) (cmd *exec.Cmd, tmp string, proceed func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd, _, tmp = command(t, append(append([]string{"record", "--force", "-o", out}, flags...), "--", self, tracedArgument, "continues")...)
	return cmd, tmp, startWaiting(t, cmd)
}

// startWaiting starts a command that records a program, and waits until the program waits. proceed
// lets it continue.
func startWaiting(t *testing.T, cmd *exec.Cmd) (proceed func()) {
	t.Helper()
	cmd.Dir = t.TempDir()
	stdin, stdout := startPiped(t, cmd)
	lines := bufio.NewScanner(stdout)
	await := func(want string) {
		t.Helper()
		for lines.Scan() {
			if lines.Text() == want {
				return
			}
		}
		t.Fatalf("the program did not say that it %s: %v", want, lines.Err())
	}
	await("waiting")
	return func() {
		t.Helper()
		stdin.Close()
		await("continued")
	}
}

// startPiped starts a command that will be killed, with pipes for its input and output. The
// program that it records inherits them, as it inherits standard error, which only a file can take.
func startPiped(t *testing.T, cmd *exec.Cmd) (stdin io.WriteCloser, stdout io.ReadCloser) {
	t.Helper()
	if _, file := cmd.Stderr.(*os.File); !file {
		cmd.Stderr = nil // Wait would wait for the program, too
	}
	var err error
	if stdin, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if stdout, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return stdin, stdout
}

// runCommand runs a command of tracex.
func runCommand(t *testing.T, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	cmd, errors, _ := command(t, args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	exit = code(t, cmd.Run())
	return out.String(), errors.String(), exit
}

// awaitTrace waits until the calls of a program are in the trace that grows.
func awaitTrace(t *testing.T, out string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); ; <-tick.C {
		if _, err := os.Stat(out); err == nil {
			if text, _, _ := runCommand(t, "print", out); strings.Count(text, "inner(") == 1000 && !strings.Contains(text, "unfinished") {
				return
			}
		}
		if time.Since(begin) > 5*time.Minute {
			t.Fatal("the calls are not in the trace")
		}
	}
}

// awaitSpool waits until the calls of a program are in the file of packets that are converted at
// the end.
func awaitSpool(t *testing.T, out string) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "copy.pftrace")
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); ; <-tick.C {
		data, err := os.ReadFile(filepath.Join(out+recording.Suffix, "spool.pftrace"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, exit := runCommand(t, "convert", "--force", copied); exit == 0 {
			if text, _, _ := runCommand(t, "print", strings.TrimSuffix(copied, ".pftrace")+".bin"); strings.Count(text, "inner(") == 1000 {
				return
			}
		}
		if time.Since(begin) > 5*time.Minute {
			t.Fatal("the packets are not in the file")
		}
	}
}

// If tracex record is killed, the program continues, and the next command that reads the trace
// completes it with the recording up to that point.
func TestRecordIsKilled(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "trace.bin")
	cmd, tmp, proceed := recordingToKill(t, out)
	awaitTrace(t, out)
	if _, said, exit := runCommand(t, "info", out); exit != exitDamaged || !strings.Contains(said, "still being recorded: this is what has been written so far") {
		t.Errorf("while it is recorded info ends with %d and says %q", exit, said)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	proceed()
	if left := formattest.Names(t, cmd.Dir); len(left) > 0 {
		t.Errorf("the program wrote %q", left)
	}
	if _, said, exit := runCommand(t, "open", "--no-write", out); exit == 0 || !strings.Contains(said, out+".recording holds a recording; once that has ended, tracex info "+out+" completes the trace") {
		t.Errorf("without writing it ends with %d and says %q", exit, said)
	}
	// What the program recorded until it saw that record is gone is there, too.
	text, said, exit := runCommand(t, "print", out)
	if n := strings.Count(text, "inner("); exit != 0 || n < 1000 || n > 2000 || !strings.Contains(said, "the recording command was killed; completed the trace (") {
		t.Errorf("print ends with %d, %d calls, and says %q", exit, n, said)
	}
	if left := formattest.Names(t, filepath.Dir(out)); len(left) != 3 {
		t.Errorf("there are %q", left)
	}
	if left := formattest.Names(t, tmp); len(left) > 0 {
		t.Errorf("temporary files stay: %q", left)
	}
	if _, said, exit := runCommand(t, "info", out); exit != 0 || said != "" {
		t.Errorf("then info ends with %d and says %q", exit, said)
	}
}

// A recording without events when it was killed replaces nothing, whether or not the service
// had written its own packets.
func TestRecordIsKilledEarly(t *testing.T) {
	for name, written := range map[string]bool{"nothing_written": false, "written": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killEarly(t, written)
		})
	}
}

func killEarly(t *testing.T, written bool) {
	out := filepath.Join(t.TempDir(), "trace.bin")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, said, exit := runCommand(t, "record", "-o", out, "--", self, tracedArgument, "exit"); exit != 3 {
		t.Fatalf("exit code %d: %s", exit, said)
	}
	cmd, _, tmp := command(t, "record", "--force", "-o", out, "--", self, tracedArgument, "idles")
	stdin, stdout := startPiped(t, cmd)
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for ; written; <-tick.C {
		if st, err := os.Stat(filepath.Join(out+recording.Suffix, "spool.pftrace")); err != nil || st.Size() > 0 {
			break
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	stdin.Close()
	if _, said, exit := runCommand(t, "info", out); exit != 0 || !strings.Contains(said, "killed before anything was recorded") {
		t.Errorf("info ends with %d and says %q", exit, said)
	}
	checkRecorded(t, self, out)
	if left := formattest.Names(t, tmp); len(left) > 0 {
		t.Errorf("temporary files stay: %q", left)
	}
}

// A leftover recording is discarded by another one that is told to.
func TestRecordDiscards(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "trace.bin")
	cmd, tmp, proceed := recordingToKill(t, out)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	proceed()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, said, exit := runCommand(t, "record", "--force", "-o", out, "--", self, tracedArgument, "exit"); exit != 3 {
		t.Errorf("exit code %d: %s", exit, said)
	}
	checkRecorded(t, self, out)
	if left := formattest.Names(t, tmp); len(left) > 0 {
		t.Errorf("temporary files stay: %q", left)
	}
}
