package filter

import (
	"slices"
	"strings"
	"sync"

	"tracex/format"
)

// Filter is an [Expr] for the points of one trace. It remembers which ids match, and is for one
// goroutine at a time: see Clone. The Context may grow between two calls.
type Filter struct {
	ctx      *format.Context
	moved    func(event int32) (moved, renamed bool) // see [About]
	expr     *Expr
	root     *part
	ins, has []*Filter
	needs    Needs
	skips    *skipTables
	scratch  scratch
}

// skipTables are the tables of a [format.Prefilter]. The clones of a filter share them.
type skipTables struct {
	once   sync.Once
	tables format.Prefilter
}

// scratch is memory for texts.
type scratch struct {
	text, value []byte
	footer      format.Footer
}

// part is a node with what it knows about the trace.
type part struct {
	op   nodeOp
	kids []*part
	sub  int // of in and has: which one
	text *boundText
	test *boundTest
	cost int
}

// Bind prepares the filter for a trace. A name that a complete trace does not have is an *[Error], and
// so is a time if the trace has none.
func (e *Expr) Bind(a About) (*Filter, error) {
	if a.Context == nil {
		a.Context = format.NewContext(format.Newest)
		a.Growing = true
	}
	if !a.Growing {
		if err := e.check(a); err != nil {
			return nil, err
		}
	}
	return e.bind(&a, e.root), nil
}

func (e *Expr) bind(a *About, root *node) *Filter {
	f := &Filter{ctx: a.Context, moved: a.Moved, expr: e, skips: new(skipTables)}
	f.root = f.part(a, root)
	f.needs = f.root.needs()
	return f
}

func (f *Filter) part(a *About, n *node) *part {
	p := &part{op: n.op}
	switch n.op {
	case opAnd, opOr, opNot:
		for _, k := range n.kids {
			p.kids = append(p.kids, f.part(a, k))
		}
		for _, k := range p.kids {
			p.cost = max(p.cost, k.cost)
		}
		// The order does not change the result: first what is cheap.
		slices.SortStableFunc(p.kids, func(a, b *part) int { return a.cost - b.cost })
	case opIn:
		p.sub, f.ins = len(f.ins), append(f.ins, f.expr.bind(a, n.kids[0]))
	case opHas:
		p.sub, f.has = len(f.has), append(f.has, f.expr.bind(a, n.kids[0]))
	case opText:
		p.text, p.cost = &boundText{matcher: n.text, paren: strings.Contains(n.raw, "("), equals: strings.Contains(n.raw, "=")}, 4
	case opTest:
		p.test, p.cost = &boundTest{test: *n.test}, n.test.cost()
	}
	return p
}

// cost orders tests by the time that they take.
func (t *test) cost() int {
	switch t.field.kind {
	case kindValue, kindObject:
		if t.op == opRegexp || t.op == opContains {
			return 3
		}
		return 2
	}
	return 1
}

// Expr returns the expression of the filter.
func (f *Filter) Expr() *Expr { return f.expr }

// Subs returns the filters of in(…) and of has(…), each in the order in which they are in the text.
// The caller finds out which of them hold at a point, see [Facts]. What is nested in one of them is in
// that filter's own Subs.
func (f *Filter) Subs() (ins, has []*Filter) { return f.ins, f.has }

// Clone returns a copy for another goroutine.
func (f *Filter) Clone() *Filter {
	c := &Filter{ctx: f.ctx, moved: f.moved, expr: f.expr, root: f.root.clone(), needs: f.needs, skips: f.skips}
	for _, s := range f.ins {
		c.ins = append(c.ins, s.Clone())
	}
	for _, s := range f.has {
		c.has = append(c.has, s.Clone())
	}
	return c
}

func (p *part) clone() *part {
	c := *p
	c.kids = make([]*part, len(p.kids))
	for i, k := range p.kids {
		c.kids[i] = k.clone()
	}
	if p.text != nil {
		t := *p.text
		t.methods, t.locations = p.text.methods.clone(), p.text.locations.clone()
		c.text = &t
	}
	if p.test != nil {
		t := *p.test
		t.ids, t.classes, t.names = p.test.ids.clone(), p.test.classes.clone(), nil
		c.test = &t
	}
	return &c
}
