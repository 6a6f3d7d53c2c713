package details

import (
	"strconv"
	"strings"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/ui/internal/theme"
)

func (w *writer) call(p *format.Point, f *format.Footer, n *lazy.Node) {
	method := w.c.Method(p.Ref)
	if method != nil {
		if class := w.c.Class(method.ClassID); class != nil {
			w.class(class)
		}
		w.pair("method", method.Name+filter.Signature(method, ", ", false)+": "+shortType(method.Result), theme.Plain)
	}
	switch {
	case w.c.SuperCall(p):
		// The object does not exist yet: the recorded receiver is another one.
		w.pair("call", superWords(w.c, method, n), theme.Plain)
	case p.Target.Kind != format.ValueNull:
		w.value("receiver", "", &p.Target)
	}
	var names []int32
	if l := w.c.Location(p.Location); l != nil && len(l.ArgNames) == len(p.Args) {
		names = l.ArgNames
	}
	parameters := format.Parameters(w.c, p)
	for i := range p.Args {
		what := ""
		if names != nil {
			what = string(w.c.AppendPathText(nil, names[i]))
		}
		if parameters != nil && what != parameters[i] {
			what = strings.TrimSpace(parameters[i] + " " + what)
		}
		if method != nil && i < len(method.Args) {
			what = strings.TrimSpace(what + " " + shortType(method.Args[i]))
		}
		w.value("arg "+strconv.Itoa(i+1), what, &p.Args[i])
	}
	switch {
	case n.State() == lazy.StatePending, n.State() == lazy.StateUnfinished:
		// There is no result; the state tells why.
	case f.Threw && f.Exception == "":
		w.pair("threw", "an exception; the trace does not name its class", theme.Exception)
	case f.Exception != "":
		w.worded("threw", "", f.Exception, "", theme.Exception)
	case f.Result.Kind != format.ValueVoid:
		what := ""
		if method != nil {
			what = shortType(method.Result)
		}
		list, results := f.Result.Results(w.c), format.ResultNames(w.c, p.Ref)
		name := func(i, of int) string {
			if len(results) != of {
				return ""
			}
			return results[i]
		}
		for i := range list {
			w.value("result "+strconv.Itoa(i+1), name(i, len(list)), &list[i].Value)
		}
		if list == nil {
			what = strings.TrimSpace(name(0, 1) + " " + what)
			w.value("result", what, &f.Result)
		}
	}
}

func (w *writer) class(c *format.ClassDescriptor) {
	w.pair("class", c.Name, theme.Plain)
	w.named[c.ID] = true
}

func (w *writer) field(p *format.Point) {
	if field := w.c.Field(p.Ref); field != nil {
		if class := w.c.Class(field.ClassID); class != nil {
			w.class(class)
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
		w.pair("field", what, theme.Plain)
	}
	if p.Target.Kind != format.ValueNull {
		w.value("object", "", &p.Target)
	}
	w.value("value", "", &p.Value)
}

func (w *writer) location(id int32) {
	l := w.c.Location(id)
	if _, _, ok := w.c.FileLine(id); l == nil || !ok && l.Line == 0 {
		w.pair("at", "unknown", theme.Faint)
		return
	}
	w.pair("at", string(w.c.AppendLocationText(nil, id)), theme.Plain)
	if in := w.methodAround(l); in != "" {
		w.pair("in", in, theme.Plain)
	}
}

// methodAround returns the method that a code location is in, "org.example.Class.method"; "" if it is not known.
func (w *writer) methodAround(l *format.CodeLocation) string {
	class := format.PlaceClass(w.c, l)
	method, _ := w.c.Text(l.Method)
	if class != "" && method != "" {
		class += "."
	}
	return class + method
}

// superWords describes a call with [format.FlagSuper]. A constructor of the caller's class was called by this(…).
func superWords(c *format.Context, called *format.MethodDescriptor, n *lazy.Node) string {
	if in := n.Parent(); in != nil && in.Point() != nil && in.Point().Class == format.ClassCall {
		if caller := c.Method(in.Point().Ref); caller != nil && caller.Name == "<init>" {
			if caller.ClassID == called.ClassID {
				return "this(…), by another constructor of the class, for the same object"
			}
			return "super(…), by the constructor of a subclass, for the same object"
		}
	}
	return "super(…) or this(…), by another constructor, for the same object"
}

// loops writes which loops begin at the header of a loop or an iteration.
func (w *writer) loops(p *format.Point) {
	text := strconv.Itoa(int(p.Ref))
	if l := w.c.Location(p.Location); l != nil && l.Kind == format.LocationLoop {
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
	w.pair("loop", text, theme.Plain)
}

// shortType returns a type without its package.
func shortType(t format.Type) string {
	name := t.String()
	return name[strings.LastIndexByte(name, '.')+1:]
}

// snapshot writes what a live breakpoint recorded.
func (w *writer) snapshot(p *format.Point) {
	snap := p.Snapshot
	if snap == nil {
		return
	}
	w.pair("time", time.UnixMilli(snap.Time).UTC().Format("2006-01-02 15:04:05.000 UTC"), theme.Plain)
	if snap.TraceID != nil {
		w.pair("trace id", *snap.TraceID, theme.Plain)
	}
	for i := range snap.Watches {
		w.value("watch "+strconv.Itoa(i+1), "", &snap.Watches[i])
	}
	label, names := "locals", w.c.LocalNames(p)
	for i := range snap.Locals {
		if names == nil {
			w.value("local "+strconv.Itoa(i+1), "", &snap.Locals[i])
			continue
		}
		w.value(label, names[i], &snap.Locals[i])
		label = ""
	}
	label = "stack"
	for i, id := range snap.Stack {
		if i == maxStack {
			w.pair("", "and "+display.Plural(int64(len(snap.Stack)-i), "more frame"), theme.Faint)
			break
		}
		w.pair(label, w.frame(id), theme.Plain)
		label = ""
	}
}

// frame returns a code location as a frame of a stack: "org.example.Class.method at File.java:12".
func (w *writer) frame(id int32) string {
	at := string(w.c.AppendLocationText(nil, id))
	if l := w.c.Location(id); l != nil {
		if in := w.methodAround(l); in != "" {
			return in + " at " + at
		}
	}
	return at
}
