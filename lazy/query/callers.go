package query

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/spill"
	"tracex/lazy/query/filter"
)

// Callers finds the paths by which methods are called, or what they call. It is a Collector of a
// pass; any goroutine may ask it for what has been merged so far.
//
// With a filter, only the calls of the methods that match it count; the calls around them and below
// them do, whether they match or not.
//
// Callers by total: each outermost call of the methods adds its time to every call around it, so
// the root has the total of the methods, and nothing counts twice; calls of them within one another
// are counted under the root's child of the same method. By self: each call adds its own time.
// Callees: each path from an outermost call downward.
type Callers struct {
	*Top
	methods []string // names of the methods asked for, of those in the trace
	root    string   // the same in the first row: a method alone as in the other rows
}

// NewCallers returns the Callers of a trace. The error tells which methods have similar names if
// none has that of the options.
func NewCallers(r *lazy.LazyTraceReader, scope Scope, o CallersOptions) (*Callers, error) {
	m, err := methodNamed(r, o.Method)
	if err != nil {
		return nil, err
	}
	f := &focus{CallersOptions: o, filtered: scope.where != nil, names: m.names}
	if f.filter, err = bound(r, m.expr); err != nil {
		return nil, err
	}
	groups, root := newGroups(r, ByMethod), strings.Join(f.names, ", ")
	if len(m.ids) == 1 {
		r.WithContext(func(*format.Context) {
			_, g := groups.describe(m.ids[0])
			root = g.names[0]
		})
	}
	t := &Top{r: r, scope: scope, focus: f}
	_, t.timed = r.Times()
	t.Reset()
	return &Callers{t, f.names, root}, nil
}

// On returns the calls on the path of [CallersOptions].On that have been merged so far, in the order of the trace.
func (c *Callers) On() []HistoryPoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := slices.Clone(c.focus.on)
	slices.SortFunc(list, func(a, b HistoryPoint) int { return ComparePlaces(a.Position, b.Position) })
	return list
}

// CallersOptions tell which paths to find.
type CallersOptions struct {
	Method  string // as people write it: get, HashMap.get, java.util.HashMap.get(Object), new Gson
	Callees bool
	Self    bool // callers by own time
	Depth   int  // longest path
	// On, if not nil, is a path of a table: see [PathOf]. The calls that its row counts are kept, see [Callers.On].
	On []string
}

// focus is which paths a Top records.
type focus struct {
	CallersOptions
	names    []string
	filtered bool       // not all calls of the methods count
	mu       sync.Mutex // guards filter
	filter   *filter.Filter
	paths    *paths         // guarded by the Top
	on       []HistoryPoint // the calls on the path asked for; guarded by the Top
}

// matches reports whether a method is one of those asked for. It must be called by visitors.
func (f *focus) matches(method int32) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.filter.Quick(format.ClassCall, method, 0) == filter.Yes
}

// focusPart is what a visitor knows of the paths in its part.
type focusPart struct {
	of         *focus
	known      []int8 // by group: 1 if asked for, -1 if not, 0 if not known yet
	stack      spill.Stack[focusCall]
	open       numbers // of the calls of stack that are asked for
	calls      []pathCall
	recursions []*recursion
	gaps       []gap // of collapsed
}

// focusCall is an open call that no step hides. It has no pointers, see [spill.Stack].
type focusCall struct {
	of    uint64 // the recursions of its method: a bit for each
	group int32
	asked bool
	cut   bool // a path goes on from it that is longer than asked for, and that has been told
}

func newFocusPart(of *focus, recursions []*filter.Filter) *focusPart {
	return &focusPart{of: of, recursions: newRecursions(recursions)}
}

// leaveAll empties the stack.
func (p *focusPart) leaveAll() {
	p.stack.Reset()
	p.open.Reset()
	for _, r := range p.recursions {
		r.open.Reset()
	}
}

// lost returns why calls of the stack were lost; nil if none were.
func (p *focusPart) lost() error {
	err := cmp.Or(p.stack.Err(), p.open.Err())
	for _, r := range p.recursions {
		err = cmp.Or(err, r.open.Err())
	}
	return err
}

// asked reports whether a group is asked for. method is one of it.
func (p *focusPart) asked(group, method int32) bool {
	for int(group) >= len(p.known) {
		p.known = append(p.known, 0)
	}
	if p.known[group] == 0 {
		p.known[group] = -1
		if p.of.matches(method) {
			p.known[group] = 1
		}
	}
	return p.known[group] > 0
}

// push notes that a call begins. One that does not match the filter is not asked for.
func (p *focusPart) push(group, method int32, match bool) {
	c := focusCall{group: group, asked: match && p.asked(group, method)}
	if c.asked {
		p.open.Push(p.stack.Len())
	}
	for i, r := range p.recursions {
		if r.matches(method) {
			c.of |= 1 << i
			r.open.Push(p.stack.Len())
		}
	}
	p.stack.Push(c)
}

// pop returns the path of the innermost call, which ends; nil if it has none.
func (p *focusPart) pop() (path *callPath) {
	c := *p.stack.Last()
	if c.asked || p.of.Callees && p.open.Len() > 0 {
		path = p.path(&c)
	}
	if c.asked {
		p.open.Pop()
	}
	p.stack.Pop()
	for i, r := range p.recursions {
		if c.of&(1<<i) != 0 {
			r.open.Pop()
		}
	}
	return path
}

// path returns the path of the innermost call, c; nil if it has none.
func (p *focusPart) path(c *focusCall) *callPath {
	calls := p.collapsed()
	last := calls.len() - 1
	part := calls.number(last) < p.stack.Len()-1
	if p.of.Callees {
		return p.callees(calls, part)
	}
	if p.open.Len() > 1 && !p.of.Self {
		if part {
			return nil // it is part of the outermost
		}
		if p.of.filtered {
			return &callPath{inner: true} // a path with its group may be one of calls that do not match
		}
		return &callPath{groups: []int32{c.group}, inner: true}
	}
	out := &callPath{groups: make([]int32, 0, min(last, p.of.Depth))}
	for i := last - 1; i >= 0 && len(out.groups) < p.of.Depth; i-- {
		out.groups = append(out.groups, calls.at(i).group)
	}
	out.more = last > p.of.Depth
	return out
}

// callees returns the path inward to the last of calls; nil if it has none. part tells that the call
// is merged into that.
func (p *focusPart) callees(calls keptCalls, part bool) *callPath {
	first := calls.asked()
	if first < 0 {
		return nil // recursion left out what is asked for
	}
	out := &callPath{part: part}
	for i := first + 1; i < calls.len(); i++ {
		if len(out.groups) == p.of.Depth {
			out.more = true
			if out.part = len(p.recursions) > 0; !out.part {
				limit := *calls.at(i - 1)
				if limit.cut {
					return nil // it is known
				}
				limit.cut, out.beyond = true, true
				p.stack.Put(calls.number(i-1), limit)
			}
			break
		}
		out.groups = append(out.groups, calls.at(i).group)
	}
	return out
}
