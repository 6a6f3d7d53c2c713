package format

import (
	"strconv"
)

// JSON encodes trace points as members of JSON objects: the parts of a line of
// `tracex print --json` that describe the point rather than its place in the trace. It caches
// its encodings of methods and code locations, since a few of them occur in many points. It
// must not be used by two goroutines at once, nor concurrently with Context.Add.
//
// Members that a point does not have are omitted. Names are those of the recorder, in full. A
// name that the Context does not know is null, with its id in another member:
// "method":null,"method_id":12.
type JSON struct {
	c         *Context
	methods   map[int32][]byte
	locations map[int32][]byte
	names     map[int32][]byte // of arguments, by the access path that names them
	results   map[int32]resultNames
}

// resultNames are the names of a method's results, as a member.
type resultNames struct {
	of     int // how many results there are; 0 if they have no names
	member []byte
}

// maxKept bounds the texts kept of each kind: hostile traces may have millions, and long ones.
const maxKept = 1 << 14

// JSON returns a JSON that uses the reference objects of c.
func (c *Context) JSON() *JSON {
	return &JSON{c: c, methods: make(map[int32][]byte), locations: make(map[int32][]byte), names: make(map[int32][]byte),
		results: make(map[int32]resultNames)}
}

// diffWords are the names of diff statuses in JSON.
var diffWords = [...]string{"", "unchanged", "removed", "added", "edited-old", "edited-new"}

// AppendPoint appends the members of a point, each with a comma before it. f is its footer, or
// nil if unknown. The order of members is fixed.
func (j *JSON) AppendPoint(dst []byte, p *Point, f *Footer) []byte {
	if i := int(p.Diff) + 1; i > 0 && i < len(diffWords) {
		dst = append(append(append(dst, `,"diff":"`...), diffWords[i]...), '"')
	}
	switch p.Class {
	case ClassCall:
		dst = j.call(dst, p, f)
	case ClassFieldRead, ClassFieldWrite:
		dst = j.fieldAccess(dst, p)
	case ClassVariableRead, ClassVariableWrite:
		if e := j.c.variables.get(p.Ref); e != nil {
			dst = AppendJSONString(append(dst, `,"variable":`...), e.Name)
		} else {
			dst = appendJSONInt(append(dst, `,"variable":null`...), "variable_id", int64(p.Ref))
		}
		dst = j.value(append(dst, `,"value":`...), &p.Value)
	case ClassArrayRead, ClassArrayWrite:
		dst = j.value(append(dst, `,"owner":`...), &p.Target)
		dst = appendJSONInt(dst, "element", int64(p.Number))
		dst = j.value(append(dst, `,"value":`...), &p.Value)
	case ClassLoop:
		dst = appendJSONInt(dst, "loop", int64(p.Ref))
		if f != nil {
			dst = appendJSONInt(dst, "iterations", int64(f.Iterations))
		}
	case ClassIteration:
		dst = appendJSONInt(dst, "loop", int64(p.Ref))
		dst = appendJSONInt(dst, "iteration", int64(p.Number)+1) // as in its text
	case ClassThrow, ClassCatch:
		dst = j.value(append(dst, `,"exception":`...), &p.Value)
	case ClassSnapshot:
		dst = j.snapshot(dst, p)
	}
	return j.location(dst, p.Location)
}

func (j *JSON) call(dst []byte, p *Point, f *Footer) []byte {
	dst = j.method(dst, p.Ref)
	if p.Target.Kind != ValueNull {
		dst = j.value(append(dst, `,"receiver":`...), &p.Target)
	}
	var names []int32
	if l := j.c.locations.get(p.Location); l != nil && p.Location >= 0 && len(l.ArgNames) == len(p.Args) {
		names = l.ArgNames
	}
	parameters := parametersOf(j.c, p)
	dst = append(dst, `,"args":[`...)
	for i := range p.Args {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '{')
		if names != nil {
			dst = j.argName(dst, names[i])
		}
		if parameters != nil {
			if name := parameters.named(j.c, ActiveParameter, i); name != "" {
				dst = append(AppendJSONString(append(dst, `"parameter":`...), name), ',')
			}
		}
		dst = j.members(dst, &p.Args[i])
	}
	return j.outcome(append(dst, ']'), p, f)
}

// argName appends the name of an argument in the source, followed by a comma, or nothing if the
// name is unknown.
func (j *JSON) argName(dst []byte, path int32) []byte {
	if b, ok := j.names[path]; ok {
		return append(dst, b...)
	}
	at := len(dst)
	if j.c.paths.get(path) == nil {
		return dst
	}
	if text := j.c.AppendPathText(nil, path); len(text) > 0 {
		dst = append(AppendJSONString(append(dst, `"name":`...), text), ',')
	}
	keep(j.names, path, dst[at:])
	return dst
}

// outcome appends how a call ended.
func (j *JSON) outcome(dst []byte, p *Point, f *Footer) []byte {
	switch {
	case f == nil:
	case f.threw():
		dst = AppendJSONString(append(dst, `,"exception":{"type":"object","class":`...), f.Exception)
		dst = append(dst, '}')
	default:
		dst = j.value(append(dst, `,"result":`...), &f.Result)
		if names := j.resultNames(p.Ref); names.of > 0 && names.of == max(1, len(f.Result.Results(j.c))) && f.Result.Kind != ValueVoid {
			dst = append(dst, names.member...)
		}
	}
	if p.Flags&FlagUnderWay != 0 {
		dst = append(dst, `,"under_way":true`...)
	}
	if j.c.SuperCall(p) {
		dst = append(dst, `,"super":true`...)
	}
	return dst
}

