package golden

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/goroutines"
)

// section is the calls of a thread, or of several that are alike.
type section struct {
	name string
	pool bool // the order of roots does not count
	runs []run
}

// collector collects the roots of all threads.
type collector struct {
	o      Options
	r      *lazy.LazyTraceReader
	shapes *shapes
	roots  map[int32][]run // by thread
}

func (c *collector) Reset() { c.shapes, c.roots = newShapes(), make(map[int32][]run) }

func (c *collector) Visitor() lazy.Visitor {
	return &visitor{o: c.o, shapes: c.shapes, roots: make(map[int32]*row), names: make(map[int32]string)}
}

func (c *collector) Merge(v lazy.Visitor) error {
	for thread, r := range v.(*visitor).roots {
		r.settle()
		c.roots[thread] = append(c.roots[thread], r.runs...)
	}
	return nil
}

// sections returns what the file has, in its order.
func (c *collector) sections() []section {
	byName := make(map[string]*section)
	for thread, runs := range c.roots {
		if len(runs) == 0 {
			continue
		}
		t, _ := c.r.ThreadInfo(thread)
		name, pool := sectionName(t.Name)
		s := byName[name]
		if s == nil {
			s = &section{name: name}
			byName[name] = s
		}
		s.pool = s.pool || pool || s.runs != nil
		s.runs = append(s.runs, runs...)
	}
	var list []section
	for _, s := range byName {
		if s.pool {
			s.runs = c.shapes.sorted(s.runs)
		}
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b section) int { return strings.Compare(a.name, b.name) })
	return list
}

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+`) })

// sectionName returns what a thread's name has in common with those of its pool. pool is false if the name is that
// of one thread.
func sectionName(name string) (common string, pool bool) {
	if n, ok := goroutines.Parse(name); ok && n.Start != "" {
		common = "goroutines " + n.Start
		if n.By != "" {
			common += " started by " + n.By
		}
		return common, true
	}
	if common = digits().ReplaceAllString(name, "*"); common == "" {
		return "threads without a name", true
	}
	if pool = common != name; pool {
		return "threads " + common, true
	}
	return "thread " + common, false
}

// sorted returns shapes that have no order in that of their texts. What is in groups is taken out of them.
func (s *shapes) sorted(runs []run) []run {
	count := make(map[int32]int64)
	var add func(list []run, times int64)
	add = func(list []run, times int64) {
		for _, k := range list {
			if in := s.group(k.id); in != nil {
				add(in, times*k.n)
			} else {
				count[k.id] += times * k.n
			}
		}
	}
	add(runs, 1)
	var list []run
	for id, n := range count {
		list = append(list, run{id, n})
	}
	slices.SortFunc(list, func(a, b run) int { return s.compare(a.id, b.id) })
	return list
}

// visitor visits whole threads.
type visitor struct {
	o      Options
	shapes *shapes
	roots  map[int32]*row
	root   *row
	open   []frame
	names  map[int32]string // of methods, with their types
}

// frame is an open call.
type frame struct {
	label string
	kids  row
}

func (v *visitor) Begin(thread int32, _ []lazy.PassFrame) {
	v.root = v.roots[thread]
	if v.root == nil {
		v.root = &row{of: v.shapes}
		v.roots[thread] = v.root
	}
	v.open = v.open[:0]
}

func (v *visitor) Leaf(*lazy.PassPoint) {} // only calls are left

func (v *visitor) Enter(p *lazy.PassPoint) {
	point, err := p.Point()
	if err != nil {
		p.Fail(err)
		return
	}
	v.open = append(v.open, frame{v.label(p.Context(), point), row{of: v.shapes}})
}

func (v *visitor) Exit(p *lazy.PassPoint) {
	f := &v.open[len(v.open)-1]
	foot, err := p.Footer()
	if err != nil {
		p.Fail(err)
		return
	}
	label := f.label + v.end(p, foot)
	f.kids.settle()
	kids, depth := f.kids.runs, len(v.open)
	if depth == v.o.Depth && len(kids) > 0 {
		calls, hash := v.shapes.below(kids)
		label += fmt.Sprintf(" … calls below: %d, %016x", calls, hash)
		kids = nil
	}
	id := v.shapes.of(label, kids)
	if v.o.Depth == 0 || depth <= v.o.Depth {
		if v.shapes.linesOf(id) > int64(v.o.Limit) {
			p.Fail(&LargeError{v.o.Limit})
			return
		}
	}
	v.open = v.open[:len(v.open)-1]
	if n := len(v.open); n > 0 {
		kids := &v.open[n-1].kids
		kids.add(id)
		if listed := v.o.Depth == 0 || n < v.o.Depth; listed && kids.tooLong(v.o.Limit) { // not only at its end: it may have millions
			p.Fail(&LargeError{v.o.Limit})
		}
	} else {
		v.root.add(id)
	}
}

// label returns the text of a call without its end.
func (v *visitor) label(c *format.Context, p *format.Point) string {
	name, _ := c.CallName(p.Ref, p.Flags)
	if !v.o.Values {
		known, ok := v.names[p.Ref]
		if !ok {
			known = argumentTypes(c, p.Ref)
			v.names[p.Ref] = known
		}
		return name + known
	}
	list := make([]string, len(p.Args))
	for i := range p.Args {
		list[i] = query.ValueText(c, &p.Args[i])
	}
	return oneLine(name + "(" + strings.Join(list, ", ") + ")")
}

// argumentTypes returns the types of a method's parameters: "(String, int)".
func argumentTypes(c *format.Context, method int32) string {
	d := c.Method(method)
	if d == nil || d.Result == format.GoStatement {
		return "()"
	}
	list := make([]string, len(d.Args))
	for i, t := range d.Args {
		list[i] = t.String()
		if !strings.ContainsAny(list[i], "*[{( ") { // a name with its package
			list[i] = list[i][strings.LastIndexByte(list[i], '.')+1:]
		}
	}
	return oneLine("(" + strings.Join(list, ", ") + ")")
}

// end returns how a call ended: nothing if it returned and values are not asked for.
func (v *visitor) end(p *lazy.PassPoint, f *format.Footer) string {
	c := p.Context()
	switch d := c.Method(p.Ref); {
	case f == nil || p.State != lazy.StateWhole:
		return ": unfinished"
	case f.Threw || f.Exception != "":
		return oneLine(": threw " + f.Exception)
	case f.Untracked() || f.Result.Kind == format.ValueUnfinished:
		return ": its end was not recorded"
	case !v.o.Values || f.Result.Kind == format.ValueVoid || d != nil && d.Result == format.GoStatement:
		return ""
	}
	return oneLine(": " + query.ValueText(c, &f.Result))
}

// oneLine returns a text without line breaks and other characters that a text file should not have.
func oneLine(text string) string { return string(format.AppendEscaped(nil, text)) }
