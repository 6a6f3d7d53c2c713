package query

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// plainPoint is a point of a tree in memory, with its values.
type plainPoint struct {
	*lazy.Node
	parent *plainPoint
	kids   []*plainPoint
}

// plainPoints loads the tree of a trace: the roots of its threads.
func plainPoints(t *testing.T, r *lazy.LazyTraceReader, raw bool) (roots, all []*plainPoint) {
	tree := r.Tree(!raw)
	for _, th := range tree.Threads() {
		if _, complete, err := tree.ExpandAll(t.Context(), th, 0, 1<<40, nil); err != nil || !complete {
			t.Fatalf("expanded %v: %v", complete, err)
		}
	}
	nodes := make(map[*lazy.Node]*plainPoint)
	for row, ok := tree.First(); ok; row, ok = tree.Next(row) {
		n := row.Node
		if n.IsThread() {
			continue
		}
		x := &plainPoint{Node: n, parent: nodes[n.Parent()]}
		nodes[n] = x
		all = append(all, x)
		if x.parent != nil {
			x.parent.kids = append(x.parent.kids, x)
		} else {
			roots = append(roots, x)
		}
	}
	return roots, all
}

// call returns the call around a point.
func (x *plainPoint) call() *plainPoint {
	for p := x.parent; p != nil; p = p.parent {
		if p.Point().Class == format.ClassCall {
			return p
		}
	}
	return nil
}

// plainLocation is a location with a plain definition of what belongs to it.
type plainLocation struct {
	text string
	// values calls add for the values of a point, when it begins and when it ends.
	values func(x *plainPoint, end bool, add func(kind SightingKind, v *format.Value))
}

// eachValue calls f for the values of a point and those in them. direct values have depth 0.
func eachValue(x *plainPoint, end bool, f func(role SightingKind, depth int, v *format.Value)) {
	var deep func(role SightingKind, depth int, v *format.Value)
	deep = func(role SightingKind, depth int, v *format.Value) {
		f(role, depth, v)
		if v.Captured != nil {
			for i := range v.Captured.Fields {
				deep(role, depth+1, &v.Captured.Fields[i].Value)
			}
			for i := range v.Captured.Elements {
				deep(role, depth+1, &v.Captured.Elements[i])
			}
		}
	}
	p := x.Point()
	if end {
		if p.Class == format.ClassCall && x.State() == lazy.StateWhole && x.Footer().Result.Kind != format.ValueUnfinished {
			deep(Result, 0, &x.Footer().Result)
		}
		return
	}
	switch p.Class {
	case format.ClassLoop, format.ClassIteration:
	case format.ClassCall:
		deep(Receiver, 0, &p.Target)
		for i := range p.Args {
			deep(Argument, 0, &p.Args[i])
		}
	case format.ClassSnapshot:
		for _, list := range [][]format.Value{p.Snapshot.Locals, p.Snapshot.Watches} {
			for i := range list {
				deep(Seen, 0, &list[i])
			}
		}
	case format.ClassFieldRead, format.ClassFieldWrite, format.ClassArrayRead, format.ClassArrayWrite:
		deep(Seen, 0, &p.Target)
		deep(Seen, 0, &p.Value)
	default:
		deep(Seen, 0, &p.Value)
	}
}

// sameObject returns a test for values that are the same object.
func sameObject(c *format.Context, of *format.Value) func(*format.Value) bool {
	class := func(v *format.Value) string {
		if v.Kind == format.ValueBuilder {
			return builderClass
		}
		return c.ClassName(v.ClassID)
	}
	return func(v *format.Value) bool {
		return filter.HasIdentity(v) && v.Hash() == of.Hash() && class(v) == class(of)
	}
}

func plainKind(class format.Class) SightingKind {
	switch class {
	case format.ClassFieldRead, format.ClassArrayRead, format.ClassVariableRead:
		return WasRead
	}
	return Written
}

// plainAt returns the locations at a point.
func plainAt(c *format.Context, x *plainPoint) (list []plainLocation) {
	p := x.Point()
	switch p.Class {
	case format.ClassFieldRead, format.ClassFieldWrite:
		d := c.Field(p.Ref)
		if d == nil || !regexp.MustCompile(`^\w+$`).MatchString(d.Name) || c.Class(d.ClassID) == nil {
			return nil
		}
		if tellsObject(&p.Target) {
			list = append(list, plainField(c, objectName(c, &p.Target)+"."+d.Name, sameObject(c, &p.Target), func(o *format.FieldDescriptor) bool {
				return o != nil && (o.Name == d.Name || c.FieldName(o.ID) == d.Name)
			}, func(v *format.Value, name string) bool { return sameObject(c, &p.Target)(v) && named(c, d.Name)[name] }))
		}
		class := c.Class(d.ClassID).Name
		list = append(list, plainField(c, class+"."+d.Name, func(*format.Value) bool { return true }, func(o *format.FieldDescriptor) bool {
			return o != nil && o.Name == d.Name && c.Class(o.ClassID) != nil && c.Class(o.ClassID).Name == class
		}, func(v *format.Value, name string) bool {
			of := c.Class(v.ClassID)
			return !d.Static && v.Kind == format.ValueObject && of != nil && of.Name == class && name == d.Name
		}))
	case format.ClassArrayRead, format.ClassArrayWrite:
		if !tellsObject(&p.Target) {
			return nil
		}
		same, index := sameObject(c, &p.Target), p.Number
		list = append(list, plainLocation{fmt.Sprintf("%s[%d]", objectName(c, &p.Target), index), func(x *plainPoint, end bool, add func(SightingKind, *format.Value)) {
			q := x.Point()
			direct := !end && (q.Class == format.ClassArrayRead || q.Class == format.ClassArrayWrite) && same(&q.Target) && q.Number == index
			if direct {
				add(plainKind(q.Class), &q.Value)
			}
			eachValue(x, end, func(_ SightingKind, _ int, v *format.Value) {
				if v.Captured != nil && same(v) && index >= 0 && int(index) < len(v.Captured.Elements) && (!direct || v != &q.Target) {
					add(Seen, &v.Captured.Elements[index])
				}
			})
		}})
	case format.ClassVariableRead, format.ClassVariableWrite:
		d := c.Variable(p.Ref)
		if d == nil || !regexp.MustCompile(`^\w+$`).MatchString(d.Name) {
			return nil
		}
		in := x.call()
		variable := func(text string, within func(*plainPoint) bool) plainLocation {
			return plainLocation{text, func(x *plainPoint, end bool, add func(SightingKind, *format.Value)) {
				q := x.Point()
				if !end && (q.Class == format.ClassVariableRead || q.Class == format.ClassVariableWrite) && within(x.call()) {
					if o := c.Variable(q.Ref); o != nil && (o.Name == d.Name || c.VariableName(o.ID) == d.Name) {
						add(plainKind(q.Class), &q.Value)
					}
				}
				if !end && q.Class == format.ClassSnapshot && within(x.call()) {
					for i, name := range c.LocalNames(q) {
						if i < len(q.Snapshot.Locals) && variableNamed(c, d.Name, name) {
							add(Seen, &q.Snapshot.Locals[i])
						}
					}
				}
			}}
		}
		list = append(list, variable(":"+d.Name, func(*plainPoint) bool { return true }))
		if in != nil {
			list = append(list, variable(lazy.PositionHandle(in.Position()).String()+":"+d.Name, func(o *plainPoint) bool { return o == in }))
		}
	case format.ClassCall:
		if tellsObject(&p.Target) {
			list = append(list, plainObject(c, &p.Target))
		}
	}
	return list
}

