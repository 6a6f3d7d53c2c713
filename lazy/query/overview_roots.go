package query

import (
	"sync"

	"tracex/format"
	"tracex/lazy"
)

// rootCalls finds the longest calls that are in no other call, or in a trace without times those with
// the most events. Calls whose time is not known come last. It is a Collector.
type rootCalls struct {
	r     *lazy.LazyTraceReader
	timed bool
	most  int

	mu   sync.Mutex // guards the fields below
	n    int64
	best []rootCall
	open int64 // points, so far, of the root call that is open after the part merged last
}

// rootCall is a root call.
type rootCall struct {
	OverviewCall
	ref int32
	// weight is what root calls are compared by: the duration, -1 if not known, or the events; until Merge those in
	// the part that it ended in.
	weight int64
}

func newRootCalls(r *lazy.LazyTraceReader, most int) *rootCalls {
	c := &rootCalls{r: r, most: most}
	_, c.timed = r.Times()
	return c
}

func (c *rootCalls) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n, c.best, c.open = 0, nil, 0
}

func (c *rootCalls) Visitor() lazy.Visitor { return &rootsPart{of: c} }

func (c *rootCalls) Merge(v lazy.Visitor) error {
	p := v.(*rootsPart)
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.ended {
		if !c.timed {
			p.first.weight += c.open
		}
		c.add(&c.best, p.first)
	}
	for i := range p.best {
		c.add(&c.best, p.best[i])
	}
	c.n += p.n
	if !p.goesOn || p.ended {
		c.open = 0
	}
	if p.depth > 0 {
		c.open += p.rest()
	}
	return nil
}

// Takes is for the pass.
func (c *rootCalls) Takes() bool { return true }

// Take is for the pass: a visitor has a few calls, however long its part is.
func (c *rootCalls) Take(lazy.Visitor) error { return nil }

// add adds a call to a list of the first ones; of equals the one that was there first stays before.
func (c *rootCalls) add(list *[]rootCall, x rootCall) {
	l := *list
	i := len(l)
	for i > 0 && l[i-1].weight < x.weight {
		i--
	}
	if i == c.most {
		return
	}
	if l = append(l, x); len(l) > c.most {
		l = l[:c.most]
	}
	copy(l[i+1:], l[i:])
	l[i] = x
	*list = l
}

// longest returns the first root calls so far, and how many there are.
func (c *rootCalls) longest() (list []OverviewCall, n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list = []OverviewCall{}
	c.r.WithContext(func(ctx *format.Context) {
		for _, x := range c.best {
			x.Name, _ = ctx.CallName(x.ref, 0)
			switch {
			case !c.timed:
				x.Events, x.Bound = &x.weight, ""
			case x.weight >= 0:
				x.Duration = &x.weight
			}
			list = append(list, x.OverviewCall)
		}
	})
	return list, c.n
}

// rootsPart is the visitor of rootCalls.
type rootsPart struct {
	of     *rootCalls
	depth  int   // open calls
	seen   int64 // points of the thread in the part
	from   int64 // seen before the open root call; 0 if that began before the part
	goesOn bool  // a root call was open at the beginning
	ended  bool  // it has ended: it is first
	first  rootCall
	n      int64 // root calls that ended in the part
	best   []rootCall
}

// rest returns the points of the root call that is open at the end.
func (v *rootsPart) rest() int64 { return v.seen - v.from }

func (v *rootsPart) Begin(_ int32, around []lazy.PassFrame) {
	v.depth, v.seen, v.from = 0, 0, 0
	for i := range around {
		if around[i].Class == format.ClassCall {
			v.depth++
		}
	}
	v.goesOn = v.depth > 0
}

func (v *rootsPart) Leaf(*lazy.PassPoint) { v.seen++ }

func (v *rootsPart) Enter(p *lazy.PassPoint) {
	if p.Class == format.ClassCall {
		if v.depth == 0 {
			v.from = v.seen
		}
		v.depth++
	}
	v.seen++
}

func (v *rootsPart) Exit(p *lazy.PassPoint) {
	if p.Class != format.ClassCall {
		return
	}
	if v.depth--; v.depth > 0 {
		return
	}
	v.n++
	x := rootCall{ref: p.Ref, weight: v.rest()}
	x.Unended = p.State != lazy.StateWhole
	if v.of.timed {
		x.weight = -1
		if t, ok := p.Time(); ok && !x.Unended {
			x.weight = t.Duration
		}
	}
	begun := v.goesOn && !v.ended
	if !begun && len(v.best) == v.of.most && v.best[len(v.best)-1].weight >= x.weight {
		return
	}
	x.Kind, x.OverviewPlace = "call", eventPlace(eventOf(p))
	x.Threw, _ = p.Threw() // the pass gets the error too
	if f, err := p.Footer(); err == nil && f != nil {
		if x.Threw {
			x.Exception = f.Exception
		}
		if point, err := p.Point(); err == nil && format.Partial(point, f) {
			x.Bound = "at least"
		}
	}
	if begun {
		v.first, v.ended = x, true
		return
	}
	v.of.add(&v.best, x)
}
