package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// edits are the steps of a scope, prepared for its trace.
type edits struct {
	steps Steps
	list  []edit
	paths []*filter.Filter // the methods whose recursion paths do not show

	mu   sync.Mutex // guards free
	free [][]*editor
}

// editors returns an editor for each edit. Those given back know already which methods they are about.
func (x *edits) editors() (list []*editor) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if n := len(x.free); n > 0 && len(x.free[n-1]) == len(x.list) {
		list = x.free[n-1]
		x.free = x.free[:n-1]
		return list
	}
	for i := range x.list {
		list = append(list, x.list[i].editor())
	}
	return list
}

// giveBack takes editors that are no longer used.
func (x *edits) giveBack(list []*editor) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.free = append(x.free, list)
}

// edit is what points are tested for: a step, or several in a row of the same kind that merge.
type edit struct {
	kind  StepKind      // Focus, Merge, Drop, or Only: which calls it merges
	about *condition    // holds of calls only, unless the filter names kinds
	place lazy.Position // if about is nil
}

// mostEdits bounds how many edits a tree may have. Steps in a row that merge are one.
const mostEdits = 60

// Edit adds steps to the scope: its pass then visits the edited tree. The values of a call remain
// those recorded, its duration too; in(…), has(…) and depth in the filter of a step are about the tree
// that the steps before it left. It may read the trace; ctx ends that. The error is a [StepError].
func (s *Scope) Edit(ctx context.Context, r *lazy.TraceReader, steps Steps) error {
	if len(steps) == 0 {
		return nil
	}
	x := &edits{}
	s.edits = x
	for list := withoutRanges(steps); len(list) > 0; {
		n, err := s.edit(ctx, r, x, list)
		if err != nil {
			return err
		}
		list = list[n:]
	}
	x.steps = steps
	return s.ranged(ctx, r, steps) // after a focus has narrowed the scope
}

// Steps returns the steps of the scope.
func (s *Scope) Steps() Steps {
	if s.edits == nil {
		return nil
	}
	return s.edits.steps
}

// Edited reports whether a call may have lost its place in the tree: whether the scope has steps of
// other kinds than Recursion.
func (s *Scope) Edited() bool { return s.edits != nil && len(s.edits.list) > 0 }

