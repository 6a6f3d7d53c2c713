package template

import (
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
)

// source writes one field of the filter language. write returns false if the point does not have it, and
// may have written something then.
type source struct {
	name  string
	needs filter.Needs
	write func(w *writer, of filter.Operand) (format.Style, bool)
}

// lineField is what templates have besides the fields of filters.
var lineField = filter.Field{Name: "text", About: "the whole line, as rows show it"}

var sources = [...]source{
	{"method", filter.Needs{}, (*writer).method},
	{"class", filter.Needs{}, (*writer).class},
	{"pkg", filter.Needs{}, (*writer).pkg},
	{"file", filter.Needs{}, (*writer).file},
	{"line", filter.Needs{}, (*writer).line},
	{"thread", filter.Needs{}, (*writer).thread},
	{"depth", filter.Needs{Depth: true}, (*writer).depth},
	{"kind", filter.Needs{}, (*writer).kind},
	{"event", filter.Needs{}, (*writer).event},
	{"at", filter.Needs{At: true}, (*writer).at},
	{"dur", filter.Needs{Duration: true}, (*writer).dur},
	{"self", filter.Needs{Self: true}, (*writer).self},
	{"kids", filter.Needs{Kids: true}, (*writer).kids},
	{"size", filter.Needs{Size: true}, (*writer).size},
	{"threw", filter.Needs{Footer: true}, (*writer).threw},
	{"exc", filter.Needs{Footer: true, Values: true}, (*writer).exc},
	{"ret", filter.Needs{Footer: true}, (*writer).ret},
	{"recv", filter.Needs{Values: true}, (*writer).recv},
	{"arg", filter.Needs{Values: true}, (*writer).arg},
	{"var", filter.Needs{}, (*writer).variable},
	{"field", filter.Needs{}, (*writer).field},
	{"value", filter.Needs{Values: true}, (*writer).recorded},
	{"obj", filter.Needs{Values: true}, (*writer).obj},
	{"iter", filter.Needs{}, (*writer).iter},
	{"status", filter.Needs{Footer: true, Values: true}, (*writer).status},
	{"text", filter.Needs{Text: true, Footer: true, Values: true}, (*writer).row},
}

// writer writes the fields of one point.
type writer struct {
	b []byte
	c *format.Context
	x *filter.Facts
	g *display.Glyphs
}

func (w *writer) text(s string) { w.b = format.AppendPlain(w.b, s) }

// value writes a recorded value; ok is false if it stands for none.
func (w *writer) value(v *format.Value) (style format.Style, ok bool) {
	switch v.Kind {
	case format.ValueUnfinished, format.ValueUntracked:
		return 0, false
	case format.ValueString, format.ValueRawString, format.ValueBuilder, format.ValueSequence, format.ValueChar:
		style = format.StyleString
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong, format.ValueFloat, format.ValueDouble:
		style = format.StyleNumber
	default:
		style = format.StyleValue
	}
	w.b = w.c.AppendValueText(w.b, v)
	return style, true
}

// list writes recorded values with commas between them.
func (w *writer) list(values []format.Value) (style format.Style, ok bool) {
	for i := range values {
		had := len(w.b)
		if ok {
			w.b = append(w.b, ", "...)
		}
		if _, has := w.value(&values[i]); !has {
			w.b = w.b[:had]
			continue
		}
		ok = true
	}
	return format.StyleValue, ok
}

func (w *writer) is(list ...format.Class) bool {
	for _, c := range list {
		if w.x.Point.Class == c {
			return true
		}
	}
	return false
}

func (w *writer) isField() bool { return w.is(format.ClassFieldRead, format.ClassFieldWrite) }

func (w *writer) isVariable() bool { return w.is(format.ClassVariableRead, format.ClassVariableWrite) }

func (w *writer) number(n int64) (format.Style, bool) {
	w.b = append(w.b, display.Grouped(n)...)
	return format.StyleNumber, true
}

func (w *writer) method(filter.Operand) (format.Style, bool) {
	if !w.is(format.ClassCall) {
		return 0, false
	}
	w.text(w.c.MethodName(w.x.Point.Ref))
	return format.StyleMethod, true
}

