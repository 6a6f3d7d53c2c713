//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"tracex/format/formattest"
	"tracex/recorder/convert/cache"
)

// command returns the command as a separate process, with a directory for its temporary files.
func command(t *testing.T, args ...string) (cmd *exec.Cmd, stderr *bytes.Buffer, tmp string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	tmp = t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.CommandContext(ctx, self, args...)
	cmd.Env = append([]string{cache.Variable + "=off"}, append(os.Environ(), runVariable+"=1", "TMPDIR="+tmp, "XDG_CONFIG_HOME="+tmp, "XDG_STATE_HOME="+t.TempDir())...)
	stderr = new(bytes.Buffer)
	cmd.Stderr = stderr
	return cmd, stderr, tmp
}

func code(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return -1
}

// TestSignal stops the command while it copies its standard input: it ends with
// the signal's code and leaves no temporary file.
func TestSignal(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		code   int
		says   string
	}{
		{syscall.SIGINT, 130, "tracex: stopped: interrupt\n"},
		{syscall.SIGTERM, 143, "tracex: stopped: terminated\n"},
		{syscall.SIGHUP, 129, "tracex: stopped: hangup\n"},
		{syscall.SIGQUIT, 131, "tracex: stopped: quit\n"},
	} {
		t.Run(c.signal.String(), func(t *testing.T) {
			t.Parallel()
			cmd, stderr, tmp := command(t, "print", "-")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// More than a pipe holds: once it is written, the copy is under way.
			if _, err := in.Write(make([]byte, 4<<20)); err != nil {
				t.Fatal(err)
			}
			if n := len(formattest.Names(t, tmp)); n != 1 {
				t.Errorf("%d temporary files before the signal, expected 1", n)
			}
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if got := code(t, cmd.Wait()); got != c.code {
				t.Errorf("exit code %d, expected %d", got, c.code)
			}
			if stderr.String() != c.says {
				t.Errorf("it says %q, expected %q", stderr, c.says)
			}
			if left := formattest.Names(t, tmp); len(left) > 0 {
				t.Errorf("temporary files stay: %q", left)
			}
		})
	}
}

// TestBrokenPipe: the reader of the output closes it early, as head does.
func TestBrokenPipe(t *testing.T) {
	path := formattest.Unpack(t, "gson.stream.bin", "gson.stream.bin.idx")
	cmd, stderr, tmp := command(t, "print", path)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := r.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if got := code(t, cmd.Wait()); got != 0 || stderr.Len() > 0 {
		t.Errorf("exit code %d, expected 0; it says %q", got, stderr)
	}
	if left := formattest.Names(t, tmp); len(left) > 0 {
		t.Errorf("temporary files stay: %q", left)
	}
}

// TestStoppedCommands: each command notices that it is told to stop, and leaves neither
// temporary files nor a partial result.
func TestStoppedCommands(t *testing.T) {
	// Larger than the input read between two checks for the signal.
	path := formattest.Unpack(t, "flat.stream.bin", "packed.stream.bin.packedtrace")
	packed := filepath.Join(filepath.Dir(path), "packed.stream.bin.packedtrace")
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	pipe := filepath.Join(filepath.Dir(path), "pipe") // without a writer
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, args := range [][]string{
		{"print", path}, {"print", "-"}, {"info", path}, {"index", path}, {"index", "--verify", path},
		{"pack", path}, {"unpack", packed}, {"info", packed}, {"bench", "record"},
		{"print", pipe}, {"convert", pipe},
	} {
		if args[1] == "--verify" {
			if err := os.WriteFile(path+".idx", formattest.Recorded(t, "flat.stream.bin.idx"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		before := formattest.Names(t, filepath.Dir(path))
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(signalError{syscall.SIGINT})
		root := newRoot(&app{stdin: null, stdout: null, stderr: null}, allCommands)
		root.SetArgs(args)
		root.SilenceErrors, root.SilenceUsage = true, true
		if err := root.ExecuteContext(ctx); !errors.Is(err, context.Canceled) && exitCode(err) != 130 {
			t.Errorf("%v: %v, expected that it stops", args[0], err)
		}
		if after := formattest.Names(t, filepath.Dir(path)); !slices.Equal(after, before) {
			t.Errorf("%v: the directory has %q, before it had %q", args[0], after, before)
		}
		if left := formattest.Names(t, tmp); len(left) > 0 {
			t.Errorf("%v: temporary files stay: %q", args[0], left)
		}
	}
}
