package format

import (
	"encoding/binary"
	"encoding/hex"
)

// location appends " at FILE:LINE" to verbose text.
func (w *textWriter) location(id int32) {
	if !w.verbose {
		return
	}
	old := w.to(StyleLocation)
	w.b = append(w.b, " at "...)
	w.fileLine(id)
	w.to(old)
}

func (w *textWriter) fileLine(id int32) {
	if id == -1 {
		w.b = append(w.b, ":0"...)
		return
	}
	l := w.c.locations.get(id)
	if l == nil {
		w.unknown("location", id)
		return
	}
	if text := l.text.Load(); text != nil {
		w.b = append(w.b, *text...)
		return
	}
	at := len(w.b)
	w.string(l.File)
	w.b = append(w.b, ':')
	w.int(int64(l.Line))
	if l.File < 0 || w.c.strings.get(l.File) != nil {
		text := string(w.b[at:])
		l.text.Store(&text)
	}
}

// string appends a shared string, or, if there is none, the text of the reference's reader.
func (w *textWriter) string(id int32) {
	if id < 0 {
		w.b = append(w.b, "<unknown>"...)
		return
	}
	if o := w.c.strings.get(id); o != nil {
		w.b = append(w.b, o.shown...)
		return
	}
	w.unknown("string", id)
}

// shownFrames is the number of frames shown of a live breakpoint's stack.
const shownFrames = 3

func (w *textWriter) snapshot(p *Point) {
	s := p.Snapshot
	if s == nil {
		s = new(Snapshot)
	}
	w.in(StyleKeyword, "Live breakpoint")
	w.b = append(w.b, " ["...)
	old := w.to(StyleValue)
	w.b = appendUUID(w.b, s.UUID)
	w.to(old)
	w.b = append(w.b, ']')
	w.location(p.Location)
	if len(s.Watches) > 0 {
		w.watches(s.Watches)
	}
	w.b = append(w.b, ", stacktrace: ["...)
	for i, id := range s.Stack[:min(len(s.Stack), shownFrames)] {
		if i > 0 {
			w.b = append(w.b, ", "...)
		}
		w.frame(id)
	}
	if more := len(s.Stack) - shownFrames; more > 0 {
		w.b = append(w.b, " ... ("...)
		w.int(int64(more))
		w.b = append(w.b, " more)"...)
	}
	w.b = append(w.b, ']')
}

func (w *textWriter) watches(list []Value) {
	w.b = append(w.b, ", watches: ["...)
	for i := range list {
		if i > 0 {
			w.b = append(w.b, ", "...)
		}
		if len(w.b) > w.limit {
			w.b = append(w.b, "…"...)
			break
		}
		w.value(&list[i])
	}
	w.b = append(w.b, ']')
}

// frame appends class and method of a code location. It removes only the package of the class.
func (w *textWriter) frame(id int32) {
	if id == -1 {
		w.b = append(w.b, '.')
		return
	}
	l := w.c.locations.get(id)
	if l == nil {
		w.unknown("location", id)
		return
	}
	if class, ok := w.c.Text(l.Class); ok {
		w.b = appendReplaced(w.b, withoutPackage(class))
	} else {
		w.string(l.Class)
	}
	w.b = append(w.b, '.')
	w.string(l.Method)
}

func appendUUID(dst []byte, id [2]int64) []byte {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:], uint64(id[0]))
	binary.BigEndian.PutUint64(raw[8:], uint64(id[1]))
	for i, n := range [...]int{4, 6, 8, 10, 16} {
		from := [...]int{0, 4, 6, 8, 10}[i]
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, raw[from:n])
	}
	return dst
}
