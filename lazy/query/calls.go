package query

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/compact"
	"tracex/lazy/internal/spill"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/histogram"
	"tracex/lazy/query/places"
)

// Calls finds all calls of a method, or those that match a filter: a row for each, or a row for
// those with the same value in a column. Any goroutine may ask for its table while Run runs.
type Calls struct {
	Set   *places.Set // the calls, in the order of the trace; empty if they are grouped
	r     *lazy.LazyTraceReader
	scope Scope
	o     CallsOptions
	where *filter.Expr
	about callsAbout
	limit callsLimits

	mu     sync.Mutex // guards the fields below
	sums   callsSums
	list   callsList
	groups *callGroups // nil if there is a row for each call
	joined joinedCalls
}

// callsLimits bound the memory. Tests make them small.
type callsLimits struct {
	share    int64 // of the pass, see [lazy.Pass.Share]
	rows     int   // that are listed
	ordered  int   // rows that an order keeps at once
	texts    int   // different values to sort by
	textSize int   // their bytes
	sure     int   // rows in order if there are more
	groups   int   // different values with a row
}

var usualCallsLimits = callsLimits{share: busyShare, rows: places.MaxPlaces, ordered: compact.UsualPart, texts: 1 << 18, textSize: 8 << 20, sure: 10_000, groups: mostGroups}

// CallsOptions tell which calls are meant, and what is a row.
type CallsOptions struct {
	What    string       // a method, as people write it, or a filter
	Where   *filter.Expr // what must match besides; may be nil
	By      string       // the column whose values have a row each; "" for a row for each call
	Sort    string       // the column that orders the rows; "" for the usual
	Reverse bool         // the other way round than usual, see [CallsRise]
	Only    *OnlyCalls   // may be nil
	Cols    []string     // more columns to show: arg.1.name, iter
}

// OnlyCalls limits calls to those with a value in a column, as a table by this column has them.
type OnlyCalls struct {
	By, Key string
	Text    string // the value as shown
}

// callsAbout is what is known about calls before they are looked for.
type callsAbout struct {
	timed   bool
	methods []string // names of the methods asked for; nil for a filter
	by      callColumn
	sort    callColumn
	order   string // the key of the column that sorts groups
	rising  bool
	only    callColumn
	cols    []callColumn // more that are shown
	threads int          // of the trace
	// iterations is that a column has the number of the iteration around a call.
	iterations bool
}

// NewCalls prepares to find calls in a scope. The error is a [NoMethodError], a [filter.Error] or a
// [ColumnError].
func NewCalls(r *lazy.LazyTraceReader, scope Scope, o CallsOptions) (*Calls, error) {
	c := &Calls{Set: places.New(), r: r, scope: scope, o: o, limit: usualCallsLimits}
	_, c.about.timed = r.Times()
	c.about.threads = r.ThreadList().Len()
	var err error
	if c.where, c.about.methods, err = callsWhere(r, o.What); err != nil {
		return nil, err
	}
	if c.o.Where = scope.with(o.Where); c.o.Where != nil && !c.o.Where.Empty() {
		if err := Check(r, c.o.Where); err != nil {
			return nil, err
		}
		c.where = filter.And(c.where, c.o.Where)
	}
	if err := c.columns(); err != nil {
		return nil, err
	}
	c.Reset()
	return c, nil
}

// columns finds the columns of the options.
func (c *Calls) columns() (err error) {
	o, a := &c.o, &c.about
	if o.By != "" {
		a.by, err = parseCallColumn(c.r, o.By)
		var unknown *ColumnError
		if errors.As(err, &unknown) || err == nil && !a.by.groups() {
			err = &ColumnError{Name: o.By, To: "group", Can: groupWords}
		}
	}
	if err == nil && o.Only != nil {
		a.only, err = parseCallColumn(c.r, o.Only.By)
	}
	if err != nil {
		return err
	}
	for _, name := range o.Cols {
		var col callColumn
		if col, err = parseCallColumn(c.r, name); err != nil || !col.groups() {
			return &ColumnError{Name: name, To: "show", Can: groupWords}
		}
		a.cols = append(a.cols, col)
	}
	defer func() {
		for _, col := range append([]callColumn{a.by, a.sort, a.only}, a.cols...) {
			a.iterations = a.iterations || col.kind == columnIter
		}
	}()
	if err := c.named(a.by, "group"); err != nil {
		return err
	}
	for _, col := range append(slices.Clone(a.cols), a.only) {
		if err := c.named(col, "show"); err != nil {
			return err
		}
	}
	if o.By != "" { // the rows of groups are in memory: their table sorts them
		return c.groupOrder()
	}
	if o.Sort == "" {
		a.sort = callColumn{kind: columnEvent}
		if a.timed {
			a.sort.kind = columnDuration
		}
		a.rising = a.sort.rises() != o.Reverse
		return nil
	}
	if a.sort, err = parseCallColumn(c.r, o.Sort); err != nil {
		return err
	}
	if err := c.named(a.sort, "sort"); err != nil {
		return err
	}
	a.rising = a.sort.rises() != o.Reverse
	switch a.sort.kind {
	case columnDuration, columnSelf, columnStart:
		if !a.timed {
			return &ColumnError{Name: o.Sort, To: "sort", Can: []string{"events", "event", "arg.1", "ret", "recv", "thread", "caller", "threw"}, Why: noTimes}
		}
	case columnEvents:
		if a.timed {
			return &ColumnError{Name: o.Sort, To: "sort", Can: []string{"dur", "self", "start", "event", "arg.1", "ret", "recv", "thread", "caller", "threw"},
				Why: "events are counted only in traces without times"}
		}
	case columnIn, columnCalling:
		return &ColumnError{Name: o.Sort, To: "sort", Can: sortWords}
	}
	return nil
}

