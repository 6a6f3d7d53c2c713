//go:build linux

package recordtest_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"tracex/cli"
	"tracex/format/formattest"
)

// tracexVariable makes this test program the command tracex.
const tracexVariable = "TRACEX_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(tracexVariable) != "" {
		os.Unsetenv(tracexVariable) // the programs that it records are not
		os.Exit(cli.Main(nil))
	}
	if formattest.Exhaustive() && os.Getenv(longVariable) == "" {
		fmt.Println("left out: " + longVariable + "=1 runs all tests of recorded programs")
		os.Exit(0)
	}
	code := m.Run()
	if worker.dir != "" {
		os.RemoveAll(worker.dir)
	}
	os.Exit(code)
}

// longVariable, set to anything, also runs the tests that take minutes.
const longVariable = "TRACEX_INTEROP"

// long skips a test unless those that take minutes are asked for.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv(longVariable) == "" {
		t.Skip("takes minutes; set " + longVariable + "=1 to run it")
	}
}

// many is the number of repetitions of a test: few, unless the long tests are asked for.
func many(few, all int) int {
	if os.Getenv(longVariable) == "" {
		return few
	}
	return all
}

// result is how a command ended, and what it wrote.
type result struct {
	stdout, stderr string
	code           int // 128 and more: by a signal
}

// patience ends a command that hangs.
const patience = 9 * time.Minute

// start returns a command in a directory. env is added to its environment.
func start(t testing.TB, dir string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOTRACEBACK=single")
	c.Env = append(c.Env, env...)
	return c
}

// talkTo starts a command, whose input and lines of output it returns.
func talkTo(t *testing.T, c *exec.Cmd) (in io.WriteCloser, answers *bufio.Scanner) {
	t.Helper()
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return in, bufio.NewScanner(out)
}

// run runs a command. Its failure is no failure of the test.
func run(t *testing.T, dir string, env []string, args ...string) result {
	t.Helper()
	c := start(t, dir, env, args...)
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{out.String(), said.String(), codeOf(c.ProcessState)}
}

// codeOf returns how a process ended as a shell tells it.
func codeOf(p *os.ProcessState) int {
	if s, ok := p.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return 128 + int(s.Signal())
	}
	return p.ExitCode()
}

// tracex returns the command tracex with arguments.
func tracex(t testing.TB, dir string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return start(t, dir, append([]string{tracexVariable + "=1", "XDG_CONFIG_HOME=" + t.TempDir()}, env...), append([]string{self}, args...)...)
}

// runTracex runs tracex.
func runTracex(t testing.TB, dir string, env []string, args ...string) result {
	t.Helper()
	c := tracex(t, dir, env, args...)
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{out.String(), said.String(), codeOf(c.ProcessState)}
}

// must is for commands that succeed.
func must(t testing.TB, r result) result {
	t.Helper()
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s\n%s", r.code, r.stdout, r.stderr)
	}
	return r
}

// worker is a program that ends in many ways. It is built once.
var worker struct {
	once                  sync.Once
	dir, plain, recording string
}

// workers returns the program worker, plain and recording.
func workers(t *testing.T) (plain, recording string) {
	t.Helper()
	worker.once.Do(func() {
		dir, err := os.MkdirTemp("", "tracex-recordtest-") // it outlives the test
		if err != nil {
			t.Fatal(err)
		}
		worker.dir = dir
		plain, recording := buildInto(t, dir, filepath.Join("testdata", "worker"))
		worker.plain, worker.recording = plain, recording
	})
	if worker.recording == "" {
		t.Fatal("the program cannot be built, see another test")
	}
	return worker.plain, worker.recording
}

// built builds the program in a directory twice: plain, and with tracex build.
func built(t *testing.T, dir string, flags ...string) (plain, recording string) {
	t.Helper()
	return buildInto(t, t.TempDir(), dir, flags...)
}

func buildInto(t *testing.T, out, dir string, flags ...string) (plain, recording string) {
	t.Helper()
	plain, recording = filepath.Join(out, "plain"), filepath.Join(out, "recording")
	must(t, run(t, dir, nil, append(append([]string{"go", "build", "-o", plain}, flags...), ".")...))
	must(t, runTracex(t, dir, nil, append(append([]string{"build", "-o", recording, "--"}, flags...), ".")...))
	return plain, recording
}

// write writes files, by their paths in a new directory.
func write(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