// classID returns the class that declares the method or field.
func (w *writer) classID() (id int32, ok bool) {
	if w.is(format.ClassCall) {
		if d := w.c.Method(w.x.Point.Ref); d != nil {
			return d.ClassID, true
		}
	} else if w.isField() {
		if d := w.c.Field(w.x.Point.Ref); d != nil {
			return d.ClassID, true
		}
	}
	return 0, false
}

func (w *writer) class(filter.Operand) (format.Style, bool) {
	id, ok := w.classID()
	if ok {
		w.text(w.c.ClassName(id))
	}
	return format.StyleClass, ok
}

func (w *writer) pkg(filter.Operand) (format.Style, bool) {
	id, ok := w.classID()
	if !ok {
		return 0, false
	}
	pkg := ""
	if d := w.c.Class(id); d != nil {
		pkg = filter.PackageOf(d.Name)
	}
	w.text(pkg)
	return format.StyleClass, pkg != ""
}

func (w *writer) file(filter.Operand) (format.Style, bool) {
	file, _, ok := w.c.FileLine(w.x.Point.Location)
	if !ok || file == "" {
		return 0, false
	}
	w.text(file[strings.LastIndexAny(file, `/\`)+1:])
	return format.StyleLocation, true
}

func (w *writer) line(filter.Operand) (format.Style, bool) {
	_, line, ok := w.c.FileLine(w.x.Point.Location)
	w.b = strconv.AppendInt(w.b, int64(line), 10)
	return format.StyleLocation, ok
}

func (w *writer) thread(filter.Operand) (format.Style, bool) {
	if d := w.c.Thread(w.x.Thread); d != nil && d.Name != "" {
		w.text(d.Name)
	} else {
		w.b = strconv.AppendInt(append(w.b, "Thread "...), int64(w.x.Thread)+1, 10)
	}
	return format.StyleName, true
}

func (w *writer) depth(filter.Operand) (format.Style, bool) {
	if w.x.Known&filter.KnownDepth == 0 {
		return 0, false
	}
	return w.number(int64(w.x.Depth))
}

func (w *writer) kind(filter.Operand) (format.Style, bool) {
	w.b = append(w.b, w.x.Point.Class.String()...)
	return format.StyleKeyword, true
}

func (w *writer) event(filter.Operand) (format.Style, bool) {
	w.b = strconv.AppendInt(append(w.b, '#'), int64(w.x.Point.Event), 10)
	return format.StyleNumber, true
}

func (w *writer) at(filter.Operand) (format.Style, bool) {
	w.b = append(w.b, w.g.Exactly(w.x.At)...)
	return format.StyleNumber, w.x.Known&filter.KnownAt != 0
}

func (w *writer) dur(filter.Operand) (format.Style, bool) {
	w.b = append(w.b, w.g.Duration(w.x.Duration)...)
	return format.StyleNumber, w.x.Known&filter.KnownDuration != 0 && w.x.Duration >= 0
}

func (w *writer) self(filter.Operand) (format.Style, bool) {
	w.b = append(w.b, w.g.Duration(w.x.Self)...)
	return format.StyleNumber, w.x.Known&filter.KnownSelf != 0
}

func (w *writer) kids(filter.Operand) (format.Style, bool) {
	if w.x.Known&filter.KnownKids == 0 {
		return 0, false
	}
	return w.number(w.x.Kids)
}

func (w *writer) size(filter.Operand) (format.Style, bool) {
	w.b = append(w.b, display.Size(w.x.Size)...)
	return format.StyleNumber, w.x.Known&filter.KnownSize != 0
}

func threw(f *format.Footer) bool { return f != nil && (f.Threw || f.Exception != "") }

func (w *writer) threw(filter.Operand) (format.Style, bool) {
	f := w.x.Footer
	if !w.is(format.ClassCall) || !threw(f) && (f == nil || f.Result.Kind == format.ValueUnfinished || f.Result.Kind == format.ValueUntracked) {
		return 0, false
	}
	w.b = strconv.AppendBool(w.b, threw(f))
	return format.StyleValue, true
}

func (w *writer) exc(filter.Operand) (format.Style, bool) {
	p := w.x.Point
	if w.is(format.ClassThrow, format.ClassCatch) {
		_, ok := w.value(&p.Value)
		return format.StyleException, ok
	}
	if !w.is(format.ClassCall) || !threw(w.x.Footer) {
		return 0, false
	}
	if name := w.x.Footer.Exception; name != "" {
		w.text(format.ShortClass(name))
	} else {
		w.b = append(w.b, "threw"...)
	}
	return format.StyleException, true
}

func (w *writer) ret(of filter.Operand) (format.Style, bool) {
	if f := w.x.Footer; w.is(format.ClassCall) && f != nil && !threw(f) {
		if v := of.Result(w.c, w.x.Point.Ref, &f.Result); v != nil {
			_, ok := w.value(v)
			return format.StyleResult, ok
		}
	}
	return 0, false
}

func (w *writer) recv(of filter.Operand) (format.Style, bool) {
	if k := w.x.Point.Target.Kind; !w.is(format.ClassCall) || k == format.ValueNull || k == format.ValueVoid {
		return 0, false
	}
	v := of.In(&w.x.Point.Target)
	if v == nil {
		return 0, false
	}
	return w.value(v)
}

func (w *writer) arg(of filter.Operand) (format.Style, bool) {
	if !w.is(format.ClassCall) {
		return 0, false
	}
	if of == (filter.Operand{}) {
		return w.list(w.x.Point.Args)
	}
	v := of.Argument(w.c, w.x.Point)
	if v == nil {
		return 0, false
	}
	return w.value(v)
}

func (w *writer) variable(filter.Operand) (format.Style, bool) {
	if !w.isVariable() {
		return 0, false
	}
	w.text(w.c.VariableName(w.x.Point.Ref))
	return format.StyleName, true
}

func (w *writer) field(filter.Operand) (format.Style, bool) {
	if !w.isField() {
		return 0, false
	}
	w.text(w.c.FieldName(w.x.Point.Ref))
	return format.StyleName, true
}

func (w *writer) recorded(filter.Operand) (format.Style, bool) {
	p := w.x.Point
	switch {
	case w.is(format.ClassSnapshot):
		if p.Snapshot == nil {
			return 0, false
		}
		style, ok := w.list(p.Snapshot.Locals)
		if len(p.Snapshot.Watches) > 0 {
			if ok {
				w.b = append(w.b, ", "...)
			}
			style, ok = w.list(p.Snapshot.Watches)
		}
		return style, ok
	case p.Class.Container():
		return 0, false
	}
	return w.value(&p.Value)
}

// obj writes the object that the point belongs to: the receiver of a call, the owner of a field or
// element; of other points, their value.
func (w *writer) obj(filter.Operand) (format.Style, bool) {
	p := w.x.Point
	v := &p.Value
	switch {
	case w.is(format.ClassCall), w.isField(), w.is(format.ClassArrayRead, format.ClassArrayWrite):
		v = &p.Target
	case w.isVariable(), w.is(format.ClassThrow, format.ClassCatch):
	default:
		return 0, false
	}
	switch v.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException, format.ValueBuilder, format.ValueSequence:
		return w.value(v)
	}
	return 0, false
}

func (w *writer) iter(filter.Operand) (format.Style, bool) {
	if !w.is(format.ClassIteration) {
		return 0, false
	}
	return w.number(int64(w.x.Point.Number) + 1)
}

// status writes what the field status of filters can be.
func (w *writer) status(filter.Operand) (format.Style, bool) {
	p := w.x.Point
	switch f := w.x.Footer; {
	case w.x.Unfinished, w.is(format.ClassCall) && f != nil && !threw(f) && f.Result.Kind == format.ValueUnfinished:
		w.b = append(w.b, "unfinished"...)
	case w.is(format.ClassCall) && f != nil && f.Untracked():
		w.b = append(w.b, "untracked"...)
	case w.is(format.ClassCall) && p.Flags&format.FlagUnderWay != 0:
		w.b = append(w.b, "underway"...)
	case p.Diff >= format.DiffUnchanged && p.Diff <= format.DiffEditedNew:
		w.b = append(w.b, [...]string{"unchanged", "removed", "added", "edited-old", "edited-new"}[p.Diff-format.DiffUnchanged]...)
	default:
		return 0, false
	}
	return format.StyleKeyword, true
}

func (w *writer) row(filter.Operand) (format.Style, bool) {
	if w.x.Text != nil {
		w.b = append(w.b, w.x.Text()...)
	} else {
		w.b = w.c.AppendText(w.b, w.x.Point, w.x.Footer, w.x.Parent, false)
	}
	return format.StyleName, true
}
