// Package outcomes reads what go test prints, as text, with or without -v, or with -json: which tests failed, and what they
// printed. Nothing of it is needed to run the tests: what cannot be understood is ignored.
package outcomes

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Failure is a test that go test says failed.
type Failure struct {
	Package string // the import path
	Test    string // such as TestPay/big
	// Output is what it printed, without indentation; that of a panic, too. It has at most MostOutput bytes: of more, the
	// first.
	Output string

	printed *strings.Builder
}

// MostOutput is how many bytes are kept of a test's output.
const MostOutput = 64 << 10

// Reader reads the output as it is written to it. It never fails. Any goroutine may use it.
type Reader struct {
	mu       sync.Mutex
	line     []byte     // the last one, not ended yet
	found    []*Failure // of packages that have ended
	pending  []*Failure // of the package that has not
	printed  map[key]*strings.Builder
	running  []key           // by -json
	ended    map[string]bool // packages
	passed   map[string]bool // of these
	current  string          // the test whose output follows
	verbose  bool            // === lines tell the current test
	panicked bool            // the rest of the package's output is that of a panic
	head     []string        // its lines before it names a test
}

type key struct{ pkg, test string }

// mostLine is how many bytes of a line are read.
const mostLine = 64 << 10

// Write reads a part of the output.
func (r *Reader) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(b)
	for len(b) > 0 {
		part, rest, ended := bytes.Cut(b, []byte("\n"))
		r.line = append(r.line, part[:min(len(part), mostLine-min(len(r.line), mostLine))]...)
		if b = rest; ended {
			r.read(strings.TrimSuffix(string(r.line), "\r"))
			r.line = r.line[:0]
		}
	}
	return n, nil
}

// Failures returns the tests that failed by now, in the order in which go test told them. The package of those whose
// package has not ended is not known without -json.
func (r *Reader) Failures() []Failure {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Failure
	for _, f := range slices.Concat(r.found, r.pending) {
		list = append(list, Failure{f.Package, f.Test, strings.TrimRight(f.printed.String(), "\n"), nil})
	}
	return list
}

// Failed returns the first line of what a test printed, for each time that it failed.
func (r *Reader) Failed(pkg, test string) (why []string) {
	for _, f := range r.Failures() {
		if f.Package == pkg && f.Test == test {
			line, _, _ := strings.Cut(f.Output, "\n")
			why = append(why, line)
		}
	}
	return why
}

// Passed reports whether go test has said that all tests of a package passed.
func (r *Reader) Passed(pkg string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended[pkg] && r.passed[pkg]
}

// Ended reports whether go test has said how the tests of a package ended.
func (r *Reader) Ended(pkg string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended[pkg]
}

// of returns what a test has printed.
func (r *Reader) of(k key) *strings.Builder {
	b := r.printed[k]
	if b == nil {
		if r.printed == nil {
			r.printed = make(map[key]*strings.Builder)
		}
		b = new(strings.Builder)
		r.printed[k] = b
	}
	return b
}

func (r *Reader) print(pkg, test, line string) {
	if b := r.of(key{pkg, test}); test != "" && b.Len()+len(line) < MostOutput {
		b.WriteString(line + "\n")
	}
}

