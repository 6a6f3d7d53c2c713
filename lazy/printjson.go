package lazy

import (
	"encoding/json"

	"tracex/format"
)

// jsonThread is the line of a thread, when lines are JSON.
type jsonThread struct {
	Thread int64  `json:"thread"` // from 1, as in text
	Name   string `json:"name,omitempty"`
	jsonTime
}

// jsonTime is the part of a line that says when something was, in nanoseconds.
type jsonTime struct {
	Start    *int64 `json:"start,omitempty"` // nil: not known
	Duration *int64 `json:"duration,omitempty"`
}

func timeInJSON(t Time) jsonTime {
	if t == noTime {
		return jsonTime{}
	}
	return jsonTime{&t.Start, &t.Duration}
}

// jsonPoint is the line of a trace point, when lines are JSON.
type jsonPoint struct {
	Thread int64  `json:"thread"`
	Depth  int    `json:"depth"` // 0: a root
	Event  int32  `json:"event"`
	Kind   string `json:"kind"`
	Text   string `json:"text"` // without the code location
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	jsonTime
}

// jsonUnloaded is the line for children that are not loaded.
type jsonUnloaded struct {
	Depth    int `json:"depth"`
	Unloaded int `json:"unloaded"`
}

func (l *lineWriter) jsonThread(id int32, name string, took Time) {
	l.json(jsonThread{int64(id) + 1, string(format.AppendPlain(nil, name)), timeInJSON(took)})
}

func (l *lineWriter) jsonPoint(p *format.Point, f *format.Footer, parent format.Parent, depth int, took Time) {
	l.text = l.ctx.AppendText(l.text[:0], p, f, parent, false)
	line := jsonPoint{
		Thread: int64(p.Thread) + 1, Depth: depth, Event: p.Event, Kind: p.Class.String(), Text: string(l.text),
		jsonTime: timeInJSON(took),
	}
	if file, at, ok := l.ctx.FileLine(p.Location); ok {
		line.File, line.Line = file, at
	}
	l.json(line)
}

// json appends a value as a line.
func (l *lineWriter) json(v any) {
	enc := json.NewEncoder((*lineBytes)(l))
	enc.SetEscapeHTML(false) // <iteration 1> is to be read by people too
	if err := enc.Encode(v); err != nil && l.err == nil {
		l.err = err
	}
	l.buf = l.buf[:len(l.buf)-1] // the encoder's own end of line
	l.end()
}

// lineBytes is a lineWriter as the writer of a part of a line.
type lineBytes lineWriter

func (l *lineBytes) Write(b []byte) (int, error) {
	l.buf = append(l.buf, b...)
	return len(b), nil
}