// recursions returns the methods whose recursion paths do not show.
func (s *Scope) recursions() []*filter.Filter {
	if s.edits == nil {
		return nil
	}
	return s.edits.paths
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

// edit prepares the first of steps, with those after it that it can be one edit with. It returns how
// many.
func (s *Scope) edit(ctx context.Context, r *lazy.TraceReader, x *edits, steps Steps) (n int, err error) {
	step := steps[0]
	f, err := step.bind(r)
	if err != nil {
		return 0, err
	}
	if step.Kind == Recursion && len(x.paths) < mostEdits {
		x.paths = append(x.paths, f)
		return 1, nil
	}
	if step.Kind == Recursion || len(x.list) == mostEdits {
		return 0, &StepError{step, fmt.Errorf("more than %d steps that cannot be taken together", mostEdits)}
	}
	e := edit{kind: step.edits()}
	n = 1
	switch {
	case step.place != nil:
		if e.place, err = s.narrow(ctx, r, step, len(x.list) == 0); err != nil {
			return 0, &StepError{step, err}
		}
	case step.merges(f):
		text := step.mergeText()
		for ; n < len(steps); n++ {
			next := steps[n]
			g, err := next.bind(r)
			if err != nil {
				return 0, err
			}
			if next.edits() != step.edits() || !next.merges(g) {
				break
			}
			text += " or " + next.mergeText()
		}
		all, err := filter.Parse(text)
		if err == nil {
			f, err = bound(r, all)
		}
		if err != nil {
			return 0, &StepError{step, err}
		}
	}
	if f != nil {
		if e.about, err = prepare(ctx, r, f, s.Over); err != nil {
			return 0, &StepError{step, err}
		}
	}
	x.list = append(x.list, e)
	return n, nil
}

// Check returns the error of a step that does not fit the trace. It reads no data.
func (s Step) Check(r *lazy.TraceReader) error {
	if s.over != nil {
		return s.over.fits(r)
	}
	_, err := s.bind(r)
	return err
}

// bind resolves the names of the step's filter; nil if it is about a place.
func (s Step) bind(r *lazy.TraceReader) (*filter.Filter, error) {
	if s.about == nil {
		return nil, nil
	}
	f, err := bound(r, s.about) // so that an error is about the text as it was typed
	if err == nil {
		f, err = bound(r, s.filter())
	}
	var none *filter.Error
	if s.method && errors.As(err, &none) {
		err = &NoMethodError{s.Text, none.Near}
	}
	if err != nil {
		return nil, &StepError{s, err}
	}
	return f, nil
}

// edits returns what kind of edit the step is. An Only that names kinds merges the points that it does not name.
func (s Step) edits() StepKind {
	if s.Kind == Only && s.about != nil && s.about.NamesKinds() {
		return Merge
	}
	return s.Kind
}

// filter returns the filter of what the edit of the step is about.
func (s Step) filter() *filter.Expr {
	e := s.about
	if s.Kind == Only {
		e = e.Not()
	}
	if s.about.NamesKinds() {
		return e
	}
	return filter.And(callsFilter, e)
}

// merges reports whether the step, with its filter, can be one edit with others that merge: whether the
// filter is only about points themselves.
func (s Step) merges(f *filter.Filter) bool {
	if s.Kind != Merge && s.Kind != Only || f == nil || f.Needs().Depth {
		return false
	}
	in, has := f.Subs()
	return len(in) == 0 && len(has) == 0
}

// mergeText returns the filter of what the step merges, as a part of another.
func (s Step) mergeText() string { return "(" + s.filter().String() + ")" }

// narrow finds the place that a step is about. If it is the first one and focuses, the scope is
// narrowed to it.
func (s *Scope) narrow(ctx context.Context, r *lazy.TraceReader, step Step, first bool) (lazy.Position, error) {
	at, _, err := r.Find(ctx, *step.place)
	if err != nil {
		return at, err
	}
	if at.At < 0 {
		return at, fmt.Errorf("%s is a thread, not a call", step.place)
	}
	alone := Scope{Raw: s.Raw}
	if err := alone.In(ctx, r, *step.place); err != nil {
		return at, err
	}
	whole := s.Ranges == nil
	for _, have := range s.Ranges {
		whole = whole || have == lazy.PassRange{Thread: at.Thread, To: -1}
	}
	if whole && first && step.Kind == Focus {
		s.Ranges = alone.Ranges
	}
	return at, nil
}

// hiding tells what the steps do with a container.
type hiding uint8

const (
	shown   hiding = iota
	outside        // of what a Focus is about
	merged         // what is directly in it takes its place
	muted          // merged, or in what is, with all points directly in it that are no calls: by an Only
	dropped
	within // what is dropped
)

// merges reports whether something is an event of the call around it.
func (h hiding) merges() bool { return h == merged || h == muted }

// mute tells of the calls around a point, for each edit of kind Only by a bit, whether it merges the
// innermost of those that are left by the edits before it. If one does, a point there that is no call
// is hidden with that call.
type mute uint64

// of returns whether an edit hides a point that is no call.
func (m mute) of(edit int) bool { return m>>edit&1 != 0 }

// in returns the mute in a call that an edit hides, or in one that is shown if edit is negative.
func (m mute) in(edit int, only bool) mute {
	if edit < 0 {
		return 0
	}
	m &^= 2<<edit - 1 // the edits up to this one see the call itself
	if only {
		m |= 1 << edit
	}
	return m
}

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
	// enterHidden and exitHidden are called for containers that Enter and Exit do not visit, leafHidden for
	// points that Leaf does not: with the containers around them that are shown.
	enterHidden(p *lazy.PassPoint, how hiding, around []lazy.PassFrame)
	exitHidden(p *lazy.PassPoint, how hiding)
	leafHidden(p *lazy.PassPoint, how hiding, around []lazy.PassFrame)
}

// Visitor is for the pass.
func (c *editCollector) Visitor() lazy.Visitor {
	v := &editVisitor{Visitor: c.Collector.Visitor(), scope: &c.scope, begun: true}
	v.hidden, _ = v.Visitor.(hiddenVisitor)
	v.arounder, _ = v.Visitor.(lazy.Arounder)
	v.edits = c.edits.editors()
	v.leaves = slices.ContainsFunc(v.edits, (*editor).takesLeaves)
	v.open = make([]int, len(v.edits))
	return v
}

