package lines

import (
	"strconv"

	"tracex/format"
)

// valueMark begins the lines about values below a point, to distinguish them from
// points.
const valueMark = "| "

// values writes the captured contents of a point's values: a line for each field,
// element and frame, and the number of array elements that were not captured.
func (l *Writer) values(p *format.Point, f *format.Footer, depth int) {
	show := func(what string, v *format.Value) {
		if v.Captured != nil || v.Kind == format.ValueArray && v.Length() > 0 {
			l.inside(what, v, depth, 1)
		}
	}
	if p.Class == format.ClassCall {
		show("receiver", &p.Target)
	} else {
		show("owner", &p.Target)
	}
	for i := range p.Args {
		show("argument "+strconv.Itoa(i+1), &p.Args[i])
	}
	show("value", &p.Value)
	if f != nil && p.Class == format.ClassCall {
		list := f.Result.Results(l.ctx)
		for i := range list {
			show("result "+strconv.Itoa(i+1), &list[i].Value)
		}
		if list == nil {
			show("result", &f.Result)
		}
	}
	if p.Snapshot != nil {
		names := l.ctx.LocalNames(p)
		for i := range p.Snapshot.Locals {
			what := "local " + strconv.Itoa(i+1)
			if names != nil {
				what = "local " + names[i]
			}
			show(what, &p.Snapshot.Locals[i])
		}
		for i := range p.Snapshot.Watches {
			show("watch "+strconv.Itoa(i+1), &p.Snapshot.Watches[i])
		}
	}
}

// inside writes a value and its contents; nested is its depth of nesting in others.
func (l *Writer) inside(what string, v *format.Value, depth, nested int) {
	l.valueLine(what, depth, nested, func(dst []byte) []byte { return l.ctx.AppendValueText(dst, v) })
	in := v.Captured
	if in == nil {
		in = new(format.Captured)
	}
	for i := range in.Fields {
		f := &in.Fields[i]
		if f.Rest() {
			l.valueIndent(depth, nested+1)
			l.buf = append(l.buf, "... <more fields>"...)
			l.end()
			break
		}
		l.inside("."+f.Name, &f.Value, depth, nested+1)
	}
	for i := range in.Elements {
		l.inside("["+strconv.Itoa(i)+"]", &in.Elements[i], depth, nested+1)
	}
	for i, frame := range in.Frames {
		l.valueText("frame "+strconv.Itoa(i+1), frame, depth, nested+1)
	}
	if more := int(v.Length()) - len(in.Elements); v.Kind == format.ValueArray && more > 0 {
		l.valueIndent(depth, nested+1)
		l.buf = strconv.AppendInt(append(l.buf, "... <"...), int64(more), 10)
		l.buf = append(l.buf, " more>"...)
		l.end()
	}
}

// valueText writes one line of a value's contents that is a text.
func (l *Writer) valueText(what, text string, depth, nested int) {
	l.valueLine(what, depth, nested, func(dst []byte) []byte { return format.AppendPlain(dst, text) })
}

func (l *Writer) valueLine(what string, depth, nested int, text func(dst []byte) []byte) {
	l.valueIndent(depth, nested)
	l.text = text(append(append(l.text[:0], what...), " = "...))
	if l.o.Escape {
		l.buf = format.AppendEscaped(l.buf, l.text)
	} else {
		l.buf = append(l.buf, l.text...)
	}
	l.end()
}

func (l *Writer) valueIndent(depth, nested int) {
	if at, in := 2*(depth+1), 2*(nested-1); l.begins(at+in, depth+nested) {
		l.pad(at)
		l.buf = append(l.buf, valueMark...)
		l.pad(in)
	}
}
