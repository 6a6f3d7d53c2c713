package wrapper

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tracex/recorder/instrument/rewrite"
)

// Report tells what the wrapper did with one package. The go command runs the compiler, and so
// the wrapper, only for packages that are not in its build cache: only these have reports.
//
// A report is a file in the directory Settings.Report. Its lines have fields; all but numbers are
// quoted as Go strings:
//
//	package "example.com/shop [example.com/shop.test]"
//	failed "its instrumented sources do not compile: ./shop.go:3: undefined: x"
//	statements 2
//	function 12 "(*Shop).Sell" "/src/shop/shop.go" ""
//
// The last field of a function is the reason why it is not instrumented.
type Report struct {
	Package    string // import path; a variant for a test has the test in brackets
	Failed     string // why the package's own sources were compiled in spite of what follows, else empty
	Functions  []rewrite.Function
	Statements int // instrumented go statements
}

const reportSuffix = ".report"

func (r Report) Write(dir string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %q\n", r.Package)
	if r.Failed != "" {
		fmt.Fprintf(&b, "failed %q\n", r.Failed)
	}
	fmt.Fprintf(&b, "statements %d\n", r.Statements)
	for _, f := range r.Functions {
		fmt.Fprintf(&b, "function %d %q %q %q\n", f.Line, f.Name, f.File, f.Reason)
	}
	temporary, err := os.CreateTemp(dir, "*.tmp")
	if err != nil {
		return err
	}
	_, err = temporary.Write(b.Bytes())
	err = errors.Join(err, temporary.Close())
	if err == nil {
		hash := fnv.New64a()
		hash.Write([]byte(r.Package))
		err = os.Rename(temporary.Name(), filepath.Join(dir, fmt.Sprintf("%016x%s", hash.Sum64(), reportSuffix)))
	}
	if err != nil {
		os.Remove(temporary.Name())
	}
	return err
}

// ReadReports returns the reports in a directory, ordered by package.
func ReadReports(dir string) ([]Report, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*"+reportSuffix))
	if err != nil {
		return nil, err
	}
	var all []Report
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		r, err := parseReport(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(x, y Report) int { return cmp.Compare(x.Package, y.Package) })
	return all, nil
}

func parseReport(text []byte) (r Report, err error) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for n := 1; lines.Scan(); n++ {
		f := fields{rest: lines.Text()}
		switch word := f.word(); word {
		case "package":
			r.Package = f.text()
		case "failed":
			r.Failed = f.text()
		case "statements":
			r.Statements = f.number()
		case "function":
			r.Functions = append(r.Functions, rewrite.Function{Line: f.number(), Name: f.text(), File: f.text(), Reason: f.text()})
		default:
			f.bad = true
		}
		if f.bad || f.rest != "" {
			return r, fmt.Errorf("line %d is not a line of a report: %q", n, lines.Text())
		}
	}
	return r, lines.Err()
}

// fields takes the fields of a line one after the other.
type fields struct {
	rest string
	bad  bool
}

func (f *fields) word() (word string) {
	word, f.rest, _ = strings.Cut(f.rest, " ")
	return word
}

func (f *fields) number() int {
	n, err := strconv.Atoi(f.word())
	f.bad = f.bad || err != nil || n < 0
	return n
}

func (f *fields) text() string {
	quoted, err := strconv.QuotedPrefix(f.rest)
	if err != nil {
		f.bad = true
		return ""
	}
	f.rest = strings.TrimPrefix(f.rest[len(quoted):], " ")
	text, err := strconv.Unquote(quoted)
	f.bad = f.bad || err != nil
	return text
}