// resultNames returns the names of a method's results. That of an error which has none is the one that filters have for it.
func (j *JSON) resultNames(method int32) resultNames {
	known, ok := j.results[method]
	if ok {
		return known
	}
	names, some := ResultNames(j.c, method), false
	b := []byte(`,"result_names":[`)
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		if name == ErrorResult {
			name = ErrorName
		}
		b = AppendJSONString(b, name)
		some = some || name != ""
	}
	if some {
		known = resultNames{len(names), append(b, ']')}
	}
	if len(j.results) < maxKept && len(known.member) <= maxKept {
		j.results[method] = known
	}
	return known
}

// method appends the class and the name of a method.
func (j *JSON) method(dst []byte, id int32) []byte {
	if b, ok := j.methods[id]; ok {
		return append(dst, b...)
	}
	at := len(dst)
	m := j.c.methods.get(id)
	if m == nil {
		return appendJSONInt(append(dst, `,"class":null,"method":null`...), "method_id", int64(id))
	}
	dst = j.class(append(dst, ','), m.ClassID)
	dst = AppendJSONString(append(dst, `,"method":`...), m.Name)
	if j.c.classes.get(m.ClassID) != nil {
		keep(j.methods, id, dst[at:])
	}
	return dst
}

// class appends the full name of a class, without a comma before it.
func (j *JSON) class(dst []byte, id int32) []byte {
	if e := j.c.classes.get(id); e != nil {
		return AppendJSONString(append(dst, `"class":`...), e.Name)
	}
	return appendJSONInt(append(dst, `"class":null`...), "class_id", int64(id))
}

func (j *JSON) fieldAccess(dst []byte, p *Point) []byte {
	if e := j.c.fields.get(p.Ref); e != nil {
		dst = j.class(append(dst, ','), e.ClassID)
		dst = AppendJSONString(append(dst, `,"field":`...), e.Name)
	} else {
		dst = appendJSONInt(append(dst, `,"class":null,"field":null`...), "field_id", int64(p.Ref))
	}
	if p.Target.Kind != ValueNull {
		dst = j.value(append(dst, `,"owner":`...), &p.Target)
	}
	return j.value(append(dst, `,"value":`...), &p.Value)
}

func (j *JSON) snapshot(dst []byte, p *Point) []byte {
	s := p.Snapshot
	if s == nil {
		return dst
	}
	dst = append(appendUUID(append(dst, `,"breakpoint":"`...), s.UUID), '"')
	dst = appendJSONInt(dst, "time", s.Time)
	if s.TraceID != nil {
		dst = AppendJSONString(append(dst, `,"trace_id":`...), *s.TraceID)
	}
	dst = append(dst, `,"stack":[`...)
	for i, id := range s.Stack {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, j.locationObject(id)...)
	}
	names := j.c.LocalNames(p)
	dst = append(dst, `],"locals":[`...)
	for i := range s.Locals {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '{')
		if names != nil {
			dst = append(AppendJSONString(append(dst, `"name":`...), names[i]), ',')
		}
		dst = j.members(dst, &s.Locals[i])
	}
	dst = append(dst, ']')
	if len(s.Watches) > 0 {
		dst = j.values(dst, "watches", s.Watches)
	}
	return dst
}

// location appends the code location of a point, as far as it is known.
func (j *JSON) location(dst []byte, id int32) []byte {
	if b := j.locationObject(id); len(b) > len("{}") {
		return append(append(dst, `,"place":`...), b...)
	}
	return dst
}

// locationObject returns a code location as an object, which is empty if nothing is known about
// it. Callers must not change it.
func (j *JSON) locationObject(id int32) []byte {
	if b, ok := j.locations[id]; ok {
		return b
	}
	b := []byte{'{'}
	comma := func() {
		if len(b) > 1 {
			b = append(b, ',')
		}
	}
	member := func(name, text string) {
		if text != "" {
			comma()
			b = AppendJSONString(append(append(append(b, '"'), name...), `":`...), text)
		}
	}
	l := j.c.locations.get(id)
	if l != nil && id >= 0 {
		file, _ := j.c.Text(l.File)
		member("file", file)
		if l.Line > 0 {
			comma()
			b = strconv.AppendInt(append(b, `"line":`...), int64(l.Line), 10)
		}
		member("class", PlaceClass(j.c, &l.CodeLocation))
		method, _ := j.c.Text(l.Method)
		member("method", method)
		if path := j.c.paths.get(l.Path); path != nil && l.Path >= 0 {
			comma()
			b = AppendJSONString(append(b, `"path":`...), j.c.AppendPathText(nil, l.Path))
		}
	}
	b = append(b, '}')
	if l != nil {
		keep(j.locations, id, b)
	}
	return b
}

// keep stores a copy of b.
func keep(in map[int32][]byte, id int32, b []byte) {
	if len(in) < maxKept {
		in[id] = append([]byte(nil), b...)
	}
}
