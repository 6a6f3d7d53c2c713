package interop

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// interopVariable is the environment variable that selects the tests which
// compare tracex with Lincheck's own reader.
const interopVariable = "TRACEX_INTEROP"

// driverDir holds the Java driver around the real reader.
var driverDir = filepath.Join("..", "..", "testdata", "interop", "lincheck")

// reference is a running driver: one JVM for all tests of this process. It ends
// when its standard input does, which is at the latest when this process ends.
type reference struct {
	mu  sync.Mutex // one command at a time
	in  io.Writer
	out *bufio.Reader
}

// answer is what the driver replied to a command.
type answer struct {
	Fields map[string]string
	// Failed is set when the real reader threw, to the exception's class and
	// message.
	Failed string
	// Log is what the real reader wrote to its error stream.
	Log string
}

// theReference starts the driver once for all tests.
var theReference = sync.OnceValues(startReference)

// needReference returns the running driver. Without TRACEX_INTEROP it skips
// the test; with it, everything that is missing fails the test.
func needReference(t testing.TB) *reference {
	t.Helper()
	needInterop(t)
	r, err := theReference()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func needInterop(t testing.TB) {
	t.Helper()
	if os.Getenv(interopVariable) == "" {
		t.Skipf("set %s=1 to compare with Lincheck's own reader (needs Java 17 and Maven)", interopVariable)
	}
}

func startReference() (*reference, error) {
	cmd, err := driverCommand()
	if err != nil {
		return nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &reference{in: in, out: bufio.NewReader(out)}, nil
}

// driverCommand returns a command that runs the driver, built before if it has
// to be: with args a single command, else a loop over standard input.
func driverCommand(args ...string) (*exec.Cmd, error) {
	if err := builtDriver(); err != nil {
		return nil, err
	}
	target := filepath.Join(driverDir, "target")
	classes := filepath.Join(target, "classes") + string(os.PathListSeparator) + filepath.Join(target, "lib", "*")
	// The real reader leaves temporary files behind: keep them in one place.
	temporary := filepath.Join(target, "tmp")
	if err := os.MkdirAll(temporary, 0o755); err != nil {
		return nil, err
	}
	options := []string{"-Dfile.encoding=UTF-8", "-Dline.separator=\n", "-Djava.io.tmpdir=" + temporary,
		"-cp", classes, "tracex.interop.Driver"}
	cmd := exec.Command("java", append(options, args...)...)
	cmd.Stderr = os.Stderr
	return cmd, nil
}

// builtDriver compiles the driver with Maven unless what is in its target
// folder was made from the present sources.
var builtDriver = sync.OnceValue(func() error {
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is set, but the comparison needs Java 17 and Maven: %w", interopVariable, err)
		}
	}
	sum, err := driverSum()
	if err != nil {
		return err
	}
	mark := filepath.Join(driverDir, "target", "built-from")
	if made, err := os.ReadFile(mark); err == nil && string(made) == sum {
		return nil
	}
	mvn := exec.Command("mvn", "-q", "-B", "clean", "process-classes")
	mvn.Dir = driverDir
	if out, err := mvn.CombinedOutput(); err != nil {
		return fmt.Errorf("building the driver: %w\n%s", err, out)
	}
	return os.WriteFile(mark, []byte(sum), 0o644)
})

// driverSum returns a checksum over the sources of the driver.
func driverSum() (string, error) {
	sum := sha256.New()
	add := func(path string) error {
		b, err := os.ReadFile(path)
		fmt.Fprintf(sum, "%s %d\n%s", filepath.ToSlash(path), len(b), b)
		return err
	}
	err := filepath.WalkDir(filepath.Join(driverDir, "src"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return add(path)
	})
	err = errors.Join(err, add(filepath.Join(driverDir, "pom.xml")))
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// ask sends a command and returns the answer, which may be that the real reader
// failed.
func (r *reference) ask(t testing.TB, words ...string) answer {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := io.WriteString(r.in, strings.Join(words, "\t")+"\n"); err != nil {
		t.Fatalf("asking Lincheck's reader for %s: %v", words, err)
	}
	line, err := r.out.ReadString('\n')
	if err != nil {
		t.Fatalf("Lincheck's reader gave no answer to %s: %v", words, err)
	}
	return parseAnswer(t, line)
}

// unescape undoes what the driver does to the values of an answer.
var unescape = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r")

func parseAnswer(t testing.TB, line string) answer {
	t.Helper()
	words := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	a := answer{Fields: make(map[string]string)}
	for _, field := range words[1:] {
		name, value, _ := strings.Cut(field, "=")
		a.Fields[name] = unescape.Replace(value)
	}
	a.Log = a.Fields["log"]
	switch words[0] {
	case "ok":
	case "error":
		a.Failed = a.Fields["class"] + ": " + a.Fields["message"]
	default:
		t.Fatalf("Lincheck's reader answered %q", line)
	}
	return a
}
