package query

import (
	"strconv"
	"strings"

	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// callColumn is a column of calls, by which they can be sorted or grouped.
type callColumn struct {
	kind columnKind
	at   filter.Operand // of columnArg, columnResult and columnReceiver: which, and what in it; empty for the value itself
	in   *filter.Filter // of columnIn: the method
	name string         // of columnIn, as the user wrote it
}

type columnKind uint8

const (
	columnNone columnKind = iota
	columnEvent
	columnDuration
	columnSelf
	columnEvents
	columnStart
	columnArg
	columnResult
	columnReceiver
	columnThread
	columnCaller  // the method of the nearest call around
	columnCalling // that call
	columnIn      // the nearest call of a method around
	columnMethod
	columnThrew
	columnLine // where the call is made
	columnIter // the number of the innermost iteration around the call
)

// columnWords are the words for columns: as filters have them, and as tables do.
var columnWords = map[string]columnKind{
	"event": columnEvent, "dur": columnDuration, "duration": columnDuration, "self": columnSelf, "events": columnEvents,
	"start": columnStart, "at": columnStart, "ret": columnResult, "result": columnResult, "recv": columnReceiver, "receiver": columnReceiver,
	"thread": columnThread, "thread_name": columnThread, "caller": columnCaller, "caller.event": columnCalling, "caller_event": columnCalling,
	"method": columnMethod, "call": columnMethod, "threw": columnThrew, "exc": columnThrew, "exception": columnThrew, "line": columnLine,
	"iter": columnIter, "iteration": columnIter,
}

// groupWords and sortWords are the columns that one can group and sort by.
var (
	groupWords = []string{"arg.1", "ret", "recv", "thread", "caller", "caller.event", "in:METHOD", "iter", "method", "threw", "line"}
	sortWords  = []string{"dur", "self", "events", "arg.1", "ret", "recv", "thread", "caller", "start", "event", "iter", "method", "threw", "line"}
)

// CallGroups returns the words that one can group calls by.
func CallGroups() []string { return groupWords }

// CallSorts returns the words that one can sort calls by.
func CallSorts() []string { return sortWords }

// parseCallColumn returns the column of a name.
func parseCallColumn(r *lazy.LazyTraceReader, name string) (c callColumn, err error) {
	if c, ok := columnNamed(name); ok {
		return c, nil
	}
	if method, ok := strings.CutPrefix(name, "in:"); ok {
		m, err := methodNamed(r, method)
		if err != nil {
			return c, err
		}
		b, err := bound(r, m.expr)
		return callColumn{kind: columnIn, in: b, name: name}, err
	}
	return c, &ColumnError{Name: name, To: "sort", Can: sortWords}
}

// columnNamed returns the column of a word.
func columnNamed(name string) (c callColumn, ok bool) {
	if kind, ok := columnWords[name]; ok {
		return callColumn{kind: kind}, true
	}
	if number, ok := strings.CutPrefix(name, "arg_"); ok {
		name = "arg." + number
	}
	of, path, nested := strings.Cut(name, ".")
	switch kind := columnWords[of]; {
	case !nested:
		return c, false
	case kind == columnResult:
		of = "ret"
	case kind == columnReceiver:
		of = "recv"
	}
	f, at, ok := filter.FieldNamed(of + "." + path)
	if f.Name == "arg" {
		return callColumn{kind: columnArg, at: at}, ok && at.Number <= mostArgs
	}
	return callColumn{kind: columnWords[of], at: at}, ok
}

// mostArgs bounds the columns of arguments: no JVM method has more.
const mostArgs = 255

// CallsRise reports whether calls, or groups of them, begin with the smallest value when they are
// sorted by a column.
func CallsRise(name string) bool {
	switch name {
	case "calls", "total", "mean", "p99", "max", "":
		return false
	case "value":
		return true
	}
	return callColumn{kind: columnWords[name]}.rises()
}

// CallsGroup returns the word by which calls are grouped by a column of their table; ok is false if they
// cannot be.
func CallsGroup(key string) (word string, ok bool) {
	c, ok := columnNamed(key)
	return c.word(), ok && c.groups()
}

// groups reports whether calls can be grouped by the column.
func (c callColumn) groups() bool {
	switch c.kind {
	case columnEvent, columnDuration, columnSelf, columnEvents, columnStart:
		return false
	}
	return true
}

// rises reports whether the natural order begins with the smallest value.
func (c callColumn) rises() bool {
	switch c.kind {
	case columnDuration, columnSelf, columnEvents:
		return false
	}
	return true
}

// key is the key of the column in tables.
func (c callColumn) key() string {
	if c.part() {
		return c.word()
	}
	switch c.kind {
	case columnArg:
		return "arg_" + strconv.Itoa(c.at.Number)
	case columnIn:
		return "in"
	}
	return [...]string{columnEvent: "event", columnDuration: "duration", columnSelf: "self", columnEvents: "events", columnStart: "start",
		columnResult: "result", columnReceiver: "receiver", columnThread: "thread_name", columnCaller: "caller", columnCalling: "caller_event",
		columnMethod: "call", columnThrew: "ended", columnLine: "line", columnIter: "iter"}[c.kind]
}

// part reports whether the column has what a table has no column for: what was captured in a value, or a value by its name.
func (c callColumn) part() bool { return c.at.Path != "" || c.kind == columnResult && c.at.Number > 0 }

// word is the column as people write it.
func (c callColumn) word() string {
	switch c.kind {
	case columnArg:
		return "arg" + c.at.String()
	case columnIn:
		return c.name
	case columnResult:
		return "ret" + c.at.String()
	case columnReceiver:
		return "recv" + c.at.String()
	case columnThread:
		return "thread"
	case columnCalling:
		return "caller.event"
	case columnMethod:
		return "method"
	case columnThrew:
		return "threw"
	}
	return c.key()
}

// text reports whether the column has values, not times or numbers of events.
func (c *callColumn) text() bool {
	switch c.kind {
	case columnNone, columnEvent, columnDuration, columnSelf, columnEvents, columnStart:
		return false
	}
	return true
}

// GroupSorts are the keys of columns that a table of groups can be sorted by, besides that of the
// values.
var GroupSorts = []string{"calls", "total", "mean", "p99", "max", "threw", "value"}

// keyed reports whether rows need a key to be sorted by the column.
func (c *callColumn) keyed() bool {
	switch c.kind {
	case columnNone, columnEvent, columnSelf, columnEvents:
		return false
	}
	return true
}
