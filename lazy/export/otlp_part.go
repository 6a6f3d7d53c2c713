package export

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
)

type otlpPart struct {
	*Clock
	of     *otlp
	out    []byte
	spans  []otlpSpan // that ended, in this order
	runs   []otlpRun
	around []otlpLists // of the calls that began before the part, outermost first: what it adds to them
	stack  []otlpCall  // that began in the run
	places map[int32]string
	spare  [][]byte // memory of heads that have been written
	value  []byte
	text   []byte
}

// otlpRun is what a part has of one thread.
type otlpRun struct {
	thread int32
	spans  int // those of the part up to its end
	around []otlpLists
	stack  []otlpCall
}

// otlpSpan is a span that ended in a part: whole, or the end of one that began before.
type otlpSpan struct {
	whole    bool
	from, to int // its bytes in the part's
	otlpLists
}

type otlpCall struct {
	head []byte // of its span, up to its attributes
	end  int64  // when what is around it ends, or itself if that is known
	otlpLists
}

// otlpLists are elements of lists of a span, with commas between them.
type otlpLists struct {
	events, links   []byte
	nEvents, nLinks int
	events0, links0 int // how many more there were
}

// mostListed bounds each list of a span, as OpenTelemetry's own libraries do.
const mostListed = 128

// add adds what a later part has.
func (l *otlpLists) add(o *otlpLists) {
	l.events, l.links = joined(l.events, o.events), joined(l.links, o.links)
	l.nEvents, l.nLinks = l.nEvents+o.nEvents, l.nLinks+o.nLinks
	l.events0, l.links0 = l.events0+o.events0, l.links0+o.links0
}

func joined(a, b []byte) []byte {
	if len(b) == 0 {
		return a
	}
	return append(separated(a), b...)
}

// separated appends a comma to a list that is not empty.
func separated(list []byte) []byte {
	if len(list) > 0 {
		list = append(list, ',')
	}
	return list
}

// close appends the end of a span whose head b has.
func (l *otlpLists) close(b, end []byte) []byte {
	b = append(b, end...)
	if l.nEvents > 0 {
		b = append(append(append(b, `,"events":[`...), l.events...), ']')
	}
	if l.events0 > 0 {
		b = strconv.AppendInt(append(b, `,"droppedEventsCount":`...), int64(l.events0), 10)
	}
	if l.nLinks > 0 {
		b = append(append(append(b, `,"links":[`...), l.links...), ']')
	}
	if l.links0 > 0 {
		b = strconv.AppendInt(append(b, `,"droppedLinksCount":`...), int64(l.links0), 10)
	}
	return append(b, '}')
}

func (p *otlpPart) clock() *Clock { return p.Clock }

func (p *otlpPart) ends() {
	if n := len(p.runs); n > 0 {
		r := &p.runs[n-1]
		for i := range p.stack {
			p.stack[i].head = slices.Clip(bytes.Clone(p.stack[i].head)) // as many calls may be open as there are
		}
		r.spans, r.around, r.stack = len(p.spans), p.around, p.stack
	}
	p.around, p.stack = nil, nil
}

func (p *otlpPart) Begin(thread int32, _ []lazy.PassFrame) {
	p.ends()
	p.runs = append(p.runs, otlpRun{thread: thread})
	p.Clock.Begin(thread)
}

func (p *otlpPart) Around(x *lazy.PassPoint) {
	p.Clock.Around(x)
	if x.Class == format.ClassCall {
		p.around = append(p.around, otlpLists{})
	}
}

func (p *otlpPart) Enter(x *lazy.PassPoint) {
	s := p.Clock.Enter(x)
	if x.Class == format.ClassCall {
		p.stack = append(p.stack, otlpCall{head: p.head(x, s), end: s.End})
	}
}

