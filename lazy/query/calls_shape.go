package query

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy/query/display"
)

// Name tells what each row is, in the singular.
func (c *Calls) Name() string {
	if c.about.methods == nil {
		return "call"
	}
	return "call of " + strings.Join(c.about.methods[:min(len(c.about.methods), 2)], ", ")
}

// title tells what the table is about.
func (c *Calls) title(what string, g *display.Glyphs) string {
	parts := []string{"calls of " + what}
	if c.about.methods == nil {
		parts = []string{"calls", strings.TrimSpace(c.o.What)}
	}
	if c.o.Where != nil && !c.o.Where.Empty() {
		parts = append(parts, "where "+c.o.Where.String())
	}
	if o := c.o.Only; o != nil {
		parts = append(parts, c.about.only.word()+" is "+o.Text)
	}
	parts = append(parts, display.Plural(c.sums.calls, "call"))
	if c.sums.threads > 1 {
		parts = append(parts, display.Plural(int64(c.sums.threads), "thread"))
	}
	if c.sums.threw > 0 {
		parts = append(parts, display.Grouped(c.sums.threw)+" threw")
	}
	if c.about.timed && c.sums.total > 0 { // while the outermost call goes on nothing is known
		parts = append(parts, g.Duration(c.sums.total))
	}
	return strings.Join(parts, " "+g.Dot+" ")
}

// callsShape is what the descriptors tell about the calls found. It is made without c.mu, as visitors
// merge with the descriptors locked.
type callsShape struct {
	what    string // the methods, the only one with its types
	several bool   // methods
	args    []argShape
}

// argShape describes an argument of all methods: its name or else its type, if they agree, and whether it is a number or a text.
type argShape struct {
	title  string
	number bool
	text   bool
}

// shape describes the calls found so far.
func (c *Calls) shape() (s callsShape) {
	c.mu.Lock()
	ids, args := slices.Sorted(maps.Keys(c.sums.methods)), c.sums.args
	c.mu.Unlock()
	if c.about.by.kind == columnArg {
		args = max(args, c.about.by.at.Number)
	}
	s.args = make([]argShape, args)
	found := c.about.methods
	s.what = strings.Join(found[:min(len(found), 2)], ", ")
	if n := len(found) - 2; n > 0 {
		s.what += fmt.Sprintf(" and %d more", n)
	}
	c.r.WithContext(func(x *format.Context) {
		methods := different(x, ids)
		s.several = len(methods) > 1
		if len(methods) == 1 && len(found) == 1 && len(methods[0].Args) >= args {
			texts := make([]string, len(methods[0].Args))
			for i, t := range methods[0].Args {
				texts[i] = shortType(t)
			}
			s.what += "(" + strings.Join(texts, ", ") + ")"
		}
		for i := range s.args {
			s.args[i] = argument(x, methods, i)
		}
	})
	return s
}

// different returns the methods with these ids, one of those that are described twice.
func different(c *format.Context, ids []int32) (list []*format.MethodDescriptor) {
	seen := make(map[string]bool)
	for _, id := range ids {
		m := c.Method(id)
		if m == nil {
			continue
		}
		key := fmt.Sprint(m.ClassID, m.Name, m.Args, m.Result)
		if !seen[key] {
			seen[key] = true
			list = append(list, m)
		}
	}
	return list
}

func shortType(t format.Type) string {
	text := t.String()
	return text[strings.LastIndexByte(text, '.')+1:]
}

// argument describes an argument, counted from 0.
func argument(c *format.Context, methods []*format.MethodDescriptor, i int) argShape {
	name := parameter(c, methods, i)
	s := argShape{title: cmp.Or(name, "arg "+strconv.Itoa(i+1))}
	var of *format.Type
	for _, m := range methods {
		switch {
		case i >= len(m.Args):
		case of == nil:
			of = &m.Args[i]
		case *of != m.Args[i]:
			return s
		}
	}
	if of != nil {
		s.title = cmp.Or(name, strconv.Itoa(i+1)+" "+shortType(*of))
		s.number, s.text = isNumber(*of), shortType(*of) == "String"
	}
	return s
}

// parameter returns the name of an argument, counted from 0, if all methods that are known to have it agree on that; "" if not.
func parameter(c *format.Context, methods []*format.MethodDescriptor, i int) (name string) {
	for _, m := range methods {
		names := format.ParametersOf(c, m.ID)
		if i >= len(names) && i >= len(m.Args) && names != nil {
			continue // it has fewer
		}
		if i >= len(names) || names[i] == "" || name != "" && names[i] != name {
			return ""
		}
		name = names[i]
	}
	return name
}

func isNumber(t format.Type) bool {
	switch t.Kind {
	case format.TypeByte, format.TypeShort, format.TypeInt, format.TypeLong, format.TypeFloat, format.TypeDouble:
		return t.Dims == 0
	}
	return false
}