// read reads a line.
func (r *Reader) read(line string) {
	if strings.HasPrefix(line, "{") {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal([]byte(line), &e) == nil && e.Action != "" && e.Package != "" {
			r.event(e.Action, e.Package, e.Test, e.Output)
			return
		}
	}
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	if mark, test, ok := markOf(text); ok {
		r.verbose = r.verbose || mark != verdict
		if mark == run { // it may be run several times
			delete(r.printed, key{"", test})
		}
		r.current, r.panicked = test, false
		return
	}
	if m := failed().FindStringSubmatch(text); m != nil && indent <= 4*strings.Count(m[1], "/") {
		if !r.verbose {
			delete(r.printed, key{"", m[1]}) // what it printed follows
		}
		r.fail("", m[1])
		r.panicked = false
		if r.current = m[1]; r.verbose { // what it printed came before
			r.current = ""
		}
		return
	}
	switch fields := strings.Split(line, "\t"); {
	case indent == 0 && (fields[0] == "FAIL" || strings.TrimRight(fields[0], " ") == "ok") && len(fields) > 1:
		r.end(fields[1], fields[0] != "FAIL")
		return
	case strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: "):
		r.panicked = true
		if n := len(r.pending); n > 0 {
			r.current = r.pending[n-1].Test
		}
	case r.panicked && strings.HasPrefix(line, "\t\t") && strings.HasSuffix(line, ")"): // one of the running tests
		name := nameOf(strings.TrimSpace(line))
		if strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example") {
			r.fail("", name)
			r.current = name
			for _, line := range r.head {
				r.print("", name, line)
			}
		}
	}
	switch {
	case indent == 0 && !r.panicked && (line == "FAIL" || line == "PASS" || strings.HasPrefix(line, "exit status ")): // of the program
		r.current = ""
		return
	case r.panicked && r.current == "":
		r.head = append(r.head, line)
		r.head = r.head[:min(len(r.head), 100)]
	case !r.panicked && r.verbose:
		line = line[min(indent, 4):]
	case !r.panicked:
		line = line[min(indent, 4*(strings.Count(r.current, "/")+1)):]
	}
	r.print("", r.current, line)
}

// failed is the line of a test that failed; what the test printed last may have no line of its own.
var failed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`--- FAIL: (\S+) \(\d+\.\d+s\)$`) })

// verdict is the mark of a line that tells how a test ended.
const verdict = "--- "

// run is the mark of a line that tells that a test begins.
const run = "=== RUN "

// markOf returns the test that a line of its own names. A failed one is not among these.
func markOf(text string) (mark, test string, ok bool) {
	for _, mark := range []string{run, "=== CONT ", "=== NAME ", "=== PAUSE ", verdict + "PASS: ", verdict + "SKIP: "} {
		if rest, ok := strings.CutPrefix(text, mark); ok {
			switch {
			case strings.HasPrefix(mark, verdict):
				return verdict, "", true
			case mark == "=== PAUSE ":
				return mark, "", true
			}
			return mark, strings.TrimSpace(rest), true
		}
	}
	return "", "", false
}

// nameOf returns the name of a test in front of how long it ran.
func nameOf(text string) string {
	if i := strings.LastIndex(text, " ("); i >= 0 {
		return text[:i]
	}
	return text
}

func (r *Reader) fail(pkg, test string) {
	r.pending = append(r.pending, &Failure{Package: pkg, Test: test, printed: r.of(key{pkg, test})})
}

// endPackage notes how a package has ended.
func (r *Reader) endPackage(pkg string, passed bool) {
	if r.ended == nil {
		r.ended, r.passed = make(map[string]bool), make(map[string]bool)
	}
	r.ended[pkg], r.passed[pkg] = true, passed
}

// end ends the output of a package.
func (r *Reader) end(pkg string, passed bool) {
	pkg, _, _ = strings.Cut(pkg, " ")
	r.endPackage(pkg, passed)
	for k := range r.printed {
		if k.pkg == "" {
			delete(r.printed, k)
		}
	}
	for _, f := range r.pending {
		f.Package = pkg
	}
	r.found = append(r.found, r.pending...)
	r.pending, r.current, r.verbose, r.panicked, r.head = nil, "", false, false, nil
}

// event reads a line of -json.
func (r *Reader) event(action, pkg, test, output string) {
	switch action {
	case "output":
		line := strings.TrimSuffix(output, "\n")
		text := strings.TrimLeft(line, " ")
		if _, _, mark := markOf(text); !mark && !failed().MatchString(text) {
			r.print(pkg, test, line[min(len(line)-len(text), 4):])
		}
	case "run":
		delete(r.printed, key{pkg, test})
		r.running = append(r.running, key{pkg, test})
	case "pass", "skip", "fail":
		r.running = slices.DeleteFunc(r.running, func(k key) bool {
			ended := k.pkg == pkg && (k.test == test || test == "") // with its package, a test has ended, too
			if ended && action == "fail" {
				r.found = append(r.found, &Failure{Package: pkg, Test: k.test, printed: r.of(k)})
			}
			return ended
		})
		if test == "" {
			r.endPackage(pkg, action != "fail")
		}
	}
}
