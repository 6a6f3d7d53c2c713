package query

import (
	"slices"

	"tracex/format"
	"tracex/lazy"
)

// editCollector shows another collector the edited tree.
type editCollector struct {
	lazy.Collector
	edits *edits
	scope Scope
}

// hiddenVisitor is a visitor that has to know what the steps hide.
type hiddenVisitor interface {
	lazy.Visitor
	// beginEdited is called in place of Begin, with all containers and what the steps do with them.
	beginEdited(thread int32, around []lazy.PassFrame, how []hiding)
	// hide is called for points that Enter and Leaf do not visit, exitHidden for containers that Exit does not.
	hide(p *lazy.PassPoint, how hiding)
	exitHidden(p *lazy.PassPoint, how hiding)
}

func (c *editCollector) Visitor() lazy.Visitor {
	v := &editVisitor{Visitor: c.Collector.Visitor(), scope: &c.scope, begun: true}
	v.hidden, _ = v.Visitor.(hiddenVisitor)
	v.arounder, _ = v.Visitor.(lazy.Arounder)
	v.edits = c.edits.editors()
	v.leaves = slices.ContainsFunc(v.edits, (*editor).takesLeaves)
	v.open = make([]int, len(v.edits))
	return v
}

func (c *editCollector) Merge(v lazy.Visitor) error {
	e := v.(*editVisitor)
	c.edits.pool.put(e.edits)
	return c.Collector.Merge(e.Visitor)
}

// editVisitor is the visitor of an editCollector.
type editVisitor struct {
	lazy.Visitor
	hidden   hiddenVisitor // the same; nil if it is none
	arounder lazy.Arounder // the same; nil if it is none
	scope    *Scope
	edits    []*editor
	leaves   bool // an edit is about points that are no containers

	begun   bool // Begin was called after the last Survey
	stack   []editFrame
	around  []lazy.PassFrame // of the stack, those that are shown
	open    []int            // by edit that focuses: its roots on the stack
	missing int              // edits that focus and have no root on the stack
	dropped int              // containers on the stack that are dropped, or within them
	told    int              // of around: those that the arounder got
}

// editFrame is an open container.
type editFrame struct {
	how   hiding
	seen  uint8  // edits whose filters know that it is open
	roots uint64 // edits whose root it is
	mute  mute   // of what is directly in it
}

// reset empties the stack.
func (v *editVisitor) reset() {
	v.stack, v.around = v.stack[:0], v.around[:0]
	clear(v.open)
	v.missing, v.dropped, v.told = 0, 0, 0
	for _, e := range v.edits {
		if e.begin(); e.kind == Focus {
			v.missing++
		}
	}
}

func (v *editVisitor) Survey(p *lazy.PassPoint) {
	if v.begun {
		v.reset()
		v.begun = false
	}
	v.push(p, p.At >= v.scope.Begins(p.Thread))
}

func (v *editVisitor) Begin(thread int32, around []lazy.PassFrame) {
	if len(around) == 0 {
		v.reset()
	}
	v.begun = true
	if v.hidden == nil {
		v.Visitor.Begin(thread, append([]lazy.PassFrame(nil), v.around...))
		return
	}
	how := make([]hiding, len(v.stack))
	for i := range v.stack {
		how[i] = v.stack[i].how
	}
	v.hidden.beginEdited(thread, around, how)
}

func (v *editVisitor) Around(p *lazy.PassPoint) {
	if v.arounder != nil && v.told < len(v.around) && v.around[v.told].At == p.At {
		p.Within(v.around[:v.told:v.told], v.arounder.Around)
		v.told++
	}
}

// push decides what the steps do with a container and puts it on the stack. inside is false for one
// that is around the scope.
func (v *editVisitor) push(p *lazy.PassPoint, inside bool) hiding {
	f := editFrame{mute: v.muted()}
	if v.dropped > 0 {
		f.how = within
	}
	by := -1
	for i := 0; i < len(v.edits) && f.how == shown; i++ {
		e := v.edits[i]
		hit := false
		if inside && (e.kind != Focus || v.open[i] == 0) {
			hit = e.match(p)
		}
		if e.kind == Focus && hit {
			if v.open[i]++; v.open[i] == 1 {
				v.missing--
			}
			f.roots |= 1 << i
		}
		if f.how = e.fate(hit, v.open[i] > 0, p.Class != format.ClassCall && f.mute.of(i)); f.how != shown {
			by = i
		}
		e.enter(p)
		f.seen++
	}
	if p.Class == format.ClassCall {
		f.mute = f.mute.in(by, f.how == muted)
	}
	if f.how.merges() && v.missing > 0 {
		f.how = outside // of a later focus
	}
	switch f.how {
	case shown:
		v.around = append(v.around, p.PassFrame)
	case dropped, within:
		v.dropped++
	}
	v.stack = append(v.stack, f)
	return f.how
}

