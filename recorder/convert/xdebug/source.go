// Package xdebug converts the function traces of Xdebug for PHP, in the format for programs
// (xdebug.trace_format=1; "File format" 2 to 4):
//
//	level  number  0  time  memory  name  user-defined  include  file  line  count  parameters…
//	level  number  1  time  memory
//	level  number  R                value
//	level          A                              file  line  variable = value
//
// The columns are separated by tabs. A call of class->method or class::method becomes a call of that class; other
// functions have none, but their namespace. Parameters have no names in this format. The file that is included, or the code
// that is evaluated, is the argument of the call. The place is that of the call; its function is the caller. An assignment becomes
// the value of a variable; one that is computed ($sum += 12) has its operator with it.
//
// Values are texts, as PHP has them. Strings, numbers, booleans and NULL become values of these kinds. PHP's trace does not
// tell 1.0 from 1. Arrays, objects and what Xdebug has shortened are texts.
//
// Each TRACE START begins a thread, with the name of the script. Times are those since the start of PHP's request, after the time
// of TRACE START, which is UTC since Xdebug 3, and local time before. Memory is left out. A trace does not tell whether a call
// ended by an exception or returned nothing.
package xdebug

import (
	"bytes"
	"context"
	"time"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/jsonstream"
	"tracex/recorder/convert/sources"
)

// Source is Xdebug's function traces.
var Source = sources.Source{Name: "xdebug", What: "an Xdebug trace", Is: is, Convert: convert}

// maxLine is where lines are cut, in bytes. Values are shortened by Xdebug, unless it is told not to.
const maxLine = 4 << 20

// Lines of which a trace has one.
var (
	versionLine = []byte("Version: ")
	formatLine  = []byte("File format: ")
	startLine   = []byte("TRACE START [")
	endLine     = []byte("TRACE END ")
	htmlTrace   = []byte("class='xdebug-trace'")
	profileLine = []byte("version: 1\n")
	creatorLine = []byte("creator: xdebug ")
	mark        = []byte("\ufeff") // of a text in UTF-8, before its first line
)

// is reports whether a file begins like what Xdebug writes, in any format, also in one that is not converted.
func is(head []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, mark), "\r\n")
	if bytes.HasPrefix(text, startLine) || isProfile(text) || len(text) > len("TRACE ") && bytes.HasPrefix(startLine, text) {
		return true
	}
	if version, ok := bytes.CutPrefix(text, versionLine); ok {
		version, rest, _ := bytes.Cut(version, []byte("\n"))
		return bytes.HasPrefix(rest, formatLine) || bytes.HasPrefix(formatLine, rest) && isVersion(bytes.TrimSuffix(version, []byte("\r")))
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.HasPrefix(line, []byte("<table")) && bytes.Contains(line, htmlTrace)
}

// isVersion reports whether a text is like "3.3.1", or a part of that.
func isVersion(text []byte) bool {
	const longest = 32
	return len(text) > 0 && len(text) < longest && text[0] >= '1' && text[0] <= '9' && !bytes.ContainsAny(text, " \t/:")
}

// isProfile reports whether a file begins like a profile of Xdebug, which is one for callgrind.
func isProfile(text []byte) bool {
	text = bytes.ReplaceAll(text[:min(len(text), 1<<10)], []byte("\r"), nil)
	rest, ok := bytes.CutPrefix(text, profileLine)
	return ok && bytes.HasPrefix(rest, creatorLine)
}

// beginsHeader reports whether a line without its end may be one of those before the calls.
func beginsHeader(line []byte) bool {
	for _, whole := range [][]byte{versionLine, formatLine, startLine} {
		if bytes.HasPrefix(whole, line) {
			return true
		}
	}
	return false
}

