//go:build linux

package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/recorder"
)

// Programs that go on after tracex record was killed, until they are killed, too, or end in order.
const goesOnArgument, goesOnAndStops = "goes on", "goes on and stops"

// recordWithoutService records 1000 calls, and, once the recorder has noticed that its service is gone, as many
// again within one that does not return, and in a new thread. Half of these calls are in no file when it waits.
func recordWithoutService(stops bool) error {
	gone := make(chan error, 10)
	r, err := recorder.Start(recorder.Config{
		Path: "own.bin", FlushInterval: -1, FormatVersion: int(format.Newest), OnError: func(err error) { gone <- err },
	})
	if err != nil {
		return err
	}
	t, m := r.Thread("main"), r.Method(r.Class("prog"), "inner", recorder.Type{})
	next := 0
	calls := func(t *recorder.Thread, n int) {
		for range n {
			t.Call(m, 0, recorder.Null(), recorder.Int(next)).End()
			next++
		}
	}
	outer := t.Call(r.Method(r.Class("prog"), "outer", recorder.Type{}), 0, recorder.Null())
	calls(t, 1000)
	if _, err := r.Flush(); err != nil {
		return err
	}
	calls(t, 10) // these are swept when the service is gone
	fmt.Println("waiting", os.Getpid())
	for err := range gone {
		if strings.Contains(err.Error(), "the service is gone") {
			break
		}
	}
	other := r.Thread("other")
	calls(t, 245)
	calls(other, 250)
	_, _ = r.Flush() // there is no service
	calls(t, 245)
	calls(other, 250)
	if stops {
		outer.End()
		_ = r.Stop()
	}
	fmt.Println("went on")
	if !stops {
		_, err = io.Copy(io.Discard, os.Stdin)
	}
	return err
}

// end waits for the end of a process that is no child, after it has killed it if kill is set.
func end(t *testing.T, pid int, kill bool) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) && !kill {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if kill {
		if err := unix.Kill(pid, unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// What a program records after tracex record was killed is in the trace, whether it is killed or ends in order.
func TestRecordIsKilledAndProgramGoesOn(t *testing.T) {
	for _, how := range []string{goesOnArgument, goesOnAndStops} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			goOn(t, how)
		})
	}
}

func goOn(t *testing.T, how string) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "trace.bin")
	cmd, _, tmp := command(t, "record", "-o", out, "--", self, tracedArgument, how)
	stdin, stdout := startPiped(t, cmd)
	lines := bufio.NewScanner(stdout)
	program := 0
	for program == 0 && lines.Scan() {
		_, _ = fmt.Sscanf(lines.Text(), "waiting %d", &program)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	for lines.Text() != "went on" {
		if !lines.Scan() {
			t.Fatalf("the program did not go on: %v", lines.Err())
		}
	}
	if how == goesOnArgument { // it still runs: nothing is completed yet, and what is there is shown
		_, said, exit := runCommand(t, "info", out)
		if want := fmt.Sprintf("process %d still runs and records; once it has ended, tracex info %s completes the trace", program, out); exit == 0 || !strings.Contains(said, want) {
			t.Errorf("while it runs info ends with %d and says %q, want %q", exit, said, want)
		}
	}
	end(t, program, how == goesOnArgument)
	stdin.Close()
	text, said, exit := runCommand(t, "print", out)
	if exit != 0 || !strings.Contains(said, "completed the trace (") || strings.Contains(said, "missing") {
		t.Errorf("print ends with %d and says %q", exit, said)
	}
	for i := range 2000 {
		if n := strings.Count(text, fmt.Sprintf("inner(%d)", i)); n != 1 {
			t.Fatalf("call %d is there %d times: %s", i, n, said)
		}
	}
	if n := strings.Count(text, "unfinished"); n != 0 != (how == goesOnArgument) {
		t.Errorf("%d calls are unfinished", n)
	}
	if left := formattest.Names(t, filepath.Dir(out)); len(left) != 3 {
		t.Errorf("there are %q", left)
	}
	if left := formattest.Names(t, tmp); len(left) > 0 {
		t.Errorf("temporary files stay: %q", left)
	}
}