// muted returns the mute of what is directly in the innermost container.
func (v *editVisitor) muted() mute {
	if n := len(v.stack); n > 0 {
		return v.stack[n-1].mute
	}
	return 0
}

// pop takes the innermost container off the stack.
func (v *editVisitor) pop() hiding {
	f := v.stack[len(v.stack)-1]
	v.stack = v.stack[:len(v.stack)-1]
	for i := range f.seen {
		v.edits[i].exit()
		if f.roots&(1<<i) != 0 {
			if v.open[i]--; v.open[i] == 0 {
				v.missing++
			}
		}
	}
	switch f.how {
	case shown:
		v.around = v.around[:len(v.around)-1]
	case dropped, within:
		v.dropped--
	}
	return f.how
}

func (v *editVisitor) Enter(p *lazy.PassPoint) {
	whole, n := len(v.around) == len(v.stack), len(v.around)
	switch how := v.push(p, true); {
	case how != shown:
		if v.hidden != nil {
			v.hidden.hide(p, how)
		}
	case whole:
		v.Visitor.Enter(p)
	default:
		p.Within(v.around[:n:n], v.Visitor.Enter)
	}
}

func (v *editVisitor) Leaf(p *lazy.PassPoint) {
	switch how := v.leaf(p); {
	case how != shown:
		if v.hidden != nil {
			v.hidden.hide(p, how)
		}
	case len(v.around) == len(v.stack):
		v.Visitor.Leaf(p)
	default:
		p.Within(v.around, v.Visitor.Leaf)
	}
}

// leaf decides what the steps do with a point that is no container.
func (v *editVisitor) leaf(p *lazy.PassPoint) hiding {
	m := v.muted()
	switch {
	case v.dropped > 0:
		return within
	case v.leaves:
		how := leafFate(v.edits, m, func(i int) bool { return v.open[i] > 0 }, func(i int) bool { return v.edits[i].match(p) }, p.Class)
		if how.merges() && v.missing > 0 {
			return outside // of a later focus
		}
		return how
	case v.missing > 0:
		return outside
	case m != 0:
		return muted
	}
	return shown
}

// leafFate decides what edits do with a point that is no container; m is about the call that it is in. open
// reports whether a root of an edit that focuses is around the point, match whether the edit is about it.
func leafFate(list []*editor, m mute, open, match func(i int) bool, class format.Class) hiding {
	for i, e := range list {
		switch {
		case e.kind == Focus:
			if !open(i) && (e.among == nil || !match(i)) {
				return outside
			}
		case m.of(i):
			return muted
		case e.kind != Only && e.takes(class) && match(i):
			if e.kind == Drop {
				return dropped
			}
			return merged
		}
	}
	return shown
}

func (v *editVisitor) Exit(p *lazy.PassPoint) {
	if len(v.stack) == 0 {
		return // it began before the scope
	}
	switch how := v.pop(); {
	case how != shown:
		if v.hidden != nil {
			v.hidden.exitHidden(p, how)
		}
	case len(v.around) == len(v.stack):
		v.Visitor.Exit(p)
	default:
		p.Within(v.around, v.Visitor.Exit)
	}
}

// Over returns a pass over the scope for collectors, which see the edited tree.
func (s *Scope) Over(list ...lazy.Collector) lazy.Pass {
	p := s.Pass()
	for _, c := range list {
		if s.Edited() {
			c = &editCollector{c, s.edits, *s}
		}
		p.Collect = append(p.Collect, c)
	}
	if c, ok := list[0].(skipper); ok && len(list) == 1 {
		p.Skip = c.skip()
	}
	return p
}

// skipper is a collector that need not see all parts of its scope. skip returns which; nil for none.
type skipper interface {
	skip() func(lazy.PassRange) bool
}
