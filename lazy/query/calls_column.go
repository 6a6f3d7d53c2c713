package query

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// callColumn is a column of calls, by which they can be sorted or grouped.
type callColumn struct {
	kind columnKind
	arg  int            // of columnArg: from 1
	path string         // of columnArg, columnResult and columnReceiver: captured fields, a.b; "" for the value itself
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
	number, ok := strings.CutPrefix(name, "arg.")
	if !ok {
		number, ok = strings.CutPrefix(name, "arg_")
	}
	if !ok {
		of, path, nested := strings.Cut(name, ".")
		if kind := columnWords[of]; nested && path != "" && (kind == columnResult || kind == columnReceiver) {
			return callColumn{kind: kind, path: path}, true
		}
		return c, false
	}
	number, path, nested := strings.Cut(number, ".")
	n, err := strconv.Atoi(number)
	return callColumn{kind: columnArg, arg: n, path: path}, err == nil && n >= 1 && n <= mostArgs && nested == (path != "")
}

// captured returns what was captured in a value along a path; nil if that was not.
func captured(v *format.Value, path string) *format.Value {
	for path != "" && v != nil {
		var name string
		name, path, _ = strings.Cut(path, ".")
		in := v.Captured
		v = nil
		if in == nil {
			break
		}
		if i := slices.IndexFunc(in.Fields, func(f format.CapturedField) bool { return f.Name == name }); i >= 0 {
			v = &in.Fields[i].Value
		} else if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(in.Elements) {
			v = &in.Elements[i]
		}
	}
	return v
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
	if c.path != "" {
		return c.word()
	}
	switch c.kind {
	case columnArg:
		return "arg_" + strconv.Itoa(c.arg)
	case columnIn:
		return "in"
	}
	return [...]string{columnEvent: "event", columnDuration: "duration", columnSelf: "self", columnEvents: "events", columnStart: "start",
		columnResult: "result", columnReceiver: "receiver", columnThread: "thread_name", columnCaller: "caller", columnCalling: "caller_event",
		columnMethod: "call", columnThrew: "ended", columnLine: "line", columnIter: "iter"}[c.kind]
}

// word is the column as people write it.
func (c callColumn) word() string {
	if path := c.path; path != "" {
		c.path = ""
		return c.word() + "." + path
	}
	switch c.kind {
	case columnArg:
		return "arg." + strconv.Itoa(c.arg)
	case columnIn:
		return c.name
	case columnResult:
		return "ret"
	case columnReceiver:
		return "recv"
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

// callValue is the value of a call in a column of texts. The zero value is absent.
type callValue struct {
	kind  valueClass
	n     int64   // of integers; the id of a thread
	f     float64 // of numbers with a fraction
	raw   string  // of a string, without quotes
	text  string  // as shown; of what was thrown, the full class name
	event int32   // of a call around
	at    int64   // its place
}

// valueClass orders values: numbers by their size are before texts.
type valueClass uint8

const (
	valueAbsent valueClass = iota
	valueInteger
	valueFraction
	valueOther
	valueLiteral // true, false, null
	valueString  // a string: text is in quotes
	valueThrown
	valueThread
	valueCall // a call around
)

// number reports whether values compare by size.
func (v *callValue) number() bool { return v.kind == valueInteger || v.kind == valueFraction }

// compare puts numbers first, by size, then texts. Both must be there.
func (v *callValue) compare(o *callValue) int {
	if v.number() && o.number() {
		switch {
		case v.kind == valueInteger && o.kind == valueInteger:
			return cmp.Compare(v.n, o.n)
		case v.kind == valueInteger:
			return compareFraction(v.n, o.f)
		case o.kind == valueInteger:
			return -compareFraction(o.n, v.f)
		}
		return cmp.Compare(v.f, o.f)
	}
	if v.number() != o.number() {
		if v.number() {
			return -1
		}
		return 1
	}
	if v.kind == valueThread && o.kind == valueThread {
		return cmp.Compare(v.n, o.n)
	}
	return cmp.Or(cmp.Compare(b2i(v.kind == valueThrown), b2i(o.kind == valueThrown)), strings.Compare(v.text, o.text), cmp.Compare(v.event, o.event))
}

// compareFraction compares an integer with a fraction, which is not exact as a comparison of fractions. They are
// never equal: the integer comes first, or what is no number.
func compareFraction(n int64, f float64) int {
	if f >= 1<<63 || f >= -1<<63 && n <= int64(math.Floor(f)) {
		return -1
	}
	return 1
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// appendJSON appends the value as JSON: numbers, truth values and null as such, strings without
// quotes, others as shown.
func (v *callValue) appendJSON(b []byte) []byte {
	switch v.kind {
	case valueAbsent:
		return append(b, "null"...)
	case valueInteger, valueFraction:
		if v.kind == valueInteger || !math.IsNaN(v.f) && !math.IsInf(v.f, 0) {
			if v.kind == valueInteger {
				return strconv.AppendInt(b, v.n, 10)
			}
			return strconv.AppendFloat(b, v.f, 'g', -1, 64)
		}
	case valueLiteral:
		return append(b, v.text...)
	}
	if v.kind == valueString {
		return format.AppendJSONString(b, v.raw)
	}
	return format.AppendJSONString(b, v.text)
}

// recordedValue returns a recorded value.
func recordedValue(c *format.Context, v *format.Value) (out callValue) {
	switch v.Kind {
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong:
		out.kind, out.n = valueInteger, v.Bits
		return out
	case format.ValueFloat, format.ValueDouble:
		out.kind, out.f = valueFraction, v.Float()
	case format.ValueString:
		out.kind, out.text = valueString, shorten(string(c.AppendValueText(nil, v)))
		if out.raw = shorten(v.Text); len(out.text) == len(out.raw)+2 {
			out.raw = out.text[1 : len(out.text)-1] // shares its memory
		} else {
			out.raw = strings.Clone(out.raw)
		}
		return out
	case format.ValueBoolean, format.ValueNull:
		out.kind = valueLiteral
	default:
		out.kind = valueOther
	}
	out.text = shorten(string(c.AppendValueText(nil, v)))
	return out
}

// shown is the value as rows show it.
func (v *callValue) shown(threw string) string {
	switch v.kind {
	case valueInteger:
		return strconv.FormatInt(v.n, 10)
	case valueThrown:
		return threw + thrownName(v.text)
	case valueCall:
		return v.text + " #" + strconv.Itoa(int(v.event))
	}
	return v.text
}
