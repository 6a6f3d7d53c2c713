package query

import (
	"context"
	"math"
	"slices"
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// TreeEdits are steps for a tree, see [lazy.EditedTree]. They leave of the trace what an answer with
// these steps sees. Recursion, which is about paths in answers, merges the calls of the method that are
// within others of it, after all other steps.
type TreeEdits struct {
	edits *edits
	first *editState
	foci  uint64 // edits that focus
	leafy bool   // an edit is about points that are no containers
	lists bool   // an edit that focuses is about such points
	slots []int  // by edit: where it begins in editState.deep; at the end, how many there are

	mu     sync.Mutex                  // guards the calls of those below
	absent []func(lazy.PassRange) bool // by edit, see edit.absent
	none   func(lazy.PassRange) bool   // see nothing
	calls  func(lazy.PassRange) bool   // see noCalls
}

// editState is what the edits know about what is around a point. It does not change.
type editState struct {
	open uint64 // edits that focus and have a root that is open
	mute mute
	deep []int64 // of the matchers of those that look at the containers around: see matcher.save
}

// TreeSteps returns steps whose edits are those of a tree with these steps.
func TreeSteps(steps Steps) Steps {
	var list, last Steps
	for _, s := range steps {
		switch s.Kind {
		case Recursion:
			last = append(last, s.merging())
		case Range: // is about answers
		default:
			list = append(list, s)
		}
	}
	return append(list, last...)
}

// merging returns what a Recursion does to a tree.
func (s Step) merging() Step {
	text := s.about.String()
	e, err := filter.Parse("(" + text + ") in(" + text + ")")
	if err != nil {
		panic(err) // a filter that was written can be read
	}
	return Step{Kind: Merge, Text: "recursion of " + s.Text, about: e}
}

// EditTree prepares steps for a tree of the raw or the folded view. It may read the trace; ctx ends
// that. The error is a [StepError].
func EditTree(ctx context.Context, r *lazy.LazyTraceReader, steps Steps, raw bool) (*TreeEdits, error) {
	scope := Scope{Raw: raw}
	if err := scope.Edit(ctx, r, TreeSteps(steps)); err != nil {
		return nil, err
	}
	t := &TreeEdits{edits: scope.edits, first: new(editState), slots: []int{0}}
	if t.edits == nil {
		t.edits = new(edits)
	}
	n := 0
	for i := range t.edits.list {
		e := t.edits.list[i].editor()
		if e.deep {
			n += e.m.slots()
		}
		t.slots = append(t.slots, n)
		if e.kind == Focus {
			t.foci |= 1 << i
		}
		t.leafy = t.leafy || e.takesLeaves()
	}
	if n > 0 {
		t.first.deep = make([]int64, n)
	}
	for i := range t.edits.list {
		t.absent = append(t.absent, t.edits.list[i].absent(r))
	}
	t.none, t.calls, t.lists = t.nothing(r), t.noCalls(r), t.edits.listed()
	return t, nil
}

func (t *TreeEdits) Begin(int32) lazy.EditState { return t.first }

func (t *TreeEdits) Leaves(in lazy.EditState) lazy.EditLeaves {
	switch is := in.(*editState); {
	case is.open != t.foci && !t.lists || is.mute != 0:
		return lazy.LeavesNone
	case t.leafy:
		return lazy.LeavesAsked
	}
	return lazy.LeavesAll
}

// Leaf does what editVisitor.leaf does for a pass.
func (t *TreeEdits) Leaf(in lazy.EditState, p *lazy.PassPoint) lazy.Edit {
	is := in.(*editState)
	list := t.edits.editors()
	defer t.edits.pool.put(list)
	match := func(i int) bool {
		e := list[i]
		if e.deep {
			e.m.load(is.deep[t.slots[i]:t.slots[i+1]])
		}
		return e.match(p)
	}
	switch leafFate(list, is.mute, func(i int) bool { return is.open>>i&1 != 0 }, match, p.Class) {
	case shown:
		return lazy.EditNone
	case dropped:
		return lazy.EditDrop
	}
	return lazy.EditMerge
}

// Enter does what editVisitor.push does for a pass.
func (t *TreeEdits) Enter(in lazy.EditState, p *lazy.PassPoint) (lazy.Edit, lazy.EditState) {
	was := in.(*editState)
	list := t.edits.editors()
	defer t.edits.pool.put(list)
	how, is, by := shown, *was, -1
	for i := 0; i < len(list) && how == shown; i++ {
		e, bit, slots := list[i], uint64(1)<<i, t.slots[i:]
		if e.deep {
			e.m.load(was.deep[slots[0]:slots[1]])
		}
		hit := (e.kind != Focus || is.open&bit == 0) && e.match(p)
		if e.kind == Focus && hit {
			is.open |= bit
		}
		if how = e.fate(hit, is.open&bit != 0, p.Class != format.ClassCall && was.mute.of(i)); how != shown {
			by = i
		}
		if e.deep {
			e.m.enter(p)
			if &is.deep[0] == &was.deep[0] {
				is.deep = slices.Clone(was.deep)
			}
			e.m.save(is.deep[slots[0]:slots[1]])
		}
	}
	if p.Class == format.ClassCall {
		is.mute = was.mute.in(by, how == muted)
	}
	kind := lazy.EditNone
	switch how {
	case dropped:
		return lazy.EditDrop, was
	case merged, muted, outside:
		kind = lazy.EditMerge
	}
	if is.open == was.open && is.mute == was.mute && slices.Equal(is.deep, was.deep) {
		return kind, was
	}
	return kind, &is
}

// Late reports whether a step depends on how a call ends, or on what is in it: in a trace that grows,
// other calls may be left out later.
func (t *TreeEdits) Late() bool {
	return slices.ContainsFunc(t.edits.list, func(e edit) bool { return e.about != nil && e.about.late() })
}

func (c *condition) late() bool {
	n := c.f.Needs()
	return len(c.has) > 0 || n.Footer || n.Duration || n.Self || n.Kids || n.Size || slices.ContainsFunc(c.ins, (*condition).late)
}

// slots returns how many numbers save needs.
func (m *matcher) slots() int {
	n := 1
	for _, in := range m.ins {
		n += 1 + in.m.slots()
	}
	return n
}

// save writes what the matcher knows of the containers around, and returns what is left of to.
func (m *matcher) save(to []int64) []int64 {
	to[0] = int64(m.depth)
	to = to[1:]
	for _, in := range m.ins {
		to[0] = 0
		if k := len(in.open); k > 0 && in.open[k-1] {
			to[0] = 1
		}
		to = in.m.save(to[1:])
	}
	return to
}

// load makes the matcher know what save wrote, as of one container, and returns the rest.
func (m *matcher) load(from []int64) []int64 {
	m.depth = int(from[0])
	from = from[1:]
	for _, in := range m.ins {
		in.open = append(in.open[:0], from[0] > 0)
		from = in.m.load(from[1:])
	}
	return from
}

func (t *TreeEdits) Barren(in lazy.EditState, part lazy.PassRange, bare bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, missing := 0, t.foci&^in.(*editState).open; missing != 0; i, missing = i+1, missing>>1 {
		if missing&1 != 0 && t.absent[i] != nil && t.absent[i](part) {
			return true // what is below none of its roots is not shown
		}
	}
	if in.(*editState).open != t.foci {
		return false
	}
	return t.none != nil && t.none(part) || bare && t.calls != nil && t.calls(part)
}

// absent returns what tells that no container that the edit is about begins in a part of a thread; nil
// if that is not known.
func (e *edit) absent(r *lazy.LazyTraceReader) func(lazy.PassRange) bool {
	if set := e.among; set != nil {
		return func(part lazy.PassRange) bool {
			to := part.To
			if to < 0 {
				to = math.MaxInt64
			}
			_, ok := set.First(part.Thread, part.From, to)
			return !ok
		}
	}
	if e.about == nil {
		at := e.place
		return func(part lazy.PassRange) bool {
			return part.Thread != at.Thread || at.At < part.From || at.At >= part.To
		}
	}
	f := e.about.f.Clone()
	return lazy.SummaryOf(r).SkipWithout(lazy.Want{Point: func(class format.Class, ref, thread int32) bool {
		return class.Container() && f.Quick(class, ref, thread) != filter.No
	}})
}

// nothing returns what tells that a part has nothing but points that are merged, with their beginnings, or
// dropped; nil if that is not known.
func (t *TreeEdits) nothing(r *lazy.LazyTraceReader) func(lazy.PassRange) bool {
	return t.without(r, func(format.Class) bool { return true })
}

// noCalls returns what tells that a part has no calls but those that are dropped, or merged with all
// points directly in them; nil if that is not known.
func (t *TreeEdits) noCalls(r *lazy.LazyTraceReader) func(lazy.PassRange) bool {
	if slices.ContainsFunc(t.edits.list, func(e edit) bool { return e.kind == Merge }) {
		return nil // points in these calls may be shown
	}
	return t.without(r, func(class format.Class) bool { return class == format.ClassCall })
}

// without returns what tells that a part has no points of some classes but those that an edit leaves out.
func (t *TreeEdits) without(r *lazy.LazyTraceReader, of func(format.Class) bool) func(lazy.PassRange) bool {
	var list []*filter.Filter
	for i := range t.edits.list {
		if e := &t.edits.list[i]; e.kind != Focus && e.about != nil {
			list = append(list, e.about.f.Clone())
		}
	}
	if len(list) == 0 {
		return nil
	}
	return lazy.SummaryOf(r).SkipWithout(lazy.Want{Point: func(class format.Class, ref, thread int32) bool {
		return of(class) && !slices.ContainsFunc(list, func(f *filter.Filter) bool { return f.Quick(class, ref, thread) == filter.Yes })
	}})
}