// named returns an error if no call has an argument or a result of the name that a column has.
func (c *Calls) named(col callColumn, to string) error {
	a := about(c.r)
	if a.Growing || col.at.Path == "" {
		return nil
	}
	field, _, _ := strings.Cut(col.word(), ".")
	why, hint := "", ""
	var near []string
	c.r.WithContext(func(x *format.Context) {
		a.Context = x
		why, hint, near = c.where.Lacks(*a, field, col.at)
	})
	if why == "" {
		return nil
	}
	return &ColumnError{Name: col.word(), To: to, Can: near, Why: why, Help: hint}
}

const noTimes = "this trace has no times"

// groupOrder finds what sorts groups.
func (c *Calls) groupOrder() error {
	o, a := &c.o, &c.about
	a.order = cmp.Or(o.Sort, "calls")
	if by, err := parseCallColumn(c.r, a.order); err == nil && by.key() == a.by.key() && a.order != "threw" {
		a.order = "value"
	}
	switch {
	case !slices.Contains(GroupSorts, a.order):
		return &ColumnError{Name: o.Sort, To: "sort", Can: GroupSorts}
	case !a.timed && slices.Contains([]string{"total", "mean", "p99", "max"}, a.order):
		return &ColumnError{Name: o.Sort, To: "sort", Can: []string{"calls", "threw", "value"}, Why: noTimes}
	}
	a.rising = (a.order == "value") != o.Reverse
	return nil
}

// callsWhere returns the filter for what a user asked for, and the names of the methods if it is a
// method.
func callsWhere(r *lazy.LazyTraceReader, what string) (where *filter.Expr, methods []string, err error) {
	f, none := methodNamed(r, what)
	if none == nil {
		return f.expr, f.names, nil
	}
	e, err := filter.Parse(what)
	if err != nil {
		if strings.ContainsAny(what, `=<>~:"`) {
			return nil, nil, err
		}
		return nil, nil, none
	}
	if e.Empty() || e.Bare() {
		return nil, nil, none
	}
	e = filter.And(e, callsFilter)
	if err := Check(r, e); err != nil {
		return nil, nil, err
	}
	return e, nil, nil
}

// Where returns what the calls match.
func (c *Calls) Where() *filter.Expr { return c.where }

// callsSums are what is known about all calls found.
type callsSums struct {
	calls   int64
	threads int
	last    int32 // thread
	ended   int64 // calls whose end the pass has seen
	threw   int64
	unended int64
	untimed int64 // ended, in a trace with times, without one
	total   int64 // ns: of calls in no other call that was found
	times   histogram.Histogram
	methods map[int32]bool
	args    int  // most arguments of a call
	objects bool // a call has a receiver
}

// Run finds the calls. tell gets the progress, on the caller's goroutine; it may be nil. After an
// error, or if ctx ends, the table is that of what was found.
func (c *Calls) Run(ctx context.Context, tell lazy.Progress) error {
	b, err := bound(c.r, c.where)
	if err != nil {
		return err
	}
	over := func(list ...lazy.Collector) lazy.Pass {
		pass := c.scope.Over(list...)
		pass.Share = c.limit.share
		return pass
	}
	cond, err := prepare(ctx, c.r, b, over)
	if err != nil {
		return err
	}
	found := &callsCollector{Calls: c}
	found.pool.renew(func() *callsPart { return newCallsPart(c, cond) })
	pass := over(found)
	pass.Skip = cond.skipBeside(c.r)
	var last time.Time
	var took time.Duration
	pass.Progress = func(done, total int64) {
		if now := time.Now(); c.groups == nil && now.Sub(last) >= max(orderAgain, 10*took) {
			c.arrange(c.list.firstRows())
			last, took = now, time.Since(now)
		}
		if tell != nil {
			tell(done, total)
		}
	}
	if err = c.r.Pass(ctx, pass); err == nil {
		c.Set.Finish()
	}
	c.arrange(c.list.inOrder())
	return err
}

// orderAgain is how long rows are in one order at least while calls are being looked for.
const orderAgain = 300 * time.Millisecond

// arrange puts the rows in order. Only the goroutine of Run changes what they are sorted by.
func (c *Calls) arrange(order *compact.Order) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list.order, c.list.arranged = order, c.list.n
}

