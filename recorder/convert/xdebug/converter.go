package xdebug

import (
	"bytes"
	"time"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/jsonstream"
)

// converter reads lines.
type converter struct {
	to     *calltrace.Writer
	prefix string // of the names of threads
	at     int64  // offset of the line
	fault  error  // the file is of another format

	program bool      // the file is in the format for programs
	traces  int       // that began
	begun   bool      // a trace, or its header, that has not ended
	started bool      // the trace itself
	base    time.Time // of the first trace, from which times count; zero if it is not known
	start   int64     // ns since base, of the current trace
	zero    int64     // ns: the time that its first line has; -1 if it had none
	thread  *calltrace.Thread
	stack   []frame
	now     int64 // ns since base
	ended   int64 // the number of the call that has ended, and may have a result in the next line; -1 if none

	functions map[string]*function
	columns   [][]byte
	call      calltrace.Call
}

// frame is a call that is open.
type frame struct {
	number   int64
	level    int64
	function *function
}

// function is what is known of a name.
type function struct {
	name   string
	method calltrace.Method
}

// none is the number of no call.
const none = -1

// Columns of a line.
const (
	levelColumn = iota
	numberColumn
	kindColumn
	timeColumn
	memoryColumn
	nameColumn
	ownColumn
	includeColumn
	fileColumn
	lineColumn
	countColumn
	valueColumn

	returnColumn   = nameColumn  // of a result
	assignedColumn = countColumn // of an assignment
)

// longest is 20 years, in ns: no trace takes longer.
const longest = 20 * 366 * 24 * int64(time.Hour)

// maxDepth bounds the calls that are open.
const maxDepth = 1 << 19

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

// record reads a line of a trace.
func (c *converter) record(line []byte) error {
	c.columns = c.columns[:0]
	for rest, more := line, true; more; {
		var column []byte
		column, rest, more = bytes.Cut(rest, []byte("\t"))
		c.columns = append(c.columns, column)
	}
	if c.ended != none && (c.column(kindColumn) != "R" || c.number(numberColumn) != c.ended) {
		if err := c.noResult(); err != nil {
			return err
		}
	}
	switch kind := c.column(kindColumn); {
	case kind == "0" && len(c.columns) > includeColumn:
		return c.begin()
	case kind == "1" && len(c.columns) > timeColumn:
		return c.end()
	case kind == "R" && len(c.columns) > returnColumn:
		return c.result()
	case kind == "A" && len(c.columns) > assignedColumn:
		return c.assign()
	case kind == "" && c.column(levelColumn) == "" && len(c.columns) > timeColumn:
		c.setTime()
		return nil
	}
	c.to.Leave("line that is none of a trace", "lines that are none of a trace", 1, c.at)
	return nil
}

// column returns a column; "" if the line has none.
func (c *converter) column(i int) string {
	if i >= len(c.columns) {
		return ""
	}
	return string(c.columns[i])
}

// setTime sets the moment to that of the line.
func (c *converter) setTime() {
	ns, ok := jsonstream.Decimal(c.columns[timeColumn], 9)
	if !ok || ns < 0 || ns > longest {
		c.to.Leave("time that is none", "times that are none", 1, c.at)
		return
	}
	if c.zero < 0 {
		c.zero = ns
	}
	now := c.start + ns - c.zero
	if now < c.now {
		c.to.Leave("time before that of the line before", "times before those of the lines before", 1, c.at)
		return
	}
	c.now = now
}

// number returns the number in a column; 0 if there is none.
func (c *converter) number(i int) int64 {
	if i >= len(c.columns) {
		return 0
	}
	n, ok := jsonstream.Decimal(c.columns[i], 0)
	if !ok || n < 0 || n >= 1<<31 {
		return 0
	}
	return n
}
