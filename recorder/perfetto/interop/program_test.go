package interop

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// interopVariable is the environment variable that selects the tests.
const interopVariable = "TRACEX_INTEROP"

// programDir holds the sources of the Rust program.
var programDir = filepath.Join("..", "..", "..", "testdata", "interop", "perfetto")

// The program is built once for each profile: one takes half the time to build, the
// other is for benchmarks.
var (
	theProgram     = sync.OnceValues(func() (string, error) { return build("debug") })
	theFastProgram = sync.OnceValues(func() (string, error) { return build("release", "--release") })
)

// build builds the program with cargo, which does nothing if the sources have not
// changed, and returns its path.
func build(profile string, options ...string) (string, error) {
	if _, err := exec.LookPath("cargo"); err != nil {
		return "", fmt.Errorf("%s is set, but Perfetto's library needs cargo and a C++ compiler: %w", interopVariable, err)
	}
	cargo := exec.Command("cargo", append([]string{"build", "--quiet", "--locked"}, options...)...)
	cargo.Dir = programDir
	if out, err := cargo.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building Perfetto's library: %w\n%s", err, out)
	}
	target := os.Getenv("CARGO_TARGET_DIR")
	if target == "" {
		target = filepath.Join(programDir, "target")
	}
	name := "tracex-perfetto"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Abs(filepath.Join(target, profile, name))
}

func needInterop(t testing.TB) {
	t.Helper()
	if os.Getenv(interopVariable) == "" {
		t.Skipf("set %s=1 to run Perfetto's own client library (needs cargo and a C++ compiler)", interopVariable)
	}
}

// patience is how long a test waits for something that must happen. It affects only
// how soon a test fails.
const patience = 2 * time.Minute

// program is the running Rust program.
type program struct {
	t       testing.TB
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan string
	said    *bytes.Buffer // its standard error; read it only after the program has ended
	ended   chan struct{} // closed when it has ended
}

// start starts the program, as a "producer" or a "consumer" with its options. It
// ends with the test.
func (s *service) start(role string, options ...any) *program {
	s.t.Helper()
	path, err := theProgram()
	if err != nil {
		s.t.Fatal(err)
	}
	return s.startProgram(path, role, options...)
}

func (s *service) startProgram(path, role string, options ...any) *program {
	t := s.t
	t.Helper()
	p := &program{t: t, answers: make(chan string), said: new(bytes.Buffer), ended: make(chan struct{})}
	args := []string{role}
	for _, o := range options {
		args = append(args, fmt.Sprint(o))
	}
	p.cmd = exec.Command(path, args...)
	p.cmd.Env = append(os.Environ(), "PERFETTO_PRODUCER_SOCK_NAME="+s.producers, "PERFETTO_CONSUMER_SOCK_NAME="+s.consumers)
	p.cmd.Stderr = p.said
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.in = in
	go func() {
		defer close(p.ended)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			p.answers <- lines.Text()
		}
		close(p.answers)
		_ = p.cmd.Wait()
	}()
	t.Cleanup(p.kill)
	return p
}

// kill ends the program at once, without warning.
func (p *program) kill() {
	_ = p.cmd.Process.Kill()
	for range p.answers { // drop the remaining answers
	}
	<-p.ended
}

// finish lets the program end normally.
func (p *program) finish() {
	p.t.Helper()
	_ = p.in.Close()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Fatal("the program does not end")
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		p.t.Fatalf("the program ended with %d:\n%s", code, p.said)
	}
}

// do sends the program a command, and waits until it is done.
func (p *program) do(words ...any) (fields map[string]string) {
	p.t.Helper()
	return p.done(p.begin(words...), words...)
}

// begin sends the program a command. done receives when it is answered.
func (p *program) begin(words ...any) <-chan time.Time {
	p.t.Helper()
	var line strings.Builder
	for i, w := range words {
		if i > 0 {
			line.WriteByte('\t')
		}
		fmt.Fprint(&line, w)
	}
	line.WriteByte('\n')
	if _, err := io.WriteString(p.in, line.String()); err != nil {
		p.t.Fatalf("%v: %v", words, err)
	}
	return time.After(patience)
}

func (p *program) done(late <-chan time.Time, words ...any) (fields map[string]string) {
	p.t.Helper()
	select {
	case line, ok := <-p.answers:
		if !ok {
			<-p.ended
			p.t.Fatalf("%v: the program ended:\n%s", words, p.said)
		}
		fields, err := parseAnswer(line)
		if err != nil {
			p.t.Fatalf("%v: %v", words, err)
		}
		return fields
	case <-late:
		p.t.Fatalf("%v: no answer", words)
	}
	return nil
}

func parseAnswer(line string) (fields map[string]string, err error) {
	words := strings.Split(line, "\t")
	if words[0] != "ok" {
		return nil, errors.New(line)
	}
	fields = make(map[string]string)
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		fields[name] = value
	}
	return fields, nil
}

// field returns a number from the program's answer.
func field(t testing.TB, fields map[string]string, name string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(fields[name], 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}
