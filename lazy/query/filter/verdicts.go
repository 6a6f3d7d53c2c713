package filter

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"tracex/format"
)

// Whether what an id stands for has a name that matches. Each id is looked at once.

// Verdict is what is known about a match.
type Verdict uint8

const (
	Maybe Verdict = iota
	No
	Yes
)

func (v Verdict) String() string { return [...]string{"maybe", "no", "yes"}[v] }

// not returns the verdict on the opposite.
func (v Verdict) not() Verdict {
	switch v {
	case No:
		return Yes
	case Yes:
		return No
	}
	return Maybe
}

// boundTest is a test with the ids that it matches.
type boundTest struct {
	test
	ids     memo            // what the field names: methods, fields, variables, locations, threads
	classes memo            // of a recorded value, and of class and pkg: classes
	names   map[string]bool // of exc: class names
}

// memo remembers which ids match.
type memo struct {
	dense  []Verdict // by id; Maybe if it is not known
	sparse map[int32]Verdict
}

// boundText is a bare text. It is found in what a person can read of a point: the text of its row,
// the place in the source, and the names of a called method as paths and details show them.
type boundText struct {
	matcher
	paren     bool // it has a parenthesis
	equals    bool // it has an equals sign
	methods   memo // whose names match
	locations memo
}

// anyOf calls names with a yield that tests each name, and reports whether one matches.
func (m *matcher) anyOf(names func(yield func(string) bool) bool) bool {
	return !names(func(s string) bool { return !m.matches(s) })
}

// anyOf is that of its matchers.
func (l *literal) anyOf(names func(yield func(string) bool) bool) bool {
	return l.matcher.anyOf(names) || l.plain != nil && l.plain.anyOf(names)
}

// matchesPkg is matches for the package of a class: a.b.* is also a.b itself.
func (t *boundTest) matchesPkg(c *format.Context, class string) bool {
	l := &t.value
	below := (t.op == opEq || t.op == opNe) && !l.quoted && strings.HasSuffix(l.raw, ".*")
	return l.matcher.anyOf(func(yield func(string) bool) bool {
		return packageNames(c, class, func(pkg string) bool { return yield(pkg) && (!below || yield(pkg+".")) })
	})
}

// method returns whether the names of a method, or of its class or package, match; Maybe if they are
// not known.
func (t *boundTest) method(c *format.Context, id int32) Verdict {
	if v := t.ids.get(id); v != Maybe {
		return v
	}
	d := c.Method(id)
	switch {
	case d == nil:
		return Maybe
	case t.field.id != idMethod:
		return t.class(c, d.ClassID)
	}
	matches := t.value.anyOf(func(yield func(string) bool) bool { return methodNames(c, d, t.signed(), yield) })
	if c.Class(d.ClassID) == nil {
		return yesOrMaybe(matches)
	}
	return t.ids.put(id, matches)
}

// yesOrMaybe is the verdict on what has a class that is not described: it may be later, and then has other names.
func yesOrMaybe(matches bool) Verdict {
	if matches {
		return Yes
	}
	return Maybe
}

// signed reports whether names of methods count with the types of their arguments.
func (t *test) signed() bool { return strings.Contains(t.value.raw, "(") }

// class is method for a class.
func (t *boundTest) class(c *format.Context, id int32) Verdict {
	if v := t.classes.get(id); v != Maybe {
		return v
	}
	d := c.Class(id)
	switch {
	case d == nil:
		return yesOrMaybe(t.field.id == idClass && t.value.kind != litRef && t.value.matcher.anyOf(func(yield func(string) bool) bool { return yield(c.ClassName(id)) }))
	case t.field.id == idPkg:
		return t.classes.put(id, t.matchesPkg(c, d.Name))
	case t.value.kind == litRef: // the class of an object
		return t.classes.put(id, t.value.class == "" || !classNames(c, d, func(s string) bool { return s != t.value.class }))
	}
	return t.classes.put(id, t.value.anyOf(func(yield func(string) bool) bool { return classNames(c, d, yield) }))
}

// ofField is method for a field and for the class or package of a field.
func (t *boundTest) ofField(c *format.Context, id int32) Verdict {
	if v := t.ids.get(id); v != Maybe {
		return v
	}
	d := c.Field(id)
	switch {
	case d == nil:
		return Maybe
	case t.field.id != idField:
		return t.class(c, d.ClassID)
	}
	matches := t.value.matcher.anyOf(func(yield func(string) bool) bool { return namesOfField(c, d, yield) })
	if c.Class(d.ClassID) == nil {
		return yesOrMaybe(matches)
	}
	return t.ids.put(id, matches)
}

