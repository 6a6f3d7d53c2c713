package format

import (
	"slices"
	"strings"
)

func (w *textWriter) call(p *Point, f *Footer, parent Parent) {
	m := w.c.methods.get(p.Ref)
	switch {
	case m == nil:
		w.owner(p, nil, parent)
		w.unknown("method", p.Ref)
	case m.Name == constructor && calledByConstructor(w.c.version, p.Flags):
		w.in(StyleKeyword, "super")
		w.b = append(w.b, '@')
		w.classNameIn(StyleMethod, m.ClassID)
	case m.Name == constructor:
		w.in(StyleKeyword, "new")
		w.b = append(w.b, ' ')
		w.classNameIn(StyleMethod, m.ClassID)
	default:
		if !m.statement {
			w.owner(p, m, parent)
		}
		w.method = len(w.b) + 1
		w.in(StyleMethod, m.shown)
	}
	w.b = append(w.b, '(')
	w.arguments(p)
	w.b = append(w.b, ')')
	if f != nil {
		w.result(f)
	}
}

// owner appends what a method is called on, with its dot. m is nil for an unknown method.
func (w *textWriter) owner(p *Point, m *namedMethod, parent Parent) {
	static := p.Target.Kind == ValueNull
	if static && w.fromOwnClass(m, parent) {
		return
	}
	path, id := pathOf(w.c, p.Location)
	switch {
	case id >= 0 && path != nil:
		w.pathOwner(path, m, parent)
	case id >= 0:
		w.path(nil, id, false)
		w.b = append(w.b, '.')
	case !static:
		w.receiver(&p.Target)
		w.b = append(w.b, '.')
	case m != nil:
		// The functions of a Kotlin file are in a class named after it. In the traces of other tools
		// functions have no class: its name is empty.
		if e := w.c.classes.get(m.ClassID); e != nil && (e.Name == "" || strings.HasSuffix(e.Name, "Kt")) {
			return
		}
		w.classOwner(m.ClassID)
	}
}

// classOwner appends a class that a method is called on, with its dot.
func (w *textWriter) classOwner(class int32) {
	w.classNameIn(StyleClass, class)
	w.in(StyleClass, ".")
}

// pathOwner appends the owner of a call whose code location has an access path.
func (w *textWriter) pathOwner(path *AccessPath, m *namedMethod, parent Parent) {
	n, step := w.c.visible(path)
	if n == 0 {
		return
	}
	if n == 1 && m != nil && step.Kind == AccessStaticField {
		switch f := w.c.fields.get(step.Ref); {
		case f == nil || !f.Final:
		case f.Name == "INSTANCE":
			w.classOwner(m.ClassID)
			return
		case f.Name == "Companion":
			if !w.fromOwnClass(m, parent) {
				old := w.to(StyleClass)
				w.companionOwner(m.ClassID)
				w.b = append(w.b, '.')
				w.to(old)
			}
			return
		}
	}
	w.path(path, path.ID, false)
	w.b = append(w.b, '.')
}

// companionOwner appends the class that a companion's class belongs to.
func (w *textWriter) companionOwner(class int32) {
	e := w.c.classes.get(class)
	if e == nil {
		w.unknown("class", class)
		return
	}
	// The class of a companion is "Owner$Companion", shown as "Owner.Companion". Cut the suffix
	// from the shown name, unless the two do not correspond.
	if short, ok := strings.CutSuffix(e.short, ".Companion"); ok && strings.HasSuffix(e.Name, companionSuffix) {
		w.b = appendReplaced(w.b, short)
		return
	}
	w.b = appendReplaced(w.b, ShortClass(beforeLast(e.Name, companionSuffix)))
}

// fromOwnClass reports whether the parent is a call of a method of m's class, or of the class
// whose companion is m's class.
func (w *textWriter) fromOwnClass(m *namedMethod, parent Parent) bool {
	if m == nil || !parent.Call {
		return false
	}
	caller := w.c.methods.get(parent.Method)
	if caller == nil {
		return false
	}
	if caller.ClassID == m.ClassID {
		return true
	}
	callee, around := w.c.classes.get(m.ClassID), w.c.classes.get(caller.ClassID)
	return callee != nil && around != nil &&
		(callee.Name == around.Name || strings.TrimSuffix(callee.Name, companionSuffix) == around.Name)
}

