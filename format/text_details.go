package format

import "strings"

// Texts that a details pane shows besides the text of a point. They do not escape control characters.

// AppendValueText appends the text of a value as it is in the text of a point.
func (c *Context) AppendValueText(dst []byte, v *Value) []byte {
	w := textWriter{c: c, b: dst, limit: len(dst) + maxText}
	w.value(v)
	return w.b
}

// ValueSpans returns what [Context.AppendValueText] appends, and the styles of the text: see [Context.AppendSpans].
func ValueSpans(c *Context, v *Value) (text []byte, spans []Span) {
	w := textWriter{c: c, limit: maxText, style: StyleValue, styled: true}
	w.value(v)
	w.span()
	return w.b, w.spans
}

// AppendPathText appends an access path without its this-like parts, or nothing for id -1.
func (c *Context) AppendPathText(dst []byte, id int32) []byte {
	if id < 0 {
		return dst
	}
	w := textWriter{c: c, b: dst, limit: len(dst) + maxText}
	w.path(c.paths.get(id), id, true)
	return w.b
}

// AppendLocationText appends FILE:LINE of a code location; ":0" for id -1.
func (c *Context) AppendLocationText(dst []byte, id int32) []byte {
	w := textWriter{c: c, b: dst, limit: len(dst) + maxText}
	w.fileLine(id)
	return w.b
}

// FileLine returns file name and line of a code location. ok is false if nothing is known about it.
func (c *Context) FileLine(id int32) (file string, line int, ok bool) {
	l := c.locations.get(id)
	if l == nil {
		return "", 0, false
	}
	file, ok = c.Text(l.File)
	return file, int(l.Line), ok && (file != "" || l.Line != 0)
}

// PlaceClass returns the full name of the class that a code location is in, as its descriptor has it; "" if it is not
// known. Recorders of the JVM write the name with slashes, as a class file does; those in the name of a Go package
// belong to it.
func PlaceClass(c *Context, l *CodeLocation) string {
	class, _ := c.Text(l.Class)
	if file, _ := c.Text(l.File); strings.HasSuffix(file, ".go") {
		return class
	}
	return strings.ReplaceAll(class, "/", ".")
}

// ClassName returns the shown name of a class, as in Map.Entry.
func (c *Context) ClassName(id int32) string {
	w := textWriter{c: c}
	w.className(id)
	return string(w.b)
}

// MethodName returns the shown name of a method, without its class.
func (c *Context) MethodName(id int32) string {
	w := textWriter{c: c}
	if e := c.methods.get(id); e != nil {
		w.b = append(w.b, e.shown...)
	} else {
		w.unknown("method", id)
	}
	return string(w.b)
}

// CallName returns a name for calls of a method that does not depend on the receiver:
// "Class.method", "new Class" for a constructor and, with FlagSuper in flags, "super@Class". class
// is the number of its bytes that belong to the class, 0 for an unknown method, a go statement, and
// a function of a class whose name is empty, which have no class.
func (c *Context) CallName(method int32, flags int16) (name string, class int) {
	w := textWriter{c: c}
	switch e := c.methods.get(method); {
	case e == nil:
		w.unknown("method", method)
	case e.Name == constructor:
		w.b = append(w.b, c.making(flags)...)
		w.className(e.ClassID)
		class = len(w.b)
	case e.statement:
		w.b = append(w.b, e.shown...)
	default:
		w.className(e.ClassID)
		if class = len(w.b); class > 0 {
			w.b = append(w.b, '.')
		}
		w.b = append(w.b, e.shown...)
	}
	return string(w.b), class
}

// FullCallName is CallName with the full class name: "org.example.Class.method". It is "" if
// that is the same as CallName.
func (c *Context) FullCallName(method int32, flags int16) (name string, class int) {
	e := c.methods.get(method)
	if e == nil || e.statement {
		return "", 0
	}
	of := c.Class(e.ClassID)
	if of == nil || of.Name == c.ClassName(e.ClassID) {
		return "", 0
	}
	if e.Name == constructor {
		name = c.making(flags) + of.Name
		return name, len(name)
	}
	return of.Name + "." + e.shown, len(of.Name)
}

// making returns the text before the class in the name of a constructor's call.
func (c *Context) making(flags int16) string {
	if calledByConstructor(c.version, flags) {
		return "super@"
	}
	return "new "
}

// SuperCall reports whether a call is one of super(…) or this(…).
func (c *Context) SuperCall(p *Point) bool {
	m := c.methods.get(p.Ref)
	return p.Class == ClassCall && m != nil && m.Name == constructor && calledByConstructor(c.version, p.Flags)
}

// LocalNames returns the source names of the locals that a live breakpoint recorded, or nil if
// its code location lists a different number.
func (c *Context) LocalNames(p *Point) []string {
	l := c.locations.get(p.Location)
	if l == nil || p.Snapshot == nil || len(l.Locals) != len(p.Snapshot.Locals) {
		return nil
	}
	names := make([]string, len(l.Locals))
	for i, id := range l.Locals {
		var ok bool
		if names[i], ok = c.Text(id); !ok {
			return nil
		}
	}
	return names
}

// FieldName returns the shown name of a field.
func (c *Context) FieldName(id int32) string {
	w := textWriter{c: c}
	w.fieldName(id)
	return string(w.b)
}

// VariableName returns the shown name of a variable.
func (c *Context) VariableName(id int32) string {
	w := textWriter{c: c}
	w.variableName(id)
	return string(w.b)
}
