//go:build unix

package cli

import (
	"bufio"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tracex/format/formattest"
)

// TestConvertStopped stops a conversion that waits for the rest of a pipe: it leaves neither
// temporary files nor a partial result.
func TestConvertStopped(t *testing.T) {
	dir := t.TempDir()
	cmd, stderr, tmp := command(t, "convert", "-o", filepath.Join(dir, "out"), "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// More than a pipe holds: once it is written, the command is reading it. It consists
	// of empty packets.
	if _, err := in.Write([]byte(strings.Repeat("\x0a\x00", 1<<20))); err != nil {
		t.Fatal(err)
	}
	if n := len(formattest.Names(t, dir)); n != 3 {
		t.Errorf("%d files before the signal, expected 3 drafts", n)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if got := code(t, cmd.Wait()); got != 130 {
		t.Errorf("exit code %d, expected 130", got)
	}
	if want := "tracex: stopped: interrupt\n"; stderr.String() != want {
		t.Errorf("it says %q, expected %q", stderr, want)
	}
	if left := append(formattest.Names(t, dir), formattest.Names(t, tmp)...); len(left) > 0 {
		t.Errorf("files stay: %q", left)
	}
}

// TestConvertPipe converts a trace while it arrives through a pipe, and prints the summary
// when the pipe ends.
func TestConvertPipe(t *testing.T) {
	dir := t.TempDir()
	cmd, stderr, _ := command(t, "convert", "-o", filepath.Join(dir, "out"), "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := in.Write([]byte("\x0a\x00")); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasSuffix(line, "out: 0 threads, 0 events, 0s\n") {
		t.Errorf("it tells %q, %v", line, err)
	}
	if got := code(t, cmd.Wait()); got != 0 {
		t.Errorf("exit code %d: %s", got, stderr)
	}
	if found := formattest.Names(t, dir); len(found) != 3 {
		t.Errorf("it made %q", found)
	}
}