func (t *boundTest) variable(c *format.Context, id int32) Verdict {
	if v := t.ids.get(id); v != Maybe {
		return v
	}
	d := c.Variable(id)
	if d == nil {
		return Maybe
	}
	return t.ids.put(id, t.value.matcher.anyOf(func(yield func(string) bool) bool { return variableNames(c, d, yield) }))
}

// file is method for the file of a location.
func (t *boundTest) file(c *format.Context, location int32) Verdict {
	if v := t.ids.get(location); v != Maybe {
		return v
	}
	file, _, ok := c.FileLine(location)
	if !ok || file == "" {
		return Maybe
	}
	return t.ids.put(location, t.value.matcher.anyOf(func(yield func(string) bool) bool { return fileNames(file, yield) }))
}

// anyThread is the thread of a call that may be in any.
const anyThread = math.MinInt32

// thread is method for a thread. The name of a thread may be known later than its number.
func (t *boundTest) thread(c *format.Context, id int32) Verdict {
	if id == anyThread {
		return Maybe
	}
	if v := t.ids.get(id); v != Maybe {
		return v
	}
	name := ""
	if d := c.Thread(id); d != nil {
		name = d.Name
	}
	if t.value.matcher.anyOf(func(yield func(string) bool) bool { return threadNames(id, name, yield) }) {
		return t.ids.put(id, true)
	}
	if name != "" {
		return t.ids.put(id, false)
	}
	return Maybe
}

// exception reports whether the name of an exception's class matches.
func (t *boundTest) exception(class string) bool {
	matches, ok := t.names[class]
	if !ok {
		matches = t.value.matcher.anyOf(func(yield func(string) bool) bool { return classText(class, yield) })
		if t.names == nil || len(t.names) > 1<<12 {
			t.names = make(map[string]bool)
		}
		t.names[class] = matches
	}
	return matches
}

// maxDense bounds the ids that a memo has a byte for: a damaged trace may have any id.
const maxDense = 1 << 22

func (m *memo) get(id int32) Verdict {
	if uint32(id) < uint32(len(m.dense)) {
		return m.dense[id]
	}
	if m.sparse == nil {
		return Maybe
	}
	return m.sparse[id]
}

func (m *memo) put(id int32, matches bool) Verdict {
	v := No
	if matches {
		v = Yes
	}
	switch {
	case uint32(id) < uint32(len(m.dense)):
		m.dense[id] = v
	case id >= 0 && id < maxDense:
		m.dense = append(m.dense, make([]Verdict, int(id)+1+len(m.dense)/2+64-len(m.dense))...)
		m.dense[id] = v
	default:
		if m.sparse == nil || len(m.sparse) > 1<<16 {
			m.sparse = make(map[int32]Verdict)
		}
		m.sparse[id] = v
	}
	return v
}

func (m *memo) clone() memo { return memo{dense: slices.Clone(m.dense)} }

// called reports whether the name of a call matches. The match must begin in the class, as the rest is
// in the text of the row; in the full class name it must have a dot, as all calls may have one
// package.
func (t *boundText) called(c *format.Context, p *format.Point) bool {
	super := c.SuperCall(p)
	if v := t.methods.get(p.Ref); v != Maybe && !super {
		return v == Yes
	}
	name, class := c.CallName(p.Ref, p.Flags)
	full, fullClass := c.FullCallName(p.Ref, p.Flags)
	matches := t.inClass([]byte(name+"()"), class, false) || full != "" && t.inClass([]byte(full+"()"), fullClass, true)
	if d := c.Method(p.Ref); !super && d != nil && c.Class(d.ClassID) != nil {
		t.methods.put(p.Ref, matches)
	}
	return matches
}

func (t *boundText) inClass(text []byte, class int, dot bool) bool {
	from, to := t.find(text)
	return from >= 0 && from < class && (!dot || bytes.IndexByte(text[from:to], '.') >= 0)
}

// location reports whether a code location matches. The match must have a dot or a colon: the name of
// a file is often that of something else.
func (t *boundText) location(c *format.Context, id int32) bool {
	if id < 0 {
		return false
	}
	if v := t.locations.get(id); v != Maybe {
		return v == Yes
	}
	if _, _, ok := c.FileLine(id); !ok {
		return false
	}
	text := c.AppendLocationText(nil, id)
	from, to := t.find(text)
	return t.locations.put(id, from >= 0 && bytes.ContainsAny(text[from:to], ".:")) == Yes
}