func convert(ctx context.Context, in sources.Input, prefix string, to *calltrace.Writer) error {
	c := &converter{to: to, prefix: prefix, functions: map[string]*function{}, ended: none}
	l := fit.NewLines(jsonstream.Watch(ctx, in.Reader, in.Progress), maxLine)
	var err error
	for err == nil && l.Next() {
		c.at = l.At
		if l.Cut {
			to.Leave("line cut to 4 MiB", "lines cut to 4 MiB", 1, l.At)
		}
		if l.At == 0 {
			l.Line = bytes.TrimPrefix(l.Line, mark)
		}
		if l.Part && c.program && !bytes.HasPrefix(l.Line, endLine) {
			to.Leave("line that is cut short by the end of the file", "lines that are cut short by the end of the file", 1, l.At)
			c.cut(l.At, "the end of the file within a line")
			break
		}
		if l.Part && !c.program && beginsHeader(l.Line) {
			c.cut(l.At, "the end of the file within its first lines")
			break
		}
		err = c.line(l.Line)
	}
	if err == nil && l.Err == nil {
		err = c.noResult()
	}
	switch {
	case err != nil || l.Err != nil:
	case len(c.stack) > 0:
		c.cut(l.After, "the end of the file within a call, without TRACE END")
	case c.begun:
		c.cut(l.After, "the end of the file without TRACE END")
	}
	if err == nil || c.fault != nil {
		err = c.finish() // what was read before a fault is kept
	}
	switch {
	case c.fault != nil && err == nil:
		err = c.fault
	case err == nil && l.Err != nil:
		err = l.Err
	case err == nil && c.traces == 0:
		err = &format.Error{Offset: -1, Expected: "calls", Found: "none in the file", Err: format.ErrNotTrace}
	}
	return format.At(err, in.Path, 0)
}

// line reads a line. An error ends the conversion.
func (c *converter) line(line []byte) error {
	switch {
	case bytes.HasPrefix(line, formatLine):
		c.program = true
		return c.startHeader()
	case bytes.HasPrefix(line, startLine):
		return c.startTrace(line)
	case bytes.HasPrefix(line, endLine):
		c.begun, c.started = false, false
		return c.endTrace()
	case bytes.HasPrefix(line, versionLine):
		return c.startHeader()
	case len(line) == 0, !c.program && bytes.HasPrefix(profileLine, line):
		return nil
	case !c.program:
		return c.otherFormat(line)
	}
	return c.record(line)
}

// otherFormat explains which format the file has.
func (c *converter) otherFormat(line []byte) error {
	found := "another format"
	switch {
	case bytes.Contains(line, htmlTrace):
		found = "an Xdebug trace in HTML (xdebug.trace_format=2)"
	case bytes.HasPrefix(line, creatorLine):
		found = "a profile of Xdebug (xdebug.mode=profile), which has sums and no calls"
	case c.traces > 0:
		found = "an Xdebug trace for humans (xdebug.trace_format=0)"
	}
	c.fault = &format.Error{Offset: c.at, Expected: "an Xdebug trace for programs", Found: found, Hint: "record it with xdebug.mode=trace and xdebug.trace_format=1", Err: format.ErrNotTrace}
	return c.fault
}

// cut notes that the file is cut short: its program was killed, or is still running.
func (c *converter) cut(at int64, found string) {
	if c.fault == nil {
		c.fault = &format.Error{Offset: at, Found: found, Err: format.ErrTruncated}
	}
}

// startHeader reads a line before the start of a trace. The trace before may be that of a program that was killed.
func (c *converter) startHeader() error {
	if c.started {
		c.to.Leave("trace without TRACE END, before another one", "traces without TRACE END, before others", 1, c.at)
	}
	c.begun, c.started = true, false
	return c.endTrace()
}

// startTrace begins a thread.
func (c *converter) startTrace(line []byte) error {
	if err := c.startHeader(); err != nil {
		return err
	}
	c.started = true
	c.traces++
	c.zero = -1
	text, _, _ := bytes.Cut(line[len(startLine):], []byte("]"))
	at, err := time.Parse(time.DateTime, string(text)) // it accepts a fraction
	switch {
	case err != nil || at.Year() < 1970 || at.Year() > 2100:
		c.to.Leave("start of a trace without its time", "starts of traces without their times", 1, c.at)
		c.start = c.now
	case c.base.IsZero() && c.traces == 1:
		c.base = at
		c.to.SetAnchor(at)
	case !c.base.IsZero():
		c.start = int64(at.Sub(c.base))
	}
	c.now = c.start
	return nil
}

// endTrace ends the thread.
func (c *converter) endTrace() error {
	if c.thread == nil {
		return nil
	}
	if err := c.noResult(); err != nil {
		return err
	}
	if n := int64(len(c.stack)); n > 0 {
		c.to.Leave("call that did not end", "calls that did not end", n, -1)
	}
	err := c.thread.Close(c.now)
	c.thread, c.stack = nil, c.stack[:0]
	return err
}

func (c *converter) finish() error { return c.endTrace() }