func (w *textWriter) arguments(p *Point) {
	var names []int32
	if l := w.c.locations.get(p.Location); l != nil && p.Location >= 0 && len(l.ArgNames) == len(p.Args) {
		names = l.ArgNames
	}
	var declared *CodeLocation
	if w.extras != nil {
		declared = parametersOf(w.c, p)
	}
	for i := range p.Args {
		if i > 0 {
			w.b = append(w.b, ", "...)
		}
		if len(w.b) > w.limit {
			w.b = append(w.b, "…"...)
			return
		}
		v := &p.Args[i]
		if names == nil || names[i] < 0 {
			addParameter(w, declared, i)
			w.value(v)
			continue
		}
		w.path(w.c.paths.get(names[i]), names[i], false)
		if w.c.version.showsNamed(v.Kind) || literal(w.c, v) {
			w.access(true, v)
		}
	}
}

func (w *textWriter) result(f *Footer) {
	switch r := &f.Result; {
	case f.threw():
		w.b = append(w.b, ": "...)
		w.in(StyleAlarm, "threw")
		w.b = append(w.b, ' ')
		w.to(StyleException)
		w.b = appendReplaced(w.b, f.Exception)
		w.to(StyleName)
	case r.Kind == ValueUnfinished, r.Kind == ValueUntracked:
		w.b = append(w.b, ": "...)
		w.valueIn(StyleUnfinished, r)
	case r.Kind != ValueVoid:
		w.b = append(w.b, ": "...)
		w.valueIn(StyleResult, r)
	}
}

// fieldOwner appends the owner of a field, with its dot, and the field's name.
func (w *textWriter) fieldOwner(p *Point) {
	e := w.c.fields.get(p.Ref)
	// A local variable that a Kotlin lambda shares is in the field element of a box. The text
	// shows the variable.
	boxed := e != nil && e.Name == "element" && boxClass(w.c, e.ClassID)
	owned := true
	switch path, id := pathOf(w.c, p.Location); {
	case id >= 0 && path != nil:
		if n, _ := w.c.visible(path); n == 0 {
			owned = false
		} else {
			w.path(path, id, true)
		}
	case id >= 0:
		w.path(nil, id, true)
	case p.Target.Kind != ValueNull:
		w.value(&p.Target)
	case e != nil:
		w.className(e.ClassID)
	default:
		owned = false
	}
	if boxed {
		return
	}
	if owned {
		w.b = append(w.b, '.')
	}
	w.fieldName(p.Ref)
}

func boxClass(c *Context, class int32) bool {
	e := c.classes.get(class)
	return e != nil && strings.HasPrefix(e.Name, refPrefix)
}

func (w *textWriter) className(id int32) {
	if e := w.c.classes.get(id); e != nil {
		w.b = append(w.b, e.short...)
		return
	}
	w.unknown("class", id)
}

func (w *textWriter) classNameIn(s Style, id int32) {
	old := w.to(s)
	w.className(id)
	w.to(old)
}

func (w *textWriter) fieldName(id int32) {
	if e := w.c.fields.get(id); e != nil {
		w.b = append(w.b, e.shown...)
		return
	}
	w.unknown("field", id)
}

func (w *textWriter) variableName(id int32) {
	if e := w.c.variables.get(id); e != nil {
		w.b = append(w.b, e.shown...)
		return
	}
	w.unknown("variable", id)
}

// unknown appends the text for an object that is not in the Context.
func (w *textWriter) unknown(what string, id int32) {
	w.b = append(append(w.b, '<'), what...)
	w.b = append(w.b, ' ')
	w.int(int64(id))
	w.b = append(w.b, '>')
}

// constructor is the name that all constructors have.
const constructor = "<init>"

// calledByConstructor reports, from the flags of a call, whether a constructor was called by
// another one of the same object.
func calledByConstructor(v Version, flags int16) bool {
	return flags&FlagSuper != 0 && v >= V27
}

// writeEqual appends the text of a call if it stands for equal siblings. It has no location.
func writeEqual(w *textWriter, p *Point) bool {
	m := w.c.methods.get(p.Ref)
	if m == nil || !m.equal {
		return false
	}
	calls, siblings, ok := equalRow(w.c, p, m)
	if !ok {
		return false
	}
	n, what := calls, "call"
	if calls == 0 {
		n, what = siblings, "event"
	}
	w.b = append(w.b, "⋯ "...)
	old := w.to(StyleNumber)
	from := len(w.b)
	w.int(n)
	for at := len(w.b) - 3; at > from && n > 0; at -= 3 { // a negative one is damaged
		w.b = slices.Insert(w.b, at, ',')
	}
	w.to(old)
	w.b = append(append(w.b, " equal "...), what...)
	if n != 1 {
		w.b = append(w.b, 's')
	}
	return true
}