// variableNamed reports whether a variable that may be called name may be called other too.
func variableNamed(c *format.Context, name, other string) bool {
	for d := range c.Variables() {
		names := []string{d.Name, c.VariableName(d.ID)}
		if slices.Contains(names, name) && slices.Contains(names, other) {
			return true
		}
	}
	return false
}

// named returns the recorded names of fields that may be called name.
func named(c *format.Context, name string) map[string]bool {
	all := make(map[string]bool)
	for d := range c.Fields() {
		if d.Name == name || c.FieldName(d.ID) == name {
			all[d.Name] = true
		}
	}
	return all
}

func plainField(c *format.Context, text string, object func(*format.Value) bool, field func(*format.FieldDescriptor) bool, captured func(*format.Value, string) bool) plainLocation {
	return plainLocation{text, func(x *plainPoint, end bool, add func(SightingKind, *format.Value)) {
		p := x.Point()
		direct := !end && (p.Class == format.ClassFieldRead || p.Class == format.ClassFieldWrite) && field(c.Field(p.Ref)) && object(&p.Target)
		if direct {
			add(plainKind(p.Class), &p.Value)
		}
		eachValue(x, end, func(_ SightingKind, depth int, v *format.Value) {
			if v.Captured == nil || direct && depth == 0 && v == &p.Target {
				return
			}
			for i := range v.Captured.Fields {
				if f := &v.Captured.Fields[i]; captured(v, f.Name) {
					add(Seen, &f.Value)
				}
			}
		})
	}}
}

func plainObject(c *format.Context, of *format.Value) plainLocation {
	same := sameObject(c, of)
	return plainLocation{objectName(c, of), func(x *plainPoint, end bool, add func(SightingKind, *format.Value)) {
		p := x.Point()
		made := false
		if p.Class == format.ClassCall {
			d := c.Method(p.Ref)
			made = d != nil && d.Name == "<init>" && c.ClassName(d.ClassID) == c.ClassName(of.ClassID)
		}
		switch {
		case end:
			eachValue(x, true, func(role SightingKind, depth int, v *format.Value) {
				if depth == 0 && same(v) && !made {
					add(Result, v)
				}
			})
		case p.Class == format.ClassCall:
			if made && x.State() == lazy.StateWhole && same(&x.Footer().Result) {
				add(Made, &x.Footer().Result)
			}
			if same(&p.Target) {
				kind := Receiver
				if made && !c.SuperCall(p) {
					kind = Made
				}
				add(kind, &p.Target)
			}
			for i := range p.Args {
				if same(&p.Args[i]) {
					add(Argument, &p.Args[i])
					break
				}
			}
		case p.Class == format.ClassFieldRead || p.Class == format.ClassFieldWrite || p.Class == format.ClassArrayRead || p.Class == format.ClassArrayWrite:
			if same(&p.Target) {
				add(plainKind(p.Class), &p.Value)
			}
		}
	}}
}

// history computes a location's values from the tree, by thread.
func (l *plainLocation) history(c *format.Context, roots []*plainPoint) map[int32][]string {
	out := make(map[int32][]string)
	var walk func(x *plainPoint)
	walk = func(x *plainPoint) {
		add := func(kind SightingKind, v *format.Value) {
			line := fmt.Sprintf("#%d %s %s", x.Point().Event, kind, held(c, v).Text)
			out[x.Thread()] = append(out[x.Thread()], line)
		}
		l.values(x, false, add)
		for _, k := range x.kids {
			walk(k)
		}
		l.values(x, true, add)
	}
	for _, x := range roots {
		walk(x)
	}
	return out
}

// lines writes a history like plainLocation.history.
func lines(list []Sighting) map[int32][]string {
	out := make(map[int32][]string)
	for i := range list {
		s := &list[i]
		out[s.Thread] = append(out[s.Thread], fmt.Sprintf("#%d %s %s", s.Event, s.Kind, s.Value.Text))
	}
	return out
}
