// Package golden keeps what a program did as a small text file in its repository, and tells what is
// different in a new recording: a golden trace.
//
// The file has the calls that were chosen, nested as they were, with how they ended; values only if asked for. It has no
// line numbers, times, numbers of events or goroutines, and no identities of objects. Neighbours that are the same are one line with
// their number. Threads have the order of their names. Those whose names differ by numbers alone, and goroutines that
// begin with the same function and are started by the same one, are one section, in which the order of root calls does not count.
//
// A test calls [Check]; the command golden saves and checks from a shell.
//
//	golden.go    options, and the file
//	visit.go     from a trace to shapes
//	shape.go     subtrees, each kept once
//	text.go      from shapes to lines
//	check.go     golden traces in tests, and what differs
//	lines.go     what differs between two texts
package golden

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
)

// Options say what of a trace is kept. The zero Options are all calls, without values.
type Options struct {
	Only   string // which calls, as [query.ParseStep] takes them: "pkg=com.shop.*"; "" for all
	Values bool   // with arguments, and what calls returned
	Depth  int    // levels of calls; what is below has its number of calls and a hash. 0 for all
	Limit  int    // lines of the file at most; 0 for [DefaultLimit]

	kept bool // they are those of a file: what it is about may be gone
}

// DefaultLimit is how many lines a golden trace has at most, unless asked for: it is for people to read.
const DefaultLimit = 10_000

// mostBytes bounds a golden trace, whose lines are as long as the calls are deep.
const mostBytes = 16 << 20

// Suffix is the end of the name of a golden trace's file, and Dir where it usually is.
const Suffix = ".golden"

// Dir is the directory of golden traces, unless another one is named.
var Dir = filepath.Join("testdata", "golden")

// LargeError is the error that a golden trace would be too large for people to read.
type LargeError struct{ Lines int }

func (e *LargeError) Error() string {
	return fmt.Sprintf("a golden trace of more than %d lines, or %d MiB: choose fewer calls, or fewer levels", e.Lines, mostBytes>>20)
}

// ErrName is the error of a name that is no file name.
var ErrName = errors.New("the name of a golden trace is that of a file, without its directory")

// ErrFilter is the error of a filter with line breaks: in the file it has one line.
var ErrFilter = errors.New("the filter of a golden trace is one line")

// Path returns the file of a golden trace: NAME.golden in a directory, "" for [Dir].
func Path(dir, name string) (string, error) {
	if name == "" || name != filepath.Base(name) || name == "." || name == ".." {
		return "", fmt.Errorf("%q: %w", name, ErrName)
	}
	if dir == "" {
		dir = Dir
	}
	return filepath.Join(dir, strings.TrimSuffix(name, Suffix)+Suffix), nil
}

// Make returns the golden trace of a trace, which must be known: see [lazy.LazyTraceReader.Wait]. Of a
// damaged one, it is about what is intact. The error is a [LargeError], or that of the filter. tell gets bytes; it may be nil.
func Make(ctx context.Context, r *lazy.LazyTraceReader, o Options, tell lazy.Progress) ([]byte, error) {
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	if strings.ContainsAny(o.Only, "\r\n") {
		return nil, ErrFilter
	}
	var steps query.Steps
	for _, text := range []string{o.Only, "kind=call"} {
		if text == "" {
			continue
		}
		step, err := query.ParseStep(query.Only, text)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	var scope query.Scope
	c := &collector{o: o, r: r}
	c.Reset()
	err := scope.Edit(ctx, r, steps)
	if fault := new(filter.Error); o.kept && errors.As(err, &fault) && fault.Absent {
		return []byte(o.head()), nil
	} else if err != nil {
		return nil, err
	}
	pass := scope.Over(c)
	pass.Share = 1 << 62 // a thread has one visitor
	pass.Progress = tell
	if err := r.Pass(ctx, pass); err != nil {
		return nil, err
	}
	w := writer{of: c.shapes, limit: o.Limit}
	w.b.WriteString(o.head())
	for _, s := range c.sections() {
		w.section(s)
	}
	if w.large {
		return nil, &LargeError{o.Limit}
	}
	return w.b.Bytes(), nil
}

// The lines that a file begins with.
const (
	first      = "# A golden trace, version 1, made by tracex: do not edit, make it again."
	onlyHead   = "# only: "
	valuesHead = "# values: yes"
	depthHead  = "# depth: "
)

// head returns the first lines of a file: what it is, and the options.
func (o Options) head() string {
	text := first + "\n"
	if o.Only != "" {
		text += onlyHead + o.Only + "\n"
	}
	if o.Values {
		text += valuesHead + "\n"
	}
	if o.Depth > 0 {
		text += depthHead + strconv.Itoa(o.Depth) + "\n"
	}
	return text
}

// ErrNotGolden is the error that a file is no golden trace, or of another version.
var ErrNotGolden = errors.New("no golden trace of this version")

// OptionsOf returns the options that a golden trace was made with. Its limit is not known, but may have been larger than
// [DefaultLimit]: the one returned lets the file become twice as long.
func OptionsOf(text []byte) (o Options, err error) {
	o.kept = true
	lines := bytes.Split(text, []byte("\n"))
	if string(bytes.TrimSuffix(lines[0], []byte("\r"))) != first {
		return o, ErrNotGolden
	}
	for _, b := range lines[1:] {
		line := strings.TrimSuffix(string(b), "\r")
		if !strings.HasPrefix(line, "# ") {
			break
		}
		if only, ok := strings.CutPrefix(line, onlyHead); ok {
			o.Only = only
		} else if depth, ok := strings.CutPrefix(line, depthHead); ok {
			if o.Depth, err = strconv.Atoi(depth); err != nil {
				return o, fmt.Errorf("%w: %q", ErrNotGolden, line)
			}
		} else if line == valuesHead {
			o.Values = true
		}
	}
	o.Limit = max(DefaultLimit, 2*(len(lines)-1))
	return o, nil
}