// head returns the beginning of the span of a call.
func (p *otlpPart) head(x *lazy.PassPoint, s Span) []byte {
	o := p.of
	var b []byte
	if n := len(p.spare); n > 0 {
		b, p.spare = p.spare[n-1], p.spare[:n-1]
	}
	b = append(append(b, `{"traceId":"`...), o.trace...)
	b = o.spanID(append(b, `","spanId":`...), x.Thread, x.Event)
	x.Frames(func(f lazy.PassFrame) bool {
		if f.Class != format.ClassCall {
			return true
		}
		b = o.spanID(append(b, `,"parentSpanId":`...), x.Thread, f.Event)
		return false
	})
	b = append(b, `,"name":`...)
	i, known := o.methods.of(x.Ref)
	if known {
		b = format.AppendJSONString(b, o.methods.all[i].name)
	} else {
		b = append(b, `"(unknown method)"`...)
	}
	b = o.time(append(b, `,"kind":1,"startTimeUnixNano":`...), s.Begin)
	b = numberAttribute(append(b, `,"attributes":[`...), "thread.id", int64(x.Thread)+1)
	b = textAttribute(append(b, ','), "thread.name", p.thread(x))
	if !s.Known {
		b = append(b, `,{"key":"tracex.estimated","value":{"boolValue":true}}`...)
	}
	if known {
		m := o.methods.all[i]
		b = textAttribute(append(b, ','), "code.function.name", m.code)
		if m.file != "" {
			b = textAttribute(append(b, ','), "code.file.path", m.file)
			b = numberAttribute(append(b, ','), "code.line.number", int64(m.line))
		}
	}
	if from := p.place(x); from != "" {
		b = textAttribute(append(b, ','), "tracex.called.from", from)
	}
	if o.j.ValuesShown() {
		b = p.arguments(b, x)
	}
	return b
}

func (p *otlpPart) thread(x *lazy.PassPoint) string {
	if t := x.Context().Thread(x.Thread); t != nil && t.Name != "" {
		return t.Name
	}
	return "Thread " + strconv.FormatInt(int64(x.Thread)+1, 10)
}

// place returns the place of a call; "" if it is not known.
func (p *otlpPart) place(x *lazy.PassPoint) string {
	text, ok := p.places[x.Location]
	if ok || x.Location < 0 {
		return text
	}
	if file, line, known := x.Context().FileLine(x.Location); known {
		text = file + ":" + strconv.Itoa(line)
	}
	if len(p.places) < mostNames {
		p.places[x.Location] = text
	}
	return text
}

func (p *otlpPart) arguments(b []byte, x *lazy.PassPoint) []byte {
	point, err := x.Point()
	if err != nil {
		return b // the pass ends with the error
	}
	if point.Target.Kind != format.ValueNull {
		b = p.attribute(append(b, ','), x, "tracex.receiver", &point.Target)
	}
	for i := range point.Args {
		b = p.attribute(append(b, ','), x, "tracex."+argName(i), &point.Args[i])
	}
	return b
}

func (p *otlpPart) Leaf(x *lazy.PassPoint) {
	at := p.Clock.Leaf(x)
	var l *otlpLists
	switch n := len(p.stack); {
	case n > 0:
		l = &p.stack[n-1].otlpLists
	case len(p.around) > 0:
		l = &p.around[len(p.around)-1]
	}
	if l == nil || x.Class != format.ClassThrow && x.Class != format.ClassSnapshot {
		return
	}
	point, err := x.Point()
	if err != nil {
		return
	}
	switch {
	case x.Class == format.ClassThrow && l.nEvents == mostListed:
		l.events0++
	case x.Class == format.ClassThrow:
		l.nEvents++
		l.events = p.thrown(separated(l.events), x, point, at)
	case point.Snapshot == nil || point.Snapshot.TraceID == nil || !isTraceID(*point.Snapshot.TraceID):
	case l.nLinks == mostListed:
		l.links0++
	default:
		l.nLinks++
		l.links = p.link(separated(l.links), *point.Snapshot.TraceID)
	}
}

// thrown appends the event of something that was thrown.
func (p *otlpPart) thrown(b []byte, x *lazy.PassPoint, point *format.Point, at int64) []byte {
	b = append(p.of.time(append(b, `{"timeUnixNano":`...), at), `,"name":"exception","attributes":[`...)
	class := query.ThrownClass(x.Context(), &point.Value)
	if class != "" && (!point.Value.Unquoted() || p.of.j.ValuesShown()) { // the text of a panic of Go is a value
		b = textAttribute(b, "exception.type", class)
	}
	return append(b, "]}"...)
}

