package query

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
)

// Change is a value of a trace point that is another one in the other trace of a diff.
type Change struct {
	Part     string // what has the value: "argument 1", "receiver", "array", "index", "value", "result"
	Name     string // of an argument, at the call; "" if not known
	Old, New string // as in the text of trace points, without identity hashes; "" if there is none
}

// Changes returns what is different between an edited point as it was and as it is. An object is the same as any other of
// its class. A footer may be nil: nothing is known of the end.
func Changes(c *format.Context, old, new *format.Point, oldEnd, newEnd *format.Footer) []Change {
	return ValuesOf(c, old, oldEnd).Changes(ValuesOf(c, new, newEnd))
}

// Values are the values of a trace point and of its end, as text, in their order. They can be compared with those of a point of another trace.
type Values []partValue

type partValue struct{ part, name, text string }

// ValuesOf returns the values of a point and of its end, as [ValueText] writes them. The footer may be nil: nothing is known of the end.
func ValuesOf(c *format.Context, p *format.Point, end *format.Footer) Values {
	return valuesOf(c, p, end, ValueText, shortClass)
}

// TypesOf is ValuesOf with the type in place of each value, classes with their packages: values that read the same may differ by it.
func TypesOf(c *format.Context, p *format.Point, end *format.Footer) Values {
	return valuesOf(c, p, end, typeText, func(class string) string { return class })
}

// Changes returns which values are others in is.
func (was Values) Changes(is Values) (list []Change) {
	for _, v := range was {
		now := ""
		if i := slices.IndexFunc(is, func(w partValue) bool { return w.part == v.part }); i >= 0 {
			now = is[i].text
		}
		if now != v.text {
			list = append(list, Change{v.part, v.name, v.text, now})
		}
	}
	for _, v := range is {
		if !slices.ContainsFunc(was, func(w partValue) bool { return w.part == v.part }) {
			list = append(list, Change{Part: v.part, Name: v.name, New: v.text})
		}
	}
	return list
}

// valuesOf returns the values of a point and of its end, each as text writes it, what was thrown as class does.
func valuesOf(c *format.Context, p *format.Point, end *format.Footer, text func(*format.Context, *format.Value) string, class func(string) string) (list Values) {
	add := func(part, name string, v *format.Value) { list = append(list, partValue{part, name, text(c, v)}) }
	switch p.Class {
	case format.ClassCall:
		if p.Target.Kind != format.ValueNull {
			add("receiver", "", &p.Target)
		}
		var names []int32
		if l := c.Location(p.Location); l != nil && len(l.ArgNames) == len(p.Args) {
			names = l.ArgNames
		}
		for i := range p.Args {
			name := ""
			if names != nil {
				name = string(c.AppendPathText(nil, names[i]))
			}
			add("argument "+strconv.Itoa(i+1), name, &p.Args[i])
		}
		switch {
		case end == nil:
		case end.Threw || end.Exception != "":
			list = append(list, partValue{"result", "", "threw " + class(end.Exception)})
		default:
			add("result", "", &end.Result)
		}
	case format.ClassFieldRead, format.ClassFieldWrite:
		if p.Target.Kind != format.ValueNull {
			add("object", "", &p.Target)
		}
		add("value", "", &p.Value)
	case format.ClassArrayRead, format.ClassArrayWrite:
		add("array", "", &p.Target)
		list = append(list, partValue{"index", "", strconv.Itoa(int(p.Number))})
		add("value", "", &p.Value)
	case format.ClassVariableRead, format.ClassVariableWrite:
		add("value", "", &p.Value)
	case format.ClassThrow, format.ClassCatch:
		add("exception", "", &p.Value)
	case format.ClassSnapshot:
		if p.Snapshot != nil {
			for i := range p.Snapshot.Watches {
				add("value "+strconv.Itoa(i+1), "", &p.Snapshot.Watches[i])
			}
		}
	}
	return list
}

