package query

import (
	"context"
	"errors"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
)

// bound resolves the names of a filter in a trace.
func bound(r *lazy.LazyTraceReader, e *filter.Expr) (f *filter.Filter, err error) {
	a := about(r)
	r.WithContext(func(c *format.Context) {
		a.Context = c
		f, err = e.Bind(*a)
	})
	return f, err
}

// about describes a trace to its filters, without the Context: its caller has to lock that.
func about(r *lazy.LazyTraceReader) *filter.About {
	a := new(filter.About)
	_, a.Timed = r.Times()
	a.Growing = r.Status().Phase != lazy.PhaseReady
	if moves := r.Moves(); moves != nil {
		a.Moved = func(event int32) (moved, renamed bool) {
			m, ok := moves.Of(event)
			return ok && !m.Renamed, ok && m.Renamed
		}
	}
	list := r.ThreadList()
	a.Threads = func(yield func(int32, string) bool) {
		for i := range list.Len() {
			id := list.ID(i)
			name := ""
			if t := a.Context.Thread(id); t != nil { // a's user has locked the context
				name = t.Name
			}
			if !yield(id, name) {
				return
			}
		}
	}
	return a
}

// prepare finds out what each has(…) of a filter holds for, in passes that over makes.
func prepare(ctx context.Context, r *lazy.LazyTraceReader, f *filter.Filter, over func(...lazy.Collector) lazy.Pass) (*condition, error) {
	c := &condition{f: f}
	ins, has := f.Subs()
	for _, in := range ins {
		sub, err := prepare(ctx, r, in, over)
		if err != nil {
			return nil, err
		}
		c.ins = append(c.ins, sub)
	}
	for _, h := range has {
		sub, err := prepare(ctx, r, h, over)
		if err != nil {
			return nil, err
		}
		set := places.New()
		pass := over(&setCollector{c: sub, set: set})
		sub.within(&pass, r)
		if err := r.Pass(ctx, pass); err != nil {
			return nil, err
		}
		if _, more := set.Count(); more > 0 {
			return nil, &TooManyError{h.Expr().String(), places.MaxPlaces}
		}
		c.has = append(c.has, set)
	}
	return c, nil
}

// Check returns the error of a filter that does not fit the trace: a [filter.Error]. It reads no data.
func Check(r *lazy.LazyTraceReader, e *filter.Expr) error {
	_, err := bound(r, e)
	return err
}

// Nothing is a filter that matches nothing.
var Nothing, _ = filter.Parse("depth<0")

// Lacks reports whether an error of [Check] is that the trace has nothing of a name in the filter, which another trace may have.
func Lacks(err error) bool {
	var of *filter.Error
	return errors.As(err, &of) && of.Absent
}

// MayMatch returns false if a filter matches neither a node nor what is around it, as their classes and names tell: then it does not either in a diff
// of the trace, whatever their status, depth and values are. The error is that of [Check].
func MayMatch(r *lazy.LazyTraceReader, e *filter.Expr, n *lazy.Node) (may bool, err error) {
	f, err := bound(r, e)
	if err != nil {
		return true, err
	}
	r.WithContext(func(*format.Context) {
		some := func(f *filter.Filter) bool {
			for at := n; !at.IsThread(); at = at.Parent() {
				if p := at.Point(); f.Needs().Thread || f.Quick(p.Class, p.Ref, at.Thread()) != filter.No {
					return true
				}
			}
			return false
		}
		may = some(f)
		subs, _ := f.Subs()
		for _, i := range f.MustBeIn() {
			may = may && some(subs[i])
		}
	})
	return may, nil
}

// everything is the filter without a term.
var everything, _ = filter.Parse("")

var callsFilter, _ = filter.Parse("kind=call")

// namedMethod is a method as people name it: one or several of a trace.
type namedMethod struct {
	expr  *filter.Expr
	ids   []int32
	names []string
}

// methodNamed finds the methods of a name. The error is a [NoMethodError].
func methodNamed(r *lazy.LazyTraceReader, name string) (m namedMethod, err error) {
	if m.expr, err = filter.Parse("method=" + filter.Word(name)); err != nil {
		return m, &NoMethodError{Method: name}
	}
	r.WithContext(func(c *format.Context) {
		var f *filter.Filter
		if f, err = m.expr.Bind(filter.About{Context: c}); err != nil {
			return
		}
		seen := make(map[string]bool)
		for d := range c.Methods() {
			if f.Quick(format.ClassCall, d.ID, 0) != filter.Yes {
				continue
			}
			m.ids = append(m.ids, d.ID)
			if name, _ := c.CallName(d.ID, 0); !seen[name] {
				seen[name] = true
				m.names = append(m.names, name)
			}
		}
	})
	var none *filter.Error
	if errors.As(err, &none) {
		return m, &NoMethodError{name, none.Near}
	}
	if err == nil && len(m.names) == 0 {
		err = &NoMethodError{Method: name}
	}
	return m, err
}

// Complete returns what can be typed at the end of a filter: the candidates replace text[from:]. What was captured in the values of
// row, which may be nil, completes paths.
func Complete(r *lazy.LazyTraceReader, text string, row *lazy.Node) (from int, candidates []filter.Candidate) {
	a := about(r)
	if row != nil && row.Point() != nil {
		a.Row = factsOf(row)
	}
	r.WithContext(func(c *format.Context) {
		a.Context = c
		from, _, candidates = filter.Complete(text, len(text), *a)
	})
	return from, candidates
}

// Suggest returns terms that match a node: calls of the same method, on the same object, with the
// same result, at least as long.
func Suggest(r *lazy.LazyTraceReader, n *lazy.Node) (terms []filter.Candidate) {
	if n.Point() == nil {
		return nil
	}
	x := factsOf(n)
	r.WithContext(func(c *format.Context) { terms = filter.Suggest(c, x) })
	return terms
}

// factsOf returns what a node of the tree tells.
func factsOf(n *lazy.Node) *filter.Facts {
	p := n.Point()
	x := &filter.Facts{Point: p, Thread: n.Thread(), Unfinished: n.State() == lazy.StateUnfinished}
	if p.Class.Container() && n.State() != lazy.StatePending {
		x.Footer = n.Footer()
	}
	if up := n.Parent(); !up.IsThread() {
		x.Parent = format.ParentOf(up.Point())
	}
	if t, ok := n.Time(); ok {
		x.At, x.Duration = t.Start, t.Duration
		x.Known |= filter.KnownAt | filter.KnownDuration
	}
	return x
}
