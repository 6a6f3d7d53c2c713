package spans

import (
	"cmp"
	"encoding/binary"
	"slices"

	"tracex/format"
)

// Records wait in a spool until all spans are known. Each has the time that it is sorted by, and
//
//	kind 1 byte, trace 16, id 8, then of
//	span    parent 8, process, duration, flags 1, name, threw, file, function, line, class, thread, receiver,
//	        result, arguments
//	event   name, flags 1, the class, message and stack of an exception, arguments
//	arguments   number, then for each its name and value
//
// The duration d of a span that ends is d, and that of one that lasts at least so long is -1-d. Texts have their length before them. What is not of fixed size is a varint. Only this package reads
// them: they are never damaged.

// On temporary files only.
const (
	spanRecord  = 1
	eventRecord = 2

	idSize     = 8
	recordHead = 1 + len(TraceID{}) + idSize
	spanHead   = recordHead + idSize

	entry       = 1 // flags of a span
	unfinished  = 2
	hasReceiver = 4
	hasResult   = 8

	thrown = 1 // flags of an event
	caught = 2
)

// maxRecord bounds the arguments of a record, in bytes, and maxArgs their number.
const (
	maxRecord = 1 << 20
	maxArgs   = 512
)

// writer appends a record.
type writer struct {
	b    []byte
	left int64 // arguments left out
}

func (w *writer) begin(kind byte, trace *TraceID, id SpanID) {
	w.b = append(w.b[:0], kind)
	w.b = append(w.b, trace[:]...)
	w.fixed(uint64(id))
}

func (w *writer) fixed(n uint64) { w.b = binary.BigEndian.AppendUint64(w.b, n) }

func (w *writer) number(n int64) { w.b = binary.AppendVarint(w.b, n) }

func (w *writer) byte(n byte) { w.b = append(w.b, n) }

func (w *writer) text(s string) {
	w.number(int64(len(s)))
	w.b = append(w.b, s...)
}

// span writes a span. Unless it ends, it lasts at least as long as its duration.
func (w *writer) span(s *Span, ends bool) {
	w.begin(spanRecord, &s.Trace, s.ID)
	w.fixed(uint64(s.Parent))
	w.number(int64(s.Process))
	if ends {
		w.number(s.Duration)
	} else {
		w.number(-1 - s.Duration)
	}
	flags := byte(0)
	if s.Entry {
		flags |= entry
	}
	if s.Unfinished {
		flags |= unfinished
	}
	if s.Receiver != nil {
		flags |= hasReceiver
	}
	if s.Result != nil {
		flags |= hasResult
	}
	w.byte(flags)
	w.text(s.Name)
	w.text(s.Threw)
	w.text(s.File)
	w.text(s.Function)
	w.number(int64(s.Line))
	w.text(s.Class)
	w.text(s.Thread)
	if s.Receiver != nil {
		w.value(s.Receiver)
	}
	if s.Result != nil {
		w.value(s.Result)
	}
	w.args(s.Args)
}

func (w *writer) event(s *Span, e *Event) {
	w.begin(eventRecord, &s.Trace, s.ID)
	w.text(e.Name)
	if e.Threw == nil {
		w.byte(0)
	} else {
		flags := byte(thrown)
		if e.Threw.Caught {
			flags |= caught
		}
		w.byte(flags)
		w.text(e.Threw.Class)
		w.text(e.Threw.Message)
		w.text(e.Threw.Stack)
	}
	w.args(e.Args)
}

func (w *writer) args(list []Arg) {
	n := min(len(list), maxArgs)
	size := 0
	for i := range list[:n] {
		if size += sizeOf(&list[i].Value) + len(list[i].Name); size > maxRecord {
			n = i
			break
		}
	}
	w.left += int64(len(list) - n)
	w.number(int64(n))
	for i := range list[:n] {
		w.text(list[i].Name)
		w.value(&list[i].Value)
	}
}

// sizeOf returns about how many bytes a value takes.
func sizeOf(v *format.Value) int {
	size := 16 + len(v.Text)
	if c := v.Captured; c != nil {
		for i := range c.Elements {
			size += sizeOf(&c.Elements[i])
		}
		for i := range c.Fields {
			size += len(c.Fields[i].Name) + sizeOf(&c.Fields[i].Value)
		}
	}
	return size
}

func (w *writer) value(v *format.Value) {
	w.byte(byte(v.Kind))
	w.number(int64(v.ClassID))
	w.number(v.Bits)
	w.text(v.Text)
	if v.Captured == nil {
		w.number(-1)
		return
	}
	w.number(int64(len(v.Captured.Elements)))
	for i := range v.Captured.Elements {
		w.value(&v.Captured.Elements[i])
	}
	w.number(int64(len(v.Captured.Fields)))
	for i := range v.Captured.Fields {
		w.text(v.Captured.Fields[i].Name)
		w.value(&v.Captured.Fields[i].Value)
	}
}

// reader reads a record.
type reader struct{ b []byte }

func (r *reader) fixed() uint64 {
	n := binary.BigEndian.Uint64(r.b)
	r.b = r.b[idSize:]
	return n
}

func (r *reader) number() int64 {
	n, size := binary.Varint(r.b)
	r.b = r.b[size:]
	return n
}