// Sort puts the rows in the order of another column after Run has ended, if that takes no other
// pass.
func (c *Calls) Sort(name string, reverse bool) bool {
	if c.o.By != "" {
		return c.sortGroups(name, reverse)
	}
	by, err := parseCallColumn(c.r, name)
	if err != nil || !c.list.sorts(&by) || by.kind == columnEvents == c.about.timed && (by.kind == columnEvents || by.kind == columnSelf) {
		return false
	}
	list := c.list // its numbers do not change any more
	list.by, list.rising = by, by.rises() != reverse
	order := list.inOrder()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list.by, c.list.rising = list.by, list.rising
	c.list.order, c.list.arranged = order, c.list.n
	c.about.sort, c.about.rising = list.by, list.rising
	return true
}

// sortGroups is Sort for groups.
func (c *Calls) sortGroups(name string, reverse bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.o
	c.o.Sort, c.o.Reverse = name, reverse
	if err := c.groupOrder(); err != nil {
		c.o = before
		return false
	}
	return true
}

// callsCollector is the collector of Calls.
type callsCollector struct {
	*Calls
	pool partPool[*callsPart]
}

func (c *callsCollector) Visitor() lazy.Visitor { return c.pool.get() }

func (c *callsCollector) Merge(v lazy.Visitor) error {
	p := v.(*callsPart)
	if err := c.merge(p); err != nil {
		return err
	}
	c.pool.put(p)
	return nil
}

// Takes is for the pass.
func (c *callsCollector) Takes() bool { return true }

// Take is for the pass.
func (c *callsCollector) Take(v lazy.Visitor) error {
	p := v.(*callsPart)
	err := c.merge(p)
	p.forget()
	return err
}

// Reset forgets all calls found.
func (c *Calls) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Set.Reset()
	c.sums = callsSums{last: -1, methods: make(map[int32]bool)}
	c.list = newCallsList(c.Set, c.about.sort, c.about.rising, &c.limit)
	c.joined.open.Reset()
	c.joined = joinedCalls{}
	if c.groups = nil; c.o.By != "" {
		c.groups = newCallGroups(c.limit.groups)
	}
}

// joinedCalls are the calls that are open between two parts of a thread.
type joinedCalls struct {
	open spill.Stack[joinedCall]
	seen int64 // points of all parts merged
}

// joinedCall is an open call that was found.
type joinedCall struct {
	openHere
	row int // in the list
}

// merge adds what a part found.
func (c *Calls) merge(p *callsPart) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	j := &c.joined
	if p.around <= 0 {
		j.open.Reset()
	}
	if max(p.around, 0) != j.open.Len() {
		return errors.New("a part of a thread does not begin where the one before ended")
	}
	first := c.list.n + int(c.list.beyond)
	found := p.found
	for _, t := range p.threads {
		if c.sums.last != t.thread {
			c.sums.last = t.thread
			c.sums.threads++
		}
		c.sums.calls += int64(t.count)
		if c.groups == nil {
			c.list.add(t.thread, found[:t.count])
		}
		found = found[t.count:]
	}
	for m := range p.methods {
		c.sums.methods[m] = true
	}
	c.sums.args, c.sums.objects = max(c.sums.args, p.args), c.sums.objects || p.objects
	c.list.begin(&p.values, c.groups)
	for i := range p.ended {
		c.end(p, &p.ended[i], first)
	}
	j.join(p, first)
	return cmp.Or(p.stack.Err(), j.open.Err())
}

// join takes the calls that are open in a part, and its points. From then on they are around what is left of the part.
func (j *joinedCalls) join(p *callsPart, first int) {
	// Of those that it had before, the part added to the innermost only.
	for i := max(p.joined-1, 0); i < p.stack.Len(); i++ {
		o := *p.stack.At(i)
		switch {
		case o.found == notFound:
			continue
		case o.found < 0:
			j.open.Last().join(&o)
		default:
			row := first + int(o.found)
			o.seen += j.seen
			j.open.Push(joinedCall{o, row})
			o.found = int32(^(j.open.Len() - 1))
		}
		o.seen, o.calls, o.vague = 0, 0, false
		p.stack.Put(i, o)
	}
	j.seen += p.seen
	p.joined, p.around = p.stack.Len(), j.open.Len()
}

// end completes a call.
func (c *Calls) end(p *callsPart, e *endedCall, first int) {
	j := &c.joined
	row := first + int(e.found)
	if e.found < 0 {
		open := *j.open.Last()
		j.open.Pop()
		open.join(&e.openHere)
		open.seen = j.seen + e.openHere.seen - open.seen
		e.openHere, row = open.openHere, open.row
	}
	c.sums.end(e, c.about.timed)
	if c.groups == nil {
		c.list.end(&p.values, e, row, c.about.timed)
	} else {
		c.groups.end(&p.values, &p.results, e)
	}
}

// end adds a call that has ended.
func (s *callsSums) end(e *endedCall, timed bool) {
	s.ended++
	if e.threw {
		s.threw++
	}
	switch {
	case e.state != lazy.StateWhole:
		s.unended++
	case e.time.Duration >= 0:
		s.times.Add(e.time.Duration)
		if e.outer {
			s.total += e.time.Duration
		}
	case timed:
		s.untimed++
	}
}
