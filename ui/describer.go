package ui

import (
	"strconv"
	"strings"
	"time"

	"tracex/format"
	"tracex/lazy"
)

// describer writes what the trace's descriptors say. It must not outlive the
// call of WithContext that it was made in.
type describer struct {
	s *sheet
	c *format.Context
}

func (d describer) call(p *format.Point, f *format.Footer, n *lazy.Node) {
	method := d.c.Method(p.Ref)
	if method != nil {
		if class := d.c.Class(method.ClassID); class != nil {
			d.s.pair("class", class.Name, plain)
		}
		d.s.pair("method", signature(method), plain)
	}
	if p.Target.Kind != format.ValueNull {
		d.value("receiver", "", &p.Target)
	}
	var names []int32
	if l := d.c.Location(p.Location); l != nil && len(l.ArgNames) == len(p.Args) {
		names = l.ArgNames
	}
	for i := range p.Args {
		what := ""
		if names != nil {
			what = string(d.c.AppendPathText(nil, names[i]))
		}
		if method != nil && i < len(method.Args) {
			what = strings.TrimSpace(what + " " + shortType(method.Args[i]))
		}
		d.value("arg "+strconv.Itoa(i+1), what, &p.Args[i])
	}
	switch {
	case n.State() == lazy.StatePending, n.State() == lazy.StateUnfinished:
		// There is no result; the state says why.
	case f.Exception != "":
		d.s.pair("threw", f.Exception, exception)
	case f.Result.Kind != format.ValueVoid:
		what := ""
		if method != nil {
			what = shortType(method.Result)
		}
		d.value("result", what, &f.Result)
	}
}

func (d describer) field(p *format.Point) {
	if field := d.c.Field(p.Ref); field != nil {
		if class := d.c.Class(field.ClassID); class != nil {
			d.s.pair("class", class.Name, plain)
		}
		what := field.Type.String() + " " + field.Name
		for _, m := range []struct {
			on   bool
			name string
		}{{field.Volatile, "volatile "}, {field.Final, "final "}, {field.Static, "static "}} {
			if m.on {
				what = m.name + what
			}
		}
		d.s.pair("field", what, plain)
	}
	if p.Target.Kind != format.ValueNull {
		d.value("object", "", &p.Target)
	}
	d.value("value", "", &p.Value)
}

func (d describer) variable(p *format.Point) {
	if v := d.c.Variable(p.Ref); v != nil {
		d.s.pair("variable", v.Type.String()+" "+v.Name, plain)
	}
	d.value("value", "", &p.Value)
}

// maxNested bounds how deep captured values are shown.
const maxNested = 4

// value writes a value with what was captured of its inside.
func (d describer) value(label, what string, v *format.Value) {
	text := string(d.c.AppendValueText(nil, v))
	if what != "" {
		text = what + " = " + text
	}
	d.s.pair(label, text, styleOf(v))
	d.captured(v, 1)
}

func (d describer) captured(v *format.Value, depth int) {
	in := v.Captured
	if in == nil || depth > maxNested || len(d.s.lines) > maxWrapped {
		return
	}
	pad := strings.Repeat("  ", depth)
	for i := range in.Fields {
		f := &in.Fields[i]
		d.s.pair("", pad+"."+f.Name+" = "+string(d.c.AppendValueText(nil, &f.Value)), styleOf(&f.Value))
		d.captured(&f.Value, depth+1)
	}
	for i := range in.Elements {
		e := &in.Elements[i]
		d.s.pair("", pad+"["+strconv.Itoa(i)+"] = "+string(d.c.AppendValueText(nil, e)), styleOf(e))
		d.captured(e, depth+1)
	}
	if v.Kind == format.ValueArray && int(v.Length()) > len(in.Elements) {
		d.s.pair("", pad+"and "+plural(int64(v.Length())-int64(len(in.Elements)), "more element"), faint)
	}
}

func (d describer) location(id int32) {
	l := d.c.Location(id)
	if _, _, ok := d.c.FileLine(id); l == nil || !ok && l.Line == 0 {
		d.s.pair("at", "unknown", faint)
		return
	}
	d.s.pair("at", string(d.c.AppendLocationText(nil, id)), plain)
	method, _ := d.c.Text(l.Method)
	switch class := sourceClass(d.c, l); {
	case class != "":
		d.s.pair("in", class+"."+method, plain)
	case method != "":
		d.s.pair("in", method, plain)
	}
}

func (d describer) snapshot(p *format.Snapshot) {
	if p == nil {
		return
	}
	d.s.pair("time", time.UnixMilli(p.Time).UTC().Format("2006-01-02 15:04:05.000 UTC"), plain)
	if p.TraceID != nil {
		d.s.pair("trace id", *p.TraceID, plain)
	}
	for i := range p.Locals {
		d.value("local "+strconv.Itoa(i+1), "", &p.Locals[i])
	}
	for i, id := range p.Stack {
		label := ""
		if i == 0 {
			label = "stack"
		}
		d.s.pair(label, string(d.c.AppendLocationText(nil, id)), plain)
	}
}

func signature(m *format.MethodDescriptor) string {
	args := make([]string, len(m.Args))
	for i, t := range m.Args {
		args[i] = shortType(t)
	}
	return m.Name + "(" + strings.Join(args, ", ") + "): " + shortType(m.Result)
}

// shortType is a type without its package.
func shortType(t format.Type) string {
	name := t.String()
	return name[strings.LastIndexByte(name, '.')+1:]
}

func styleOf(v *format.Value) style {
	switch v.Kind {
	case format.ValueString, format.ValueRawString, format.ValueBuilder, format.ValueChar:
		return stringText
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong, format.ValueFloat, format.ValueDouble:
		return numberText
	}
	return plain
}
