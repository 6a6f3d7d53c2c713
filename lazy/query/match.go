package query

import (
	"slices"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/literal"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
)

// condition is a filter that a pass can evaluate.
type condition struct {
	f   *filter.Filter
	ins []*condition
	has []*places.Set // what matches each has(…)
}

// skip returns what a pass that looks for matches needs not read; nil if that is not known.
func (c *condition) skip(r *lazy.LazyTraceReader) func(lazy.PassRange) bool {
	return c.skipBut(r, lazy.Want{Longer: c.f.Longer()})
}

// skipBeside is skip for calls that match: a part in which one goes on is read.
func (c *condition) skipBeside(r *lazy.LazyTraceReader) func(lazy.PassRange) bool {
	f := c.f.Clone()
	return c.skipBut(r, lazy.Want{
		Open: func(method, thread int32) bool { return f.Quick(format.ClassCall, method, thread) != filter.No },
	})
}

// skipBut is skip with what else is wanted.
func (c *condition) skipBut(r *lazy.LazyTraceReader, want lazy.Want) func(lazy.PassRange) bool {
	f := c.f.Clone()
	file := lazy.SummaryOf(r)
	want.Point = func(class format.Class, ref, thread int32) bool { return f.Quick(class, ref, thread) != filter.No }
	skip := file.SkipWithout(want)
	if skip == nil {
		return nil
	}
	list := []func(lazy.PassRange) bool{skip}
	ins, _ := f.Subs()
	for _, i := range f.MustBeIn() {
		in := ins[i]
		if in.MayBe(format.ClassLoop) || in.MayBe(format.ClassIteration) {
			continue // loops that are open where a part begins are not known
		}
		call := func(method, thread int32) bool { return in.Quick(format.ClassCall, method, thread) != filter.No }
		list = append(list, file.SkipWithout(lazy.Want{
			Open: call,
			Point: func(class format.Class, ref, thread int32) bool {
				return class == format.ClassCall && call(ref, thread)
			},
		}))
	}
	return func(g lazy.PassRange) bool {
		return slices.ContainsFunc(list, func(skip func(lazy.PassRange) bool) bool { return skip != nil && skip(g) })
	}
}

// within makes a pass that looks for matches leave out the parts of the trace that can have none, as far as the summary and
// the bytes of the data tell.
func (c *condition) within(pass *lazy.Pass, r *lazy.LazyTraceReader) {
	pass.Skip = c.skip(r)
	pass.Among = func() (texts []literal.Text, ends bool) {
		for _, l := range c.f.Literals(func(needs []literal.Text) []literal.Text { return lazy.Needles(r, needs) }) {
			texts = append(texts, l.Text)
			ends = ends || l.Footer
		}
		return texts, ends
	}
}

// matcher evaluates a condition at the points of a part of the trace. It is for one visitor. A nil matcher is one that
// everything matches.
type matcher struct {
	f     *filter.Filter
	needs filter.Needs
	head  bool // points without their values are enough
	ins   []*inside
	has   []*places.Set
	facts filter.Facts
	depth int // how many containers are open
}

// inside is an in(…): for each open container, whether it or one around it matches.
type inside struct {
	m    *matcher
	open []bool
}

func (c *condition) matcher() *matcher {
	m := &matcher{f: c.f.Clone(), has: c.has}
	m.needs = m.f.Needs()
	m.head = !m.needs.Values
	subs, _ := m.f.Subs()
	for i, in := range c.ins {
		sub := in.matcher()
		sub.f = subs[i]
		m.ins = append(m.ins, &inside{m: sub})
	}
	m.facts.In, m.facts.Has = make([]bool, len(m.ins)), make([]bool, len(m.has))
	return m
}

// begin begins a part: the open containers follow with enter.
func (m *matcher) begin() {
	if m == nil {
		return
	}
	m.depth = 0
	for _, in := range m.ins {
		in.open = in.open[:0]
		in.m.begin()
	}
}