func shortClass(name string) string {
	if name == "" {
		return "an exception"
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Subject returns what a point is of, without its other values: "Price.of", the class of an array or an exception.
func Subject(c *format.Context, p *format.Point) string {
	switch p.Class {
	case format.ClassCall:
		name, _ := c.CallName(p.Ref, p.Flags)
		return name
	case format.ClassFieldRead, format.ClassFieldWrite:
		return c.FieldName(p.Ref)
	case format.ClassVariableRead, format.ClassVariableWrite:
		return c.VariableName(p.Ref)
	case format.ClassArrayRead, format.ClassArrayWrite:
		return c.ClassName(p.Target.ClassID)
	case format.ClassThrow, format.ClassCatch:
		return shortClass(ThrownClass(c, &p.Value))
	}
	return p.Class.String()
}

// DeedOf returns what points of a class do with their Subject, which is what those that only one trace has have in common: "call of Price.of".
func DeedOf(class format.Class, subject string) string {
	switch class {
	case format.ClassCall, format.ClassThrow, format.ClassCatch:
		return class.String() + " of " + subject
	case format.ClassFieldRead, format.ClassVariableRead, format.ClassArrayRead:
		return "read of " + subject
	case format.ClassFieldWrite, format.ClassVariableWrite, format.ClassArrayWrite:
		return "write of " + subject
	}
	return subject
}

// EditOf returns what changes of a Subject have in common: "argument 2, result of Price.of".
func EditOf(subject string, changes []Change) string {
	if len(changes) == 0 {
		return subject
	}
	parts := make([]string, len(changes))
	for i, c := range changes {
		parts[i] = c.Part
	}
	return strings.Join(parts, ", ") + " of " + subject
}

// kindOf returns how a diff changed a point, in words; "" if it is the same in both traces.
func kindOf(d format.DiffStatus) string {
	switch d {
	case format.DiffRemoved:
		return "removed"
	case format.DiffAdded:
		return "added"
	case format.DiffEditedOld, format.DiffEditedNew:
		return "edited"
	}
	return ""
}

// statusOf returns the status of a point of a diff.
func statusOf(p *lazy.PassPoint) format.DiffStatus {
	if b := p.Bytes(); len(b) > format.PointDiffAt {
		return format.DiffStatus(b[format.PointDiffAt])
	}
	head, err := p.Head()
	if err != nil {
		p.Fail(err)
		return format.DiffNone
	}
	return head.Diff
}

// Text returns a change in a few words: "argument 2 3 → 4", "qty 3 → 4", or, of the only value of a row, which shows what it is
// now, "was 3". Of long values that begin or end alike it leaves that out.
func (c Change) Text(g *display.Glyphs) string {
	if c.Part == "value" {
		was, _ := apartFrom(c.Old, c.New, g.More)
		return "was " + cmp.Or(was, g.None)
	}
	return cmp.Or(c.Name, c.Part) + " " + c.Values(g)
}

// Values returns the old and the new value of a change.
func (c Change) Values(g *display.Glyphs) string {
	was, is := apartFrom(c.Old, c.New, g.More)
	return cmp.Or(was, g.None) + " " + g.Becomes + " " + cmp.Or(is, g.None)
}

// Of values longer than longAlike bytes, that begin or end alike, alikeKept bytes of that stay.
const (
	longAlike = 24
	alikeKept = 6
)

// apartFrom leaves out of two texts most of what they begin and end with alike.
func apartFrom(a, b, more string) (string, string) {
	if max(len(a), len(b)) <= longAlike {
		return a, b
	}
	head, tail, least := 0, 0, min(len(a), len(b))
	for head < least && a[head] == b[head] {
		head++
	}
	for tail < least-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	cut := func(text string) string {
		from, to := 0, len(text)
		if head > alikeKept+3 {
			from = cutRune(text, head-alikeKept)
		}
		if tail > alikeKept+3 {
			to = cutRune(text, len(text)-tail+alikeKept)
		}
		out := text[from:to]
		if from > 0 {
			out = more + out
		}
		if to < len(text) {
			out += more
		}
		return out
	}
	return cut(a), cut(b)
}

// cutRune returns where the character at a byte begins.
func cutRune(text string, at int) int {
	for at > 0 && at < len(text) && text[at]&0xc0 == 0x80 {
		at--
	}
	return at
}

// ValueText returns the text of a value as a diff compares it: without the identities of objects, of an array with its length.
func ValueText(c *format.Context, v *format.Value) string {
	if list := v.Results(c); list != nil {
		texts := make([]string, len(list))
		for i := range list {
			if texts[i] = ValueText(c, &list[i].Value); list[i].Value.Kind == format.ValueNull {
				texts[i] = "nil" // as in the text of a point
			}
		}
		return "(" + strings.Join(texts, ", ") + ")"
	}
	text, spans := format.ValueSpans(c, v)
	out := make([]byte, 0, len(text))
	for _, s := range spans {
		if s.Style != format.StyleHash {
			out = append(out, text[s.Start:s.End]...)
		}
	}
	if v.Kind == format.ValueArray && c.ClassName(v.ClassID) != "" {
		out = append(out, " of length "...)
		out = strconv.AppendInt(out, int64(v.Length()), 10)
	}
	return string(out)
}

// typeText returns the type of a value, a class with its package.
func typeText(c *format.Context, v *format.Value) string {
	if list := v.Results(c); list != nil {
		texts := make([]string, len(list))
		for i := range list {
			texts[i] = typeText(c, &list[i].Value)
		}
		return "(" + strings.Join(texts, ", ") + ")"
	}
	switch v.Kind {
	case format.ValueObject, format.ValueException, format.ValueArray, format.ValueSequence, format.ValueEnum:
		if class := c.Class(v.ClassID); class != nil {
			return class.Name
		}
	}
	return v.Kind.String()
}
