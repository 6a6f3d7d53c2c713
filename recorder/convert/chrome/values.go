package chrome

import (
	"slices"
	"strings"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// values makes the arguments of one event. The texts of values are valid until the next batch.
type values struct {
	to     *calltrace.Writer
	text   string
	keys   []string
	list   []format.Value
	result *format.Value // nil if it has none
	key    string        // of result
	threw  string        // the class of the exception that the call ended by
	begins bool          // the event does not tell how its call ended
	value  format.Value  // of result
	file   string        // the place of the call
	line   int
	fun    string
	parts  int  // of nested values there is room for
	python bool // texts are as Python shows values
	room   contents
}

const (
	// mostArguments bounds the arguments of an event.
	mostArguments = 1 << 10
	// mostParts bounds the values within those of an event, mostDepth their nesting.
	mostParts = 1 << 10
	mostDepth = 32
)

func (v *values) reset(text string) {
	v.text, v.keys, v.list, v.result, v.threw = text, v.keys[:0], v.list[:0], nil, ""
	v.begins = false
	v.file, v.line, v.fun, v.parts, v.python = "", 0, "", mostParts, false
	v.room.reset()
}

// results are keys of what a call returned, and whether it is as Python shows values.
var results = map[string]bool{"return_value": true, "retval": true, fit.Result: false}

// members adds the members of an object as arguments.
func (v *values) members(in span) {
	s := scanner{s: v.text[:in.to], i: int(in.from) + 1}
	for {
		key, ok := s.key()
		if !ok {
			break
		}
		x := s.value()
		if s.fault != sound {
			break
		}
		v.member(textOf(v.text, key), x)
	}
	if s.fault != sound {
		v.to.Leave("damaged argument", "damaged arguments", 1, -1)
	}
	v.takePlace()
}

// member adds an argument, unless it is known to be something else.
func (v *values) member(key string, x span) {
	switch {
	case key == "func_args" && x.kind == object: // VizTracer
		v.python = true
		s := scanner{s: v.text[:x.to], i: int(x.from) + 1}
		for {
			key, ok := s.key()
			if !ok {
				break
			}
			if x := s.value(); s.fault == sound {
				v.add(textOf(v.text, key), x)
			}
		}
		v.python = false
	case v.returned(key, x):
	case key == "source" && x.kind == object && v.source(x):
	default:
		v.add(key, x)
	}
}

// returned takes what a call returned, or what it threw.
func (v *values) returned(key string, x span) bool {
	if v.begins {
		return false
	}
	if key == fit.Exception && (x.kind == plain || x.kind == escaped) {
		if v.threw = v.text[x.from:x.to]; x.kind == escaped {
			v.threw = unescape(v.threw)
		}
		return true
	}
	python, ok := results[key]
	if ok {
		v.python = python
		v.value = v.of(x, 0)
		v.python = false
		v.key, v.result = key, &v.value
	}
	return ok
}

// add adds an argument.
func (v *values) add(key string, x span) {
	if len(v.list) >= mostArguments {
		v.to.Leave("argument beyond the first 1,024 of an event", "arguments beyond the first 1,024 of an event", 1, -1)
		return
	}
	v.keys, v.list = append(v.keys, key), append(v.list, v.of(x, 0))
}

// addResult makes the result an argument.
func (v *values) addResult() {
	v.keys, v.list = append(v.keys, v.key), append(v.list, *v.result)
	v.result = nil
}

// joined returns all arguments as one value: that of an end.
func (v *values) joined() *format.Value {
	switch {
	case v.result != nil && len(v.list) == 0:
		return v.result
	case v.result != nil:
		v.addResult()
	case len(v.list) == 0:
		return nil
	}
	fields := make([]format.CapturedField, len(v.list))
	for i := range fields {
		fields[i] = format.CapturedField{Name: v.keys[i], Value: v.list[i]}
	}
	v.value = calltrace.Object(v.to.Class(""), 0, fields)
	return &v.value
}

// of returns a value at a depth of nesting.
func (v *values) of(x span, depth int) format.Value {
	text := v.text[x.from:x.to]
	switch x.kind {
	case plain, escaped:
		if x.kind == escaped {
			text = unescape(text)
		}
		if v.python && depth == 0 {
			return pythonValue(text)
		}
		return calltrace.String(text)
	case object, array:
		if depth >= mostDepth || v.parts <= 0 {
			v.to.Leave("value too large or nested too deeply", "values too large or nested too deeply", 1, -1)
			return calltrace.Unquoted("…")
		}
		return v.nested(x, depth)
	}
	switch text {
	case "true", "false":
		return calltrace.Bool(text == "true")
	case "null":
		return calltrace.Null()
	}
	return calltrace.Number(text)
}

// nested returns an object or a list.
func (v *values) nested(x span, depth int) format.Value {
	s := scanner{s: v.text[:x.to], i: int(x.from) + 1}
	n, from, room := 0, len(v.room.stack), &v.room
	for ; ; n++ {
		var ok bool
		var key, inner span
		if x.kind == object {
			if key, ok = s.key(); ok {
				inner = s.value()
			}
		} else {
			inner, ok = s.next()
		}
		if !ok || s.fault != sound {
			break
		}
		if v.parts--; v.parts < 0 {
			continue // only counted
		}
		f := format.CapturedField{Value: v.of(inner, depth+1)}
		if x.kind == object {
			f.Name = textOf(v.text, key)
		}
		room.stack = append(room.stack, f)
	}
	if s.fault != sound {
		v.to.Leave("damaged argument", "damaged arguments", 1, -1)
	}
	inside := room.stack[from:]
	room.stack = room.stack[:from]
	if x.kind == array {
		return v.to.ListOf(room.list(inside), n)
	}
	return v.to.ObjectOf(room.fields(inside), n)
}

// place returns the place of the call with the names of its arguments.
func (v *values) place() calltrace.Place {
	for i, key := range v.keys {
		if fit.Position(key, i+1) {
			v.keys[i] = ""
		}
	}
	return v.to.Place(v.file, v.fun, v.line, v.keys)
}

// contents is memory for what is inside of the values of one event. The next event uses it again.
type contents struct {
	stack  []format.CapturedField // of the values that are being read
	values []format.Value
	named  []format.CapturedField
}

func (c *contents) reset() { c.stack, c.values, c.named = c.stack[:0], c.values[:0], c.named[:0] }

// list returns the elements of a list.
func (c *contents) list(from []format.CapturedField) []format.Value {
	at := len(c.values)
	if at+len(from) > cap(c.values) {
		// The old memory belongs to the values that are in it.
		c.values, at = make([]format.Value, 0, 2*cap(c.values)+len(from)), 0
	}
	for i := range from {
		c.values = append(c.values, from[i].Value)
	}
	return c.values[at:len(c.values):len(c.values)]
}

// fields returns the fields of an object.
func (c *contents) fields(from []format.CapturedField) []format.CapturedField {
	at := len(c.named)
	if at+len(from) > cap(c.named) {
		c.named, at = make([]format.CapturedField, 0, 2*cap(c.named)+len(from)), 0
	}
	c.named = append(c.named, from...)
	return c.named[at:len(c.named):len(c.named)]
}

// pythonValue returns the value that Python shows as a text.
func pythonValue(text string) format.Value {
	switch text {
	case "True", "False":
		return calltrace.Bool(text == "True")
	case "", "nan", "inf", "-inf", "NaN", "Inf", "infinity":
		return calltrace.Unquoted(text)
	}
	switch c := text[0]; {
	case c == '\'' || c == '"':
		// Without escapes and quotes it is what is between the quotes.
		if n := len(text); n > 1 && text[n-1] == c && strings.IndexByte(text[1:n-1], c) < 0 && strings.IndexByte(text, '\\') < 0 {
			return calltrace.String(text[1 : n-1])
		}
	case c >= '0' && c <= '9' || c == '-':
		return calltrace.Number(text)
	}
	return calltrace.Unquoted(text)
}

// placeKeys are the keys of a file, a line and a function in the arguments of events.
var placeKeys = []struct{ file, line, function string }{
	{"fileName", "lineNumber", "functionName"},
	{"file", "line", "function"},
	{"src_file", "src_line", "src_func"},
	{"source_file", "source_line", "source_function"},
	{"filename", "lineno", "func"},
	{"filename", "line", "function"},
	{"url", "lineNumber", "functionName"},
}

// takePlace makes a place of the arguments that are one.
func (v *values) takePlace() {
	for i := range placeKeys {
		k := &placeKeys[i]
		at, line := slices.Index(v.keys, k.file), -1
		if at < 0 || v.list[at].Kind != format.ValueString {
			continue
		}
		if line = slices.Index(v.keys, k.line); line < 0 {
			continue
		}
		n, ok := fit.Line(&v.list[line])
		if !ok {
			continue
		}
		v.file, v.line = v.list[at].Text, n
		gone := []int{at, line}
		if f := slices.Index(v.keys, k.function); f >= 0 && v.list[f].Kind == format.ValueString {
			v.fun = v.list[f].Text
			gone = append(gone, f)
		}
		slices.Sort(gone)
		for _, at := range slices.Backward(gone) {
			v.keys, v.list = slices.Delete(v.keys, at, at+1), slices.Delete(v.list, at, at+1)
		}
		return
	}
}

// source takes the place from an object, and reports whether it is one.
func (v *values) source(x span) bool {
	in := values{to: v.to, text: v.text, parts: v.parts}
	s := scanner{s: v.text[:x.to], i: int(x.from) + 1}
	for {
		key, ok := s.key()
		if !ok {
			break
		}
		inner := s.value()
		if s.fault != sound || len(in.keys) > 8 {
			return false
		}
		in.add(textOf(v.text, key), inner)
	}
	in.takePlace()
	if s.fault != sound || in.file == "" || len(in.keys) > 0 {
		return false
	}
	v.file, v.line, v.fun = in.file, in.line, in.fun
	return true
}