// enter notes that a container begins. match must be called before.
func (m *matcher) enter(p *lazy.PassPoint) {
	if m == nil {
		return
	}
	m.depth++
	for _, in := range m.ins {
		k := len(in.open)
		in.open = append(in.open, k > 0 && in.open[k-1] || in.m.match(p))
		in.m.enter(p)
	}
}

// exit notes that the innermost container ends.
func (m *matcher) exit() {
	if m == nil {
		return
	}
	m.depth--
	for _, in := range m.ins {
		in.open = in.open[:len(in.open)-1]
		in.m.exit()
	}
}

// match reports whether the condition holds for a point.
func (m *matcher) match(p *lazy.PassPoint) bool {
	if m == nil {
		return true
	}
	if m.f.Quick(p.Class, p.Ref, p.Thread) == filter.No {
		return false
	}
	for i, in := range m.ins {
		k := len(in.open)
		m.facts.In[i] = k > 0 && in.open[k-1]
	}
	for i, set := range m.has {
		m.facts.Has[i] = below(p, set)
	}
	if err := m.learn(p); err != nil {
		p.Fail(err)
		return false
	}
	return m.f.Match(&m.facts)
}

// below reports whether a place of a set is in a container.
func below(p *lazy.PassPoint, set *places.Set) bool {
	if !p.Class.Container() {
		return false
	}
	from, to, err := p.Content()
	if err != nil {
		p.Fail(err)
		return false
	}
	n, _ := set.Within(p.Thread, from, to)
	return n > 0
}

// learn fills in the facts that the filter needs.
func (m *matcher) learn(p *lazy.PassPoint) (err error) {
	x := &m.facts
	if m.head {
		x.Point, err = p.Head()
	} else {
		x.Point, err = p.Point()
	}
	if err != nil {
		return err
	}
	x.Footer, x.Unfinished, x.Known = nil, false, filter.KnownDepth
	x.Parent, x.Thread, x.Depth = p.Parent(), p.Thread, m.depth
	if !p.Class.Container() {
		return nil
	}
	if m.needs.Footer {
		state, err := p.Ended()
		if err != nil {
			return err
		}
		x.Unfinished = state == lazy.StateUnfinished
		if x.Footer, err = p.Footer(); err != nil {
			return err
		}
	}
	if m.needs.At || m.needs.Duration || m.needs.Self {
		if t, ok := p.Time(); ok {
			x.At, x.Duration = t.Start, t.Duration
			x.Known |= filter.KnownAt | filter.KnownDuration
		}
	}
	if m.needs.Self || m.needs.Kids {
		if err := m.look(p); err != nil {
			return err
		}
	}
	if m.needs.Size {
		if x.Size, err = p.Size(); err != nil {
			return err
		}
		x.Known |= filter.KnownSize
	}
	return nil
}

// look fills in what depends on the children of a container.
func (m *matcher) look(p *lazy.PassPoint) error {
	x := &m.facts
	kids, calls, timed, err := p.Below()
	if err != nil {
		return err
	}
	x.Kids, x.Known = kids, x.Known|filter.KnownKids
	if timed && x.Known&filter.KnownDuration != 0 {
		x.Self, x.Known = max(0, x.Duration-calls), x.Known|filter.KnownSelf
	}
	return nil
}

// methodTest tests methods with a filter. One goroutine uses it.
type methodTest struct {
	of    *filter.Filter
	f     *filter.Filter // a copy
	known map[int32]bool
}

func newMethodTest(of *filter.Filter) methodTest {
	return methodTest{of, of.Clone(), make(map[int32]bool)}
}

// matches reports whether the calls of a method match. It must be called by visitors.
func (t *methodTest) matches(method int32) bool {
	yes, ok := t.known[method]
	if !ok {
		yes = t.f.Quick(format.ClassCall, method, 0) == filter.Yes
		t.known[method] = yes
	}
	return yes
}
