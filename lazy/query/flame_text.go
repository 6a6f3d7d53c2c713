package query

import (
	"bufio"
	"io"
	"strconv"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/table"
)

// WriteText writes the picture as lines.
func (p *FlamePicture) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	line := func(text string) {
		for len(text) > 0 && text[len(text)-1] == ' ' {
			text = text[:len(text)-1]
		}
		out.WriteString(text)
		out.WriteByte('\n')
	}
	line(p.Title())
	line(p.Strip())
	for _, row := range p.Rows() {
		text := ""
		for _, c := range row {
			text += c.Text
		}
		line(text)
	}
	for _, note := range p.Notes() {
		line(note)
	}
	return out.Flush()
}

// WriteJSON writes the flame as JSON Lines: one about it, one for each container that is at least a
// column wide, in the order of the trace, and one for each run of narrow ones.
func (p *FlamePicture) WriteJSON(w io.Writer) error {
	out := bufio.NewWriter(w)
	j := flameJSON{p: p}
	j.head()
	for i := range p.Spans {
		j.span(&p.Spans[i])
	}
	for i := range p.Narrow {
		j.narrow(&p.Narrow[i])
	}
	out.Write(j.b)
	return out.Flush()
}

// flameJSON writes the lines of a flame.
type flameJSON struct {
	p *FlamePicture
	b []byte
}

func (j *flameJSON) begin(kind string) {
	j.b = strconv.AppendInt(append(j.b, `{"schema":`...), table.Schema, 10)
	j.text("kind", kind)
	j.number("thread", int64(j.p.Thread)+1)
}

func (j *flameJSON) end() { j.b = append(j.b, '}', '\n') }

func (j *flameJSON) key(name string) {
	j.b = append(format.AppendJSONString(append(j.b, ','), name), ':')
}

func (j *flameJSON) text(name, value string) {
	j.key(name)
	j.b = format.AppendJSONString(j.b, value)
}

func (j *flameJSON) number(name string, value int64) {
	j.key(name)
	j.b = strconv.AppendInt(j.b, value, 10)
}

// part writes a part of the axis.
func (j *flameJSON) part(from, to int64) {
	if j.p.Timed {
		j.number("start", from)
		j.number("duration", to-from)
		return
	}
	j.number("from", from)
	j.number("to", to)
}

func (j *flameJSON) head() {
	p := j.p
	j.begin("flame")
	if p.Name != "" {
		j.text("thread_name", p.Name)
	}
	axis := "events"
	if p.Timed {
		axis = "time"
	}
	j.text("axis", axis)
	j.part(p.From, p.To)
	j.number("columns", int64(p.Columns))
	j.key("depth")
	j.b = append(j.b, '[')
	for i, d := range p.Depth {
		if i > 0 {
			j.b = append(j.b, ',')
		}
		j.b = strconv.AppendInt(j.b, int64(d), 10)
	}
	j.b = append(j.b, ']')
	j.key("ends")
	j.b = append(j.b, '[')
	for i, n := range p.Ends {
		if i > 0 {
			j.b = append(j.b, ',')
		}
		j.b = strconv.AppendInt(j.b, n, 10)
	}
	j.b = append(j.b, ']')
	if p.Deeper > 0 {
		j.number("deeper", int64(p.Deeper))
	}
	if p.Unknown > 0 {
		j.number("unknown", int64(p.Unknown))
	}
	j.end()
}

func (j *flameJSON) span(s *lazy.FlameSpan) {
	j.begin(classWord(s.Class))
	j.number("event", int64(s.Event))
	j.text("handle", lazy.EventHandle(s.Event).String())
	if s.Parent >= 0 {
		j.number("parent", int64(j.p.Spans[s.Parent].Event))
	}
	j.number("depth", int64(s.Depth))
	j.part(s.From, s.To)
	j.number("nested", s.Nested)
	j.number("column", int64(s.Left))
	j.number("width", int64(s.Right-s.Left))
	if s.State != lazy.StateWhole {
		j.b = append(j.b, `,"unended":true`...)
	}
	if s.Wait {
		j.b = append(j.b, `,"wait":true`...)
	}
	j.text("text", s.Text)
	j.end()
}

func (j *flameJSON) narrow(n *lazy.FlameNarrow) {
	j.begin("narrow")
	if n.Parent >= 0 {
		j.number("parent", int64(j.p.Spans[n.Parent].Event))
	}
	j.number("depth", int64(n.Depth))
	j.number("column", int64(n.Left))
	j.number("width", int64(n.Right-n.Left))
	j.number("count", n.Count)
	j.end()
}
