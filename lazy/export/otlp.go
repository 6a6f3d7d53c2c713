package export

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"tracex/format"
	"tracex/lazy"
)

// otlpFormat writes JSON lines as the file exporter of the OpenTelemetry collector does: each is a
// TracesData of OTLP, with the encoding of its specification: ids in lower-case hex, 64-bit integers as strings. A
// call is a span, of which the spans of the calls in it are children; a thread has as many roots as
// calls that are in no other. What is thrown in a call is an event of its span.
//
// The places of a span are those of its method, if they are known: code.line.number is the first line of it that is
// known. Spans of calls that never ended have tracex.unfinished.
var otlpFormat = Format{
	Name: "otlp", Suffix: ".otlp.jsonl", What: "spans of OpenTelemetry, as JSON lines",
	Target: "OpenTelemetry", Text: true, Timed: true,
	make: func(j *Job, out *output) target { return newOTLP(j, out) },
}

// mostSpans is how many spans are written unless the job has Force: services that take them are slow with more.
const mostSpans = 100_000

// lineSpans is how many spans a line has.
const lineSpans = 500

// errUndated is the error of a trace that cannot be spans.
var errUndated = errors.New("the trace has no times, and spans of OpenTelemetry need them")

// TooManyError is the error that a target could not handle as many of something.
type TooManyError struct {
	What         string // spans
	Count, Limit int64  // Count is estimated, or just more than Limit if it cannot be
}

func (e *TooManyError) Error() string {
	about := fmt.Sprintf("more than %d", e.Limit)
	if e.Count > e.Limit+e.Limit/10 {
		about = fmt.Sprintf("about %d", e.Count)
	}
	return fmt.Sprintf("this would be %s %s, and what takes them is slow with more than %d", about, e.What, e.Limit)
}

type otlp struct {
	j       *Job
	out     *output
	methods *methods
	most    int64
	first   int64  // when the recording began, in nanoseconds since 1970
	trace   string // its id
	head    []byte // of a line
	spans   int64  // written
	line    int    // spans of the current line
	thread  int32
	stack   []otlpCall // that are open
	scratch []byte
	free    buffers // of parts

	done, total int64
}

func newOTLP(j *Job, out *output) *otlp {
	id := j.ID()
	if id == (lazy.Identity{}) {
		id[0] = 1 // an id must not be zero
	}
	o := &otlp{j: j, out: out, methods: methodsOf(j.R), most: mostSpans, trace: hex.EncodeToString(id[:])}
	if !j.Start.IsZero() {
		o.first = j.Start.UnixNano()
	}
	b := textAttribute([]byte(`{"resourceSpans":[{"resource":{"attributes":[`), "service.name", cmp.Or(j.Title, "tracex"))
	b = format.AppendJSONString(append(b, `]},"scopeSpans":[{"scope":{"name":`...), j.program())
	o.head = append(b, "},\"spans\":["...)
	return o
}

func (o *otlp) start() error {
	if !o.j.Timed {
		return errUndated
	}
	return nil
}

func (o *otlp) Reset() {
	o.out.restart()
	o.spans, o.line, o.stack = 0, 0, o.stack[:0]
}

func (o *otlp) progress(done, total int64) { o.done, o.total = done, total }

func (o *otlp) Visitor() lazy.Visitor {
	return &otlpPart{Clock: o.j.Clock(), of: o, out: o.free.get(), places: make(map[int32]string)}
}

func (o *otlp) Merge(v lazy.Visitor) error {
	p := v.(*otlpPart)
	p.ends()
	from := 0
	for i := range p.runs {
		r := &p.runs[i]
		if o.thread != r.thread {
			o.endThread()
			o.thread = r.thread
		}
		for _, s := range p.spans[from:r.spans] {
			o.span(p, s)
		}
		from = r.spans
		for i := range r.around { // of the calls that began before, those that have not ended
			o.stack[i].add(&r.around[i])
		}
		o.stack = append(o.stack, r.stack...)
	}
	o.free.put(p.out)
	if o.out.err == nil && o.spans+int64(len(o.stack)) > o.most && !o.j.Force {
		return o.tooMany()
	}
	return o.out.err
}

func (o *otlp) tooMany() error {
	e := &TooManyError{What: "spans", Count: o.spans + int64(len(o.stack)), Limit: o.most}
	if o.done*sure >= o.total && o.done > 0 {
		e.Count = int64(float64(e.Count) * float64(o.total) / float64(o.done))
	}
	return e
}

// span writes a span that a part has completed.
func (o *otlp) span(p *otlpPart, s otlpSpan) {
	if s.whole {
		o.write(p.out[s.from:s.to])
		return
	}
	c := &o.stack[len(o.stack)-1]
	c.add(&s.otlpLists)
	o.scratch = c.close(append(o.scratch[:0], c.head...), p.out[s.from:s.to])
	o.stack = o.stack[:len(o.stack)-1]
	o.write(o.scratch)
}

func (o *otlp) write(span []byte) {
	if o.line == 0 {
		o.out.write(o.head)
	} else {
		o.out.write([]byte{','})
	}
	o.out.write(span)
	o.spans++
	if o.line++; o.line == lineSpans {
		o.endLine()
	}
}

func (o *otlp) endLine() {
	if o.line > 0 {
		o.out.write([]byte("]}]}]}\n"))
	}
	o.line = 0
}

// endThread ends the calls that are open: they never ended, or go on after the scope.
func (o *otlp) endThread() {
	for i := len(o.stack) - 1; i >= 0; i-- {
		c := &o.stack[i]
		b := append(o.scratch[:0], c.head...)
		o.scratch = c.close(b, o.ended(nil, c.end, true, nil))
		o.write(o.scratch)
	}
	o.stack = o.stack[:0]
}

func (o *otlp) finish() error {
	o.endThread()
	o.endLine()
	return o.out.err
}

// ended appends the part of a span that is known when it ends: the last attributes, and members after them.
func (o *otlp) ended(b []byte, end int64, unfinished bool, threw *string) []byte {
	if unfinished {
		b = append(b, `,{"key":"tracex.unfinished","value":{"boolValue":true}}`...)
	}
	if threw != nil && *threw != "" {
		b = textAttribute(append(b, ','), "exception.type", *threw)
	}
	b = o.time(append(b, `],"endTimeUnixNano":`...), end)
	if threw != nil {
		b = append(b, `,"status":{"code":2`...)
		if *threw != "" {
			b = format.AppendJSONString(append(b, `,"message":`...), *threw)
		}
		b = append(b, '}')
	}
	return b
}

func (o *otlp) time(b []byte, ns int64) []byte {
	return append(strconv.AppendInt(append(b, '"'), o.first+ns, 10), '"')
}

// spanID appends the id of the span of an event. Those of a trace differ, those of traces very likely.
func (o *otlp) spanID(b []byte, thread, event int32) []byte {
	id := o.j.ID()
	n := binary.BigEndian.Uint64(id[:]) + (uint64(uint32(thread))<<32 | uint64(uint32(event)))
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9 // the mixing function of SplitMix64 (Steele, Lea and Flood): one to one
	n = (n ^ n>>27) * 0x94d049bb133111eb
	if n ^= n >> 31; n == 0 {
		n = 1
	}
	b = append(b, '"')
	b = hex.AppendEncode(b, binary.BigEndian.AppendUint64(nil, n))
	return append(b, '"')
}