// Merge is for the pass.
func (c *editCollector) Merge(v lazy.Visitor) error {
	e := v.(*editVisitor)
	c.edits.giveBack(e.edits)
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

// Survey is for the pass.
func (v *editVisitor) Survey(p *lazy.PassPoint) {
	if v.begun {
		v.reset()
		v.begun = false
	}
	v.push(p, p.At >= v.scope.begins(p.Thread))
}

// Begin is for the pass.
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

// Around is for the pass.
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
		switch {
		case e.kind == Focus && hit:
			if v.open[i]++; v.open[i] == 1 {
				v.missing--
			}
			f.roots |= 1 << i
		case e.kind == Focus && v.open[i] == 0:
			f.how = outside
		case e.kind == Merge && hit:
			f.how = merged
		case e.kind == Only && (hit || p.Class != format.ClassCall && f.mute.of(i)):
			f.how = muted
		case e.kind == Drop && hit:
			f.how = dropped
		}
		if f.how != shown {
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

// Enter is for the pass.
func (v *editVisitor) Enter(p *lazy.PassPoint) {
	whole, n := len(v.around) == len(v.stack), len(v.around)
	switch how := v.push(p, true); {
	case how != shown:
		if v.hidden != nil {
			v.hidden.enterHidden(p, how, v.around)
		}
	case whole:
		v.Visitor.Enter(p)
	default:
		p.Within(v.around[:n:n], v.Visitor.Enter)
	}
}

// Leaf is for the pass.
func (v *editVisitor) Leaf(p *lazy.PassPoint) {
	switch how := v.leaf(p); {
	case how != shown:
		if v.hidden != nil {
			v.hidden.leafHidden(p, how, v.around)
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

// leafFate decides what edits do with a point that is no container, in a call of which m tells. open
// reports whether a root of an edit that focuses is around the point, match whether the edit is about it.
func leafFate(list []*editor, m mute, open, match func(i int) bool, class format.Class) hiding {
	for i, e := range list {
		switch {
		case e.kind == Focus:
			if !open(i) {
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

// Exit is for the pass.
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

// editor tests points for one visitor.
type editor struct {
	kind    StepKind
	place   lazy.Position
	m       *matcher // nil if it is about the place
	deep    bool     // the filter looks at the containers around
	classes uint32   // by bit: those that a match may have
	known   []quickly
}

// quickly is the verdict on the calls of a method in a thread.
type quickly struct {
	thread  int32 // + 1
	verdict filter.Verdict
}

func (e *edit) editor() *editor {
	x := &editor{kind: e.kind, place: e.place}
	if e.about != nil {
		x.m = e.about.matcher()
		x.deep = len(x.m.ins) > 0 || x.m.needs.Depth
		for c := format.Class(0); c.Valid(); c++ {
			if e.about.f.MayBe(c) {
				x.classes |= 1 << c
			}
		}
	}
	return x
}

// takes reports whether the edit may be about points of a class.
func (e *editor) takes(class format.Class) bool { return e.classes>>class&1 != 0 }

// takesLeaves reports whether the edit may be about points that are no containers.
func (e *editor) takesLeaves() bool {
	for c := format.Class(0); c.Valid(); c++ {
		if !c.Container() && e.takes(c) {
			return e.kind != Focus
		}
	}
	return false
}

func (e *editor) begin() {
	if e.deep {
		e.m.begin()
	}
}

func (e *editor) enter(p *lazy.PassPoint) {
	if e.deep {
		e.m.enter(p)
	}
}

func (e *editor) exit() {
	if e.deep {
		e.m.exit()
	}
}

// match reports whether the step is about a point, and for an Only whether it merges that.
func (e *editor) match(p *lazy.PassPoint) bool {
	if e.m == nil {
		here := p.At == e.place.At && p.Thread == e.place.Thread
		return here != (e.kind == Only) && (e.kind != Only || p.Class == format.ClassCall)
	}
	if !e.takes(p.Class) {
		return false
	}
	switch e.quick(p) {
	case filter.Yes:
		return true
	case filter.No:
		return false
	}
	return e.m.match(p)
}

// quick returns the verdict on p's class and what it refers to. It keeps those on the calls of methods.
func (e *editor) quick(p *lazy.PassPoint) filter.Verdict {
	if p.Ref < 0 || p.Ref >= mostDense || p.Class != format.ClassCall {
		return e.m.f.Quick(p.Class, p.Ref, p.Thread)
	}
	if n := int(p.Ref) + 1; n > len(e.known) {
		e.known = append(e.known, make([]quickly, max(n, 2*len(e.known))-len(e.known))...)
	}
	k := &e.known[p.Ref]
	if k.thread != p.Thread+1 {
		*k = quickly{p.Thread + 1, e.m.f.Quick(p.Class, p.Ref, p.Thread)}
	}
	return k.verdict
}
