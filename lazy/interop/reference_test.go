package interop

import (
	"bufio"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
)

// interopVariable is the environment variable that selects the tests that
// compare tracex with Lincheck's own reader.
const interopVariable = "TRACEX_INTEROP"

// reference is a running driver around one release: one JVM for all tests of
// this process. It ends when its standard input ends, at the latest
// when this process does.
type reference struct {
	release *release
	mu      sync.Mutex // one command at a time
	in      io.Writer
	out     *bufio.Reader
}

// answer is the driver's reply to a command.
type answer struct {
	Fields map[string]string
	// Failed is the class and message of the exception that the real reader threw, ""
	// if none.
	Failed string
	// Log is the error output of the real reader.
	Log string
}

// eachReference runs a test with each release, on traces of the version that it
// reads. Without TRACEX_INTEROP it skips the test; with it, any missing
// requirement fails the test.
func eachReference(t *testing.T, test func(t *testing.T, r *reference)) {
	t.Helper()
	needInterop(t)
	for _, l := range releases {
		t.Run(l.String(), func(t *testing.T) {
			r, err := l.running()
			if err != nil {
				t.Fatal(err)
			}
			test(t, r)
		})
	}
}

func needInterop(t testing.TB) {
	t.Helper()
	if os.Getenv(interopVariable) == "" {
		t.Skipf("set %s=1 to compare with Lincheck's own readers (needs Java 17 and Maven)", interopVariable)
	}
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

// unescape undoes the driver's escaping of values in an answer.
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