func (r *reader) byte() byte {
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) text() string {
	n := r.number()
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

// span reads a record of a span into s.
func (r *reader) span(s *Span) {
	s.Reset()
	r.byte()
	r.b = r.b[copy(s.Trace[:], r.b):]
	s.ID, s.Parent = SpanID(r.fixed()), SpanID(r.fixed())
	s.Process = Process(r.number())
	s.Duration = r.number()
	flags := r.byte()
	s.Entry, s.Unfinished = flags&entry != 0, flags&unfinished != 0
	s.Name, s.Threw, s.File, s.Function = r.text(), r.text(), r.text(), r.text()
	s.Line = int(r.number())
	s.Class, s.Thread = r.text(), r.text()
	s.Receiver, s.Result = r.optional(flags&hasReceiver), r.optional(flags&hasResult)
	s.Args = r.args(s.Args)
}

// event reads a record of an event into e.
func (r *reader) event(e *Event) {
	*e = Event{Args: e.Args[:0]}
	r.b = r.b[recordHead:]
	e.Name = r.text()
	if flags := r.byte(); flags != 0 {
		e.Threw = &Exception{Class: r.text(), Message: r.text(), Stack: r.text(), Caught: flags&caught != 0}
	}
	e.Args = r.args(e.Args)
}

func (r *reader) args(list []Arg) []Arg {
	for range r.number() {
		name := r.text()
		list = append(list, Arg{name, r.value()})
	}
	return list
}

func (r *reader) optional(flag byte) *format.Value {
	if flag == 0 {
		return nil
	}
	v := r.value()
	return &v
}

func (r *reader) value() format.Value {
	v := format.Value{Kind: format.ValueKind(r.byte()), ClassID: int32(r.number()), Bits: r.number(), Text: r.text()}
	n := r.number()
	if n < 0 {
		return v
	}
	v.Captured = &format.Captured{}
	for range n {
		v.Captured.Elements = append(v.Captured.Elements, r.value())
	}
	for range r.number() {
		name := r.text()
		v.Captured.Fields = append(v.Captured.Fields, format.CapturedField{Name: name, Value: r.value()})
	}
	return v
}

// traceOf, idOf and parentOf return what a record begins with.
func traceOf(record []byte) (id TraceID) {
	copy(id[:], record[1:])
	return id
}

func idOf(record []byte) SpanID {
	return SpanID(binary.BigEndian.Uint64(record[1+len(TraceID{}):]))
}

func parentOf(record []byte) SpanID { return SpanID(binary.BigEndian.Uint64(record[recordHead:])) }

// durationOf returns how long a span lasts, at least if it has no end.
func durationOf(record []byte) (d int64, ends bool) {
	r := reader{record[spanHead:]}
	r.number() // of the process
	if d = r.number(); d < 0 {
		return -1 - d, false
	}
	return d, true
}

// group is the records that have the same time.
type group struct {
	time   int64
	spans  []member
	events [][]byte
	later  [][]byte // of events, those of spans of the group
	size   int      // bytes
}

// member is a span of a group.
type member struct {
	record   []byte
	duration int64
	lasting  bool // its end has no time
	depth    int  // spans of the group around it
}

// largestGroup bounds a group, in bytes. A larger one is written in parts: then a span that has the
// times of its parent, and was recorded before it, may not be found to be inside it.
const largestGroup = 4 << 20

// full reports whether the group must be written before a record of a time is added.
func (g *group) full(time int64) bool {
	return g.size > 0 && (time != g.time || g.size > largestGroup)
}

// add adds a record, which is valid until the next one is read. duration is that of a span.
func (g *group) add(time int64, record []byte, duration int64) {
	g.time = time
	g.size += len(record) + 1
	record = slices.Clone(record)
	if record[0] == eventRecord {
		g.events = append(g.events, record)
		return
	}
	_, ends := durationOf(record)
	g.spans = append(g.spans, member{record: record, duration: duration, lasting: !ends})
}

func (g *group) clear() {
	clear(g.spans)
	clear(g.events)
	clear(g.later)
	g.spans, g.events, g.later, g.size = g.spans[:0], g.events[:0], g.later[:0], 0
}

// sort puts each span after those that it may be inside: the longer ones, and of equally long ones
// its parents. Of one that was recorded twice, first without its end, the one with an end comes first.
func (g *group) sort() {
	if len(g.spans) < 2 {
		return
	}
	type key struct {
		trace    TraceID
		id       SpanID
		duration int64
	}
	index := make(map[key]int, len(g.spans))
	for i := range g.spans {
		s := &g.spans[i]
		k := key{traceOf(s.record), idOf(s.record), s.duration}
		if j, ok := index[k]; ok && g.spans[j].lasting && !s.lasting {
			*s, g.spans[j] = g.spans[j], *s
		}
		index[k] = i
	}
	for i := range g.spans {
		s := &g.spans[i]
		// The parents of hostile spans may be a circle, or a very long chain.
		for at := i; s.depth < 100; s.depth++ {
			o := &g.spans[at]
			parent, ok := index[key{traceOf(o.record), parentOf(o.record), o.duration}]
			if !ok || parent == i {
				break
			}
			at = parent
		}
	}
	slices.SortStableFunc(g.spans, func(a, b member) int {
		return cmp.Or(cmp.Compare(b.duration, a.duration), cmp.Compare(a.depth, b.depth))
	})
}
