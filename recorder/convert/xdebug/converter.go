package xdebug

import (
	"time"

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
