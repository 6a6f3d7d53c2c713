//go:build linux

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/recorder"
)

// recordCalls records a call and prints the version of the format.
func recordCalls() error {
	r, err := recorder.Start(recorder.Config{Path: "own.bin"})
	if err != nil {
		return err
	}
	fmt.Println("version", r.FormatVersion())
	t := r.Thread("main")
	t.Call(r.Method(r.Class("prog"), "inner", recorder.Type{}), 0, recorder.Null(), recorder.Raw("12")).End()
	return r.Stop()
}

// versionOfFile returns the version of a trace whose data and index agree on it.
func versionOfFile(t *testing.T, path string) format.Version {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(path + ".idx")
	if err != nil {
		t.Fatal(err)
	}
	v, err := format.CheckDataHeader(data)
	if err != nil {
		t.Fatal(err)
	}
	if w, err := format.CheckIndexHeader(index); err != nil || w != v {
		t.Fatalf("the index is of version %d, %v, the data of %d", w, err, v)
	}
	return v
}

// TestRecordVersion records events and calls in the version that a flag or the environment
// selects. The program sees that version in its environment.
func TestRecordVersion(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		program, named string
		flags          []string
		want           format.Version // 0 for the program's
	}{
		{"exit", "", nil, format.Newest},
		{"exit", "", []string{"--format-version", "22"}, format.V22},
		{"exit", "22", nil, format.V22},
		{"exit", "22", []string{"--format-version=27"}, format.V27},
		{"calls", "", nil, 0},
		{"calls", "27", []string{"--format-version", "22"}, format.V22},
		{"calls", "", []string{"--format-version", "27"}, format.V27},
		{"calls", "22", nil, format.V22},
	} {
		t.Run(strings.Join(append([]string{test.program, "named " + test.named}, test.flags...), " "), func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "trace.bin")
			args := append([]string{"record", "-o", out}, test.flags...)
			cmd, stderr, _ := command(t, append(args, "--", self, tracedArgument, test.program)...)
			cmd.Dir = t.TempDir()
			cmd.Env = append(cmd.Env, recorder.FormatVariable+"="+test.named)
			said, err := cmd.Output()
			if got := code(t, err); got != 3 {
				t.Fatalf("exit code %d: %s%s", got, said, stderr)
			}
			v := versionOfFile(t, out)
			if test.want != 0 && v != test.want {
				t.Errorf("version %d, want %d", v, test.want)
			}
			if heard := fmt.Sprintln("version", v); test.program == "calls" && !strings.Contains(string(said), heard) {
				t.Errorf("the program said %q, want %q", said, heard)
			}
		})
	}
	cmd, stderr, _ := command(t, "record", "-o", filepath.Join(t.TempDir(), "trace.bin"), "--", self, tracedArgument, "exit")
	cmd.Env = append(cmd.Env, recorder.FormatVariable+"=19")
	if got := code(t, cmd.Run()); got != 2 || !strings.Contains(stderr.String(), recorder.FormatVariable+"=19") || !strings.Contains(stderr.String(), "hint: --format-version") {
		t.Errorf("exit code %d: %s", got, stderr)
	}
}

// TestRecordVersionKilled kills tracex record: the trace that the next command makes has the
// selected version, though its calls have another.
func TestRecordVersionKilled(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "trace.bin")
	cmd, _, proceed := recordingToKill(t, out, "--format-version", "22")
	awaitSpool(t, out)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	proceed()
	text, said, exit := runCommand(t, "print", out)
	if n := strings.Count(text, "inner("); exit != 0 || n < 1000 || n > 2000 || !strings.Contains(said, " big numbers as plain text") || strings.Count(text, "Color.RED") != n || versionOfFile(t, out) != format.V22 {
		t.Errorf("print ends with %d, %d calls, and says %q", exit, n, said)
	}
}