// link appends a link to the trace that the program itself was part of. Which span is not known.
func (p *otlpPart) link(b []byte, trace string) []byte {
	b = format.AppendJSONString(append(b, `{"traceId":`...), trace)
	return append(b, `,"spanId":"","attributes":[{"key":"tracex.source","value":{"stringValue":"live breakpoint"}}]}`...)
}

func (p *otlpPart) Exit(x *lazy.PassPoint) {
	if x.State != lazy.StateWhole {
		return // it stays open to the end of its thread: nothing follows there
	}
	s := p.Clock.Exit(x)
	if x.Class != format.ClassCall {
		return
	}
	f, err := x.Footer()
	if err != nil {
		return // the pass ends with the error
	}
	from := len(p.out)
	if n := len(p.stack); n > 0 {
		c := &p.stack[n-1]
		p.out = append(p.out, c.head...)
		p.value = p.end(p.value[:0], x, s, f)
		p.out = c.close(p.out, p.value)
		p.spare = append(p.spare, c.head[:0])
		p.stack = p.stack[:n-1]
		p.spans = append(p.spans, otlpSpan{whole: true, from: from, to: len(p.out)})
		return
	}
	p.out = p.end(p.out, x, s, f)
	last := len(p.around) - 1
	p.spans = append(p.spans, otlpSpan{from: from, to: len(p.out), otlpLists: p.around[last]})
	p.around = p.around[:last]
}

// end appends the part of a span that is known when it ends.
func (p *otlpPart) end(b []byte, x *lazy.PassPoint, s Span, f *format.Footer) []byte {
	var threw *string
	switch {
	case f == nil:
	case f.Threw || f.Exception != "":
		threw = &f.Exception
	case p.of.j.ValuesShown() && f.Result.Kind != format.ValueVoid:
		b = p.attribute(append(b, ','), x, "tracex.result", &f.Result)
	}
	return p.of.ended(b, s.End, false, threw)
}

// attribute appends an attribute with a value of the trace.
func (p *otlpPart) attribute(b []byte, x *lazy.PassPoint, key string, v *format.Value) []byte {
	switch ScalarOf(v) {
	case Integer:
		return numberAttribute(b, key, v.Bits)
	case Real:
		b = append(attributeKey(b, key), `{"doubleValue":`...)
		return append(strconv.AppendFloat(b, v.Float(), 'g', -1, 64), "}}"...)
	case Truth:
		b = append(attributeKey(b, key), `{"boolValue":`...)
		return append(strconv.AppendBool(b, v.Bits&1 != 0), "}}"...)
	}
	p.text = AppendText(p.text[:0], x.Context(), v)
	if len(p.text) > mostAttribute {
		p.text = append(cutText(p.text, mostAttribute), "…"...)
	}
	return append(format.AppendJSONString(append(attributeKey(b, key), `{"stringValue":`...), p.text), "}}"...)
}

// isTraceID reports whether a text is the id of a trace: 32 lower-case hex digits that are not all zero.
func isTraceID(s string) bool {
	zero := true
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
		zero = zero && c == '0'
	}
	return len(s) == 32 && !zero
}

// mostAttribute bounds the text of an attribute, in bytes.
const mostAttribute = 4096

// cutText returns the whole characters of the first n bytes of a longer text.
func cutText(b []byte, n int) []byte {
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}

func attributeKey(b []byte, key string) []byte {
	return append(format.AppendJSONString(append(b, `{"key":`...), key), `,"value":`...)
}

func textAttribute(b []byte, key, text string) []byte {
	return append(format.AppendJSONString(append(attributeKey(b, key), `{"stringValue":`...), text), "}}"...)
}

func numberAttribute(b []byte, key string, n int64) []byte {
	return append(strconv.AppendInt(append(attributeKey(b, key), `{"intValue":"`...), n, 10), `"}}`...)
}
