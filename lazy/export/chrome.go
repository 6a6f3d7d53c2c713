package export

import (
	"strconv"

	"tracex/format"
	"tracex/lazy"
)

// chromeFormat is the JSON of chrome://tracing, in its object form: a complete event ("X") for each container,
// with its arguments and its result, an instant ("i") for other points. In a trace without times, where the end of
// a container is only known there, "B" and "E", both with its name: speedscope pairs them by it. Times are
// microseconds with three decimals.
var chromeFormat = Format{
	Name: "chrome", Suffix: ".json", What: "Chrome's JSON, for chrome://tracing and older tools",
	Target: "a browser", Limit: 512 << 20, Text: true, Axis: true,
	make: func(j *Job, out *output) target { return newStream(j, out, &chrome{j: j}) },
}

type chrome struct{ j *Job }

func (f *chrome) encoder() encoder { return &chromeEncoder{j: f.j, names: newJSONNames()} }

func (f *chrome) head(dst []byte) []byte {
	dst = append(dst, `{"displayTimeUnit":"ns","otherData":{"title":`...)
	dst = format.AppendJSONString(dst, f.j.Title)
	if f.j.Timed {
		dst = append(f.j.Start.UTC().AppendFormat(append(dst, `,"begun":"`...), "2006-01-02T15:04:05.999999999Z07:00"), '"')
	}
	dst = append(dst, "},\"traceEvents\":[\n"...)
	dst = append(dst, `{"ph":"M","pid":1,"name":"process_name","args":{"name":`...)
	return append(format.AppendJSONString(dst, f.j.Title), "}}"...)
}

func (f *chrome) thread(dst []byte, thread int32) []byte {
	dst = append(dst, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":"...)
	dst = strconv.AppendInt(dst, int64(thread)+1, 10)
	dst = append(dst, `,"name":"thread_name","args":{"name":`...)
	return append(format.AppendJSONString(dst, f.j.ThreadName(thread)), "}}"...)
}

// threadEnd ends what the encoder has left open, in a trace without times.
func (f *chrome) threadEnd(dst []byte, thread int32, open []Span, last int64) []byte {
	if f.j.Timed {
		return dst
	}
	for i := len(open) - 1; i >= 0; i-- {
		dst = append(dst, ",\n{\"ph\":\"E\""...)
		dst = append(chromeAt(dst, thread, last+eventEnd), '}')
	}
	return dst
}

func (f *chrome) tail(dst []byte) []byte { return append(dst, "\n]}\n"...) }

func (f *chrome) merge(dst []byte, _ encoder) []byte { return dst }

// chromeAt appends the thread and the time of an event.
func chromeAt(dst []byte, thread int32, ns int64) []byte {
	dst = strconv.AppendInt(append(dst, `,"pid":1,"tid":`...), int64(thread)+1, 10)
	return appendMicros(append(dst, `,"ts":`...), ns)
}

func appendMicros(dst []byte, ns int64) []byte {
	dst = strconv.AppendInt(dst, ns/1000, 10)
	r := ns % 1000
	return append(dst, '.', byte('0'+r/100), byte('0'+r/10%10), byte('0'+r%10))
}

type chromeEncoder struct {
	j      *Job
	names  *jsonNames
	thread int32
	text   []byte
}

func (e *chromeEncoder) begin(thread int32) { e.thread = thread }

func (e *chromeEncoder) enter(dst []byte, p *lazy.PassPoint, s Span) []byte {
	ph := ",\n{\"ph\":\"B\""
	if e.j.Timed {
		ph = ",\n{\"ph\":\"X\""
	}
	dst = chromeAt(append(dst, ph...), e.thread, s.Begin)
	if e.j.Timed {
		dst = appendMicros(append(dst, `,"dur":`...), s.End-s.Begin)
	}
	dst = append(dst, e.names.of(p)...)
	var footer *format.Footer
	if e.j.Timed {
		footer, _ = p.Footer() // the pass gets the error too
	}
	return append(e.args(dst, p, footer, e.j.Timed && !s.Ended), '}')
}

func (e *chromeEncoder) exit(dst []byte, p *lazy.PassPoint, s Span) []byte {
	if e.j.Timed {
		return dst
	}
	dst = chromeAt(append(dst, ",\n{\"ph\":\"E\""...), e.thread, s.End)
	dst = append(dst, e.names.of(p)...)
	m := e.members(dst)
	if footer, err := p.Footer(); err == nil {
		m.outcome(p, footer)
	}
	return append(m.end(), '}')
}

