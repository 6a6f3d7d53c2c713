package details

import (
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/code"
	"tracex/ui/internal/screen"
)

// describer writes what the trace's descriptors tell. It must not outlive the call of
// WithContext that it was made in.
type describer struct {
	s     *sheet
	c     *format.Context
	named map[int32]bool // classes whose full name has been written
}

func newDescriber(s *sheet, c *format.Context) describer {
	return describer{s, c, make(map[int32]bool)}
}

func (d describer) call(p *format.Point, f *format.Footer, n *lazy.Node) {
	method := d.c.Method(p.Ref)
	if method != nil {
		if class := d.c.Class(method.ClassID); class != nil {
			d.class(class)
		}
		d.s.pair("method", signature(method), screen.Plain)
	}
	switch {
	case d.c.SuperCall(p):
		// The object does not exist yet: the recorded receiver is another one.
		d.s.pair("call", superWords(d.c, method, n), screen.Plain)
	case p.Target.Kind != format.ValueNull:
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
		// There is no result; the state tells why.
	case f.Threw && f.Exception == "":
		d.s.pair("threw", "an exception; the trace does not name its class", screen.Exception)
	case f.Exception != "":
		d.s.pair("threw", f.Exception, screen.Exception)
	case f.Result.Kind != format.ValueVoid:
		what := ""
		if method != nil {
			what = shortType(method.Result)
		}
		list := f.Result.Results(d.c)
		for i := range list {
			d.value("result "+strconv.Itoa(i+1), "", &list[i].Value)
		}
		if list == nil {
			d.value("result", what, &f.Result)
		}
	}
}

func (d describer) class(c *format.ClassDescriptor) {
	d.s.pair("class", c.Name, screen.Plain)
	d.named[c.ID] = true
}

func (d describer) field(p *format.Point) {
	if field := d.c.Field(p.Ref); field != nil {
		if class := d.c.Class(field.ClassID); class != nil {
			d.class(class)
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
		d.s.pair("field", what, screen.Plain)
	}
	if p.Target.Kind != format.ValueNull {
		d.value("object", "", &p.Target)
	}
	d.value("value", "", &p.Value)
}

func (d describer) variable(p *format.Point) {
	if v := d.c.Variable(p.Ref); v != nil {
		d.s.pair("variable", v.Type.String()+" "+v.Name, screen.Plain)
	}
	d.value("value", "", &p.Value)
}

func (d describer) location(id int32) {
	l := d.c.Location(id)
	if _, _, ok := d.c.FileLine(id); l == nil || !ok && l.Line == 0 {
		d.s.pair("at", "unknown", screen.Faint)
		return
	}
	d.s.pair("at", string(d.c.AppendLocationText(nil, id)), screen.Plain)
	method, _ := d.c.Text(l.Method)
	switch class := code.Class(d.c, l); {
	case class != "":
		d.s.pair("in", class+"."+method, screen.Plain)
	case method != "":
		d.s.pair("in", method, screen.Plain)
	}
}

// constructor is the name that all constructors have.
const constructor = "<init>"

// superWords describes a call with [format.FlagSuper]. A constructor of the same class as its
// caller was called by this(…).
func superWords(c *format.Context, called *format.MethodDescriptor, n *lazy.Node) string {
	if in := n.Parent(); in != nil && in.Point() != nil && in.Point().Class == format.ClassCall {
		if caller := c.Method(in.Point().Ref); caller != nil && caller.Name == constructor {
			if caller.ClassID == called.ClassID {
				return "this(…), by another constructor of the class, for the same object"
			}
			return "super(…), by the constructor of a subclass, for the same object"
		}
	}
	return "super(…) or this(…), by another constructor, for the same object"
}

// loops writes which loops begin at the header of a loop or an iteration.
func (d describer) loops(p *format.Point) {
	text := strconv.Itoa(int(p.Ref))
	if l := d.c.Location(p.Location); l != nil && l.Kind == format.LocationLoop {
		var others []string
		for _, id := range l.Loops {
			if id != p.Ref {
				others = append(others, strconv.Itoa(int(id)))
			}
		}
		if len(others) > 0 {
			text += ", whose header is also that of " + strings.Join(others, ", ")
		}
	}
	d.s.pair("loop", text, screen.Plain)
}

func signature(m *format.MethodDescriptor) string {
	args := make([]string, len(m.Args))
	for i, t := range m.Args {
		args[i] = shortType(t)
	}
	return m.Name + "(" + strings.Join(args, ", ") + "): " + shortType(m.Result)
}

// shortType returns a type without its package.
func shortType(t format.Type) string {
	name := t.String()
	return name[strings.LastIndexByte(name, '.')+1:]
}