// args appends the member args of a container: what is known of it but its name and time.
func (e *chromeEncoder) args(dst []byte, p *lazy.PassPoint, footer *format.Footer, unfinished bool) []byte {
	m := e.members(dst)
	m.raw(e.names.place(p))
	if p.Class == format.ClassCall {
		if e.j.ValuesShown() {
			m.arguments(p)
		}
		m.outcome(p, footer)
	}
	if unfinished {
		m.name("unfinished")
		m.b = append(m.b, "true"...)
	}
	return m.end()
}

func (e *chromeEncoder) leaf(dst []byte, p *lazy.PassPoint, at int64) []byte {
	dst = chromeAt(append(dst, ",\n{\"ph\":\"i\",\"s\":\"t\""...), e.thread, at)
	dst = append(dst, e.names.of(p)...)
	m := e.members(dst)
	m.raw(e.names.place(p))
	point, err := p.Point()
	if err == nil && e.j.ValuesShown() {
		if hasTarget(p.Class) && point.Target.Kind != format.ValueNull {
			m.value(p.Context(), "owner", &point.Target)
		}
		if p.Class == format.ClassArrayRead || p.Class == format.ClassArrayWrite {
			m.value(p.Context(), "index", &format.Value{Kind: format.ValueInt, Bits: int64(point.Number)})
		}
		if p.Class != format.ClassSnapshot {
			m.value(p.Context(), "value", &point.Value)
		}
	}
	return append(m.end(), '}')
}

// members writes the member args, if it has anything.
type members struct {
	e     *chromeEncoder
	b     []byte
	begun bool
}

func (e *chromeEncoder) members(dst []byte) members { return members{e: e, b: dst} }

func (m *members) open() {
	if m.begun {
		m.b = append(m.b, ',')
		return
	}
	m.begun = true
	m.b = append(m.b, `,"args":{`...)
}

func (m *members) raw(b []byte) {
	if len(b) > 0 {
		m.open()
		m.b = append(m.b, b...)
	}
}

func (m *members) name(n string) {
	m.open()
	m.b = append(format.AppendJSONString(m.b, n), ':')
}

func (m *members) end() []byte {
	if m.begun {
		return append(m.b, '}')
	}
	return m.b
}

// value appends a value: a number or a truth value as such, others as a text.
func (m *members) value(c *format.Context, name string, v *format.Value) {
	m.name(name)
	switch ScalarOf(v) {
	case Integer:
		if const53 := int64(1) << 53; v.Bits > const53 || v.Bits < -const53 {
			m.b = append(strconv.AppendInt(append(m.b, '"'), v.Bits, 10), '"') // readers take numbers as doubles
			return
		}
		m.b = strconv.AppendInt(m.b, v.Bits, 10)
	case Real:
		m.b = strconv.AppendFloat(m.b, v.Float(), 'g', -1, 64)
	case Truth:
		m.b = strconv.AppendBool(m.b, v.Bits&1 != 0)
	default:
		if v.Kind == format.ValueNull {
			m.b = append(m.b, "null"...)
			return
		}
		m.e.text = AppendText(m.e.text[:0], c, v)
		m.b = format.AppendJSONString(m.b, m.e.text)
	}
}

func (m *members) arguments(p *lazy.PassPoint) {
	point, err := p.Point()
	if err != nil {
		return
	}
	if point.Target.Kind != format.ValueNull {
		m.value(p.Context(), "receiver", &point.Target)
	}
	for i := range point.Args {
		m.value(p.Context(), m.e.names.names.Arg(p, point, i), &point.Args[i])
	}
}

// outcome appends how a call ended.
func (m *members) outcome(p *lazy.PassPoint, f *format.Footer) {
	switch {
	case f == nil || p.Class != format.ClassCall:
	case f.Threw || f.Exception != "":
		m.name("exception")
		m.b = format.AppendJSONString(m.b, f.Exception)
	case m.e.j.ValuesShown() && f.Result.Kind != format.ValueVoid && f.Result.Kind != format.ValueUnfinished:
		m.value(p.Context(), "result", &f.Result)
	}
}
