package query

import (
	"context"
	"slices"
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/literal"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
)

// History finds the values of a location one after the other: what was written, what was read, and
// what was seen of it where an object was recorded with what is in it. Of an object it finds the
// writes and reads in it, and the calls with it as receiver, argument or result.
//
// It is a Collector of a pass; any goroutine may ask it for what has been merged so far.
type History struct {
	r              *lazy.LazyTraceReader
	ctx            *format.Context // to be read by visitors
	scope          Scope
	o              HistoryOptions
	where          *condition
	order          Order
	until, hereKey *orderKey // of the options; nil if they have none
	share          int64     // of the pass; 0 for the usual

	mu    sync.Mutex // guards the fields below
	list  []Sighting // by thread, in the order of the data
	made  []Sighting // constructors that made an object of the location; not counted
	all   int64
	left  [Made + 1]int64 // values that the steps merge or drop, by kind
	ready []Sighting      // list in order, with what was before; nil if not made yet
}

// HistoryOptions tell what to find.
type HistoryOptions struct {
	Location *Location
	Where    *filter.Expr // of the points; nil for all
	// Until, if not nil, is a point: nothing after it is found. Here is one that the table marks.
	Until, Here *HistoryPoint
	Keep        int // most rows; the first ones found are kept
}

// MostValues is how many values answers keep.
const MostValues = 200_000

// NewHistory prepares to find the history of a location.
func NewHistory(r *lazy.LazyTraceReader, scope Scope, o HistoryOptions) *History {
	h := &History{r: r, scope: scope, o: o}
	r.WithContext(func(c *format.Context) { h.ctx = c })
	h.Reset()
	return h
}

// Location returns what the history is of.
func (h *History) Location() *Location { return h.o.Location }

// Run finds the history. tell gets the progress, on the caller's goroutine; it may be nil.
func (h *History) Run(ctx context.Context, tell lazy.Progress) error {
	if err := h.prepare(ctx); err != nil {
		return err
	}
	pass, err := h.over(ctx, h)
	if err != nil {
		return err
	}
	pass.Progress = tell
	l := h.o.Location
	if err := h.r.Pass(ctx, pass); err != nil || pass.Skip == nil || l.Kind != FieldLocation || l.One() {
		return err
	}
	return h.findMade(ctx)
}

// prepare finds out what visitors have to know.
func (h *History) prepare(ctx context.Context) error {
	where := h.scope.with(h.o.Where)
	if where == nil {
		where = everything
	}
	b, err := bound(h.r, where)
	if err != nil {
		return err
	}
	if h.where, err = prepare(ctx, h.r, b, h.scope.Over); err != nil {
		return err
	}
	timeline, err := lazy.TimelineOf(ctx, h.r)
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.order = [...]Order{lazy.TimelineNone: PerThread, lazy.TimelineEvents: ByEvent, lazy.TimelineTimes: ByMoment}[timeline]
	h.mu.Unlock()
	return h.findKeys(ctx)
}

// over returns a pass for values of the location.
func (h *History) over(ctx context.Context, c lazy.Collector) (lazy.Pass, error) {
	l := h.o.Location
	pass := h.scope.Over(c)
	pass.Among = func() ([]literal.Text, bool) { return l.among(), false }
	pass.Skip, pass.Share = h.skip(), h.share
	if l.call == nil {
		return pass, nil
	}
	return pass, h.withinCall(ctx, &pass)
}

// skip returns what the pass need not read, as the summary file tells; nil if that is not known.
func (h *History) skip() func(lazy.PassRange) bool {
	l := h.o.Location
	var a, b, c format.Class
	switch {
	case l.Kind == VariableLocation:
		a, b, c = format.ClassVariableRead, format.ClassVariableWrite, format.ClassSnapshot
	case l.Kind == FieldLocation && l.static:
		a, b, c = format.ClassFieldRead, format.ClassFieldWrite, format.ClassFieldWrite
	case l.one:
		objects := l.objects()
		if len(objects) == 0 {
			return nil
		}
		return lazy.SummaryOf(h.r).SkipWithout(lazy.Want{Objects: objects})
	case l.Kind == FieldLocation:
		return lazy.SummaryOf(h.r).SkipWithout(lazy.Want{
			Point: func(class format.Class, ref, _ int32) bool {
				return (class == format.ClassFieldRead || class == format.ClassFieldWrite) && l.ids[ref] || class == format.ClassSnapshot
			},
			Inside: func(class int32) bool { return l.owners[class] },
		})
	default:
		return nil
	}
	return lazy.SummaryOf(h.r).SkipWithout(lazy.Want{Point: func(class format.Class, ref, _ int32) bool {
		return (class == a || class == b) && l.ids[ref] || class == c && c == format.ClassSnapshot
	}})
}

// findKeys finds the places of the points of the options in the order.
func (h *History) findKeys(ctx context.Context) (err error) {
	var until, here *orderKey
	if h.o.Until != nil {
		if until, err = h.keyAt(ctx, h.o.Until); err != nil {
			return err
		}
	}
	if h.o.Here != nil {
		if here, err = h.keyAt(ctx, h.o.Here); err != nil {
			return err
		}
	}
	h.mu.Lock()
	h.until, h.hereKey, h.ready = until, here, nil
	h.mu.Unlock()
	return nil
}

// withinCall limits a pass to the call that a variable is in.
func (h *History) withinCall(ctx context.Context, pass *lazy.Pass) error {
	call := lazy.PositionHandle(*h.o.Location.call)
	_, event, err := h.r.Find(ctx, call)
	if err != nil {
		return err
	}
	g, err := h.r.Extent(*h.o.Location.call)
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.o.Location.event = event
	h.mu.Unlock()
	list := []lazy.PassRange{g}
	if pass.Ranges != nil {
		list = intersect(list, pass.Ranges)
	}
	pass.Ranges = list
	return nil
}

func (h *History) Reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list, h.made, h.all, h.left, h.ready = nil, nil, 0, [Made + 1]int64{}, nil
}

func (h *History) Visitor() lazy.Visitor {
	v := &historyPart{h: h, l: h.o.Location, among: h.o.Location.traces()}
	if h.where != nil && !h.where.f.Expr().Empty() {
		v.m = h.where.matcher()
	}
	return v
}

func (h *History) Merge(v lazy.Visitor) error {
	p := v.(*historyPart)
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range p.found {
		s := &p.found[i]
		to := &h.list
		switch {
		case s.Kind == Made && h.o.Location.Kind != ObjectLocation:
			to = &h.made // also one that the steps hide
		case !s.left:
			h.all++
		default:
			if h.until == nil || h.until.covers(s, h.order) {
				h.left[s.Kind]++
			}
			continue
		}
		if len(*to) < h.o.Keep {
			*to = append(*to, *s)
		}
	}
	if len(p.found) > 0 {
		h.ready = nil
	}
	return nil
}

// Count returns how many values have been found, and how many are kept.
func (h *History) Count() (all int64, kept int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all, len(h.list)
}

// List returns what has been found so far, in order. The caller does not change it.
func (h *History) List() []Sighting {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sorted()
}

// Places returns where these values are. done tells that the pass has ended.
func (h *History) Places(done bool) *places.Set {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.sorted()
	at := make([]lazy.Position, len(list))
	for i := range list {
		at[i] = list[i].Position
	}
	slices.SortFunc(at, ComparePlaces)
	return placesOf(at, h.all-int64(len(h.list)), done)
}

// Events returns the events with these values, each once, and how many of them are not after the point of the options.
func (h *History) Events() (list []HistoryPoint, before int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	had := make(map[lazy.Position]bool)
	for _, s := range h.sorted() {
		if had[s.Position] {
			continue
		}
		had[s.Position] = true
		list = append(list, s.HistoryPoint)
		if h.hereKey != nil && h.hereKey.covers(&s, h.order) {
			before = len(list)
		}
	}
	return list, before
}

// sorted is List; h is locked.
func (h *History) sorted() []Sighting {
	if h.ready != nil {
		return h.ready
	}
	all := slices.Concat(h.list, h.made)
	sortSightings(all)
	list := all[:0] // of those read so far
	reborn, seen := make(map[[2]int32]bool), make(map[[2]int32]bool)
	for _, s := range all {
		object := [2]int32{s.Place.Class, s.Place.Hash}
		if h.until != nil && !h.until.covers(&s, h.order) {
			continue
		}
		if s.Kind == Made && seen[object] {
			reborn[object] = true
		}
		seen[object] = true
		if s.Kind != Made || h.o.Location.Kind == ObjectLocation {
			s.Reborn = reborn[object]
			delete(reborn, object)
			list = append(list, s)
		}
	}
	h.ready = list
	return list
}

// keyAt returns the place of a point in the order.
func (h *History) keyAt(ctx context.Context, at *HistoryPoint) (*orderKey, error) {
	k, ok, err := readOne(ctx, h.r, &Scope{Raw: true}, at.Position, func(p *lazy.PassPoint) (orderKey, bool, error) {
		return orderKey{p.Thread, p.At, h.order.key(p)}, true, nil
	})
	if err == nil && !ok {
		err = &lazy.NoPositionError{Position: at.Position, Thread: true}
	}
	if err != nil {
		return nil, err
	}
	return &k, nil
}

// mostMade is for how many objects parts of the trace are skipped by the objects in them.
const mostMade = 4096

// findMade finds the constructors of the objects that have several values.
// A pass that skips what has no value of a field skips constructors too. They matter only between two
// values of an object, so they are looked for once the values are known.
func (h *History) findMade(ctx context.Context) error {
	objects := h.several()
	if len(objects) == 0 {
		return nil
	}
	constructs := h.constructors(objects)
	want := lazy.Want{Point: func(class format.Class, ref, _ int32) bool { return class == format.ClassCall && constructs[ref] }}
	if len(objects) <= mostMade {
		want.Objects = objects
	}
	pass := h.scope.Over(&madeCollector{h: h})
	pass.Skip, pass.Share = lazy.SummaryOf(h.r).SkipWithout(want), h.share
	return h.r.Pass(ctx, pass)
}

// constructors returns those of the classes of objects. A class may have several ids.
func (h *History) constructors(objects []format.Value) map[int32]bool {
	ids, classes := make(map[int32]bool), make(map[string]bool)
	for i := range objects {
		ids[objects[i].ClassID] = true
	}
	list := make(map[int32]bool)
	h.r.WithContext(func(c *format.Context) {
		for id := range ids {
			if d := c.Class(id); d != nil {
				classes[d.Name] = true
			}
		}
		for d := range c.Methods() {
			if of := c.Class(d.ClassID); d.Name == constructorName {
				list[d.ID] = ids[d.ClassID] || of != nil && classes[of.Name]
			}
		}
	})
	return list
}

// several returns the objects that have several values.
func (h *History) several() (list []format.Value) {
	h.mu.Lock()
	defer h.mu.Unlock()
	count := make(map[[2]int32]int)
	for i := range h.list {
		in := &h.list[i].Place
		object := [2]int32{in.Class, in.Hash}
		if count[object]++; count[object] == 2 {
			bits := int64(uint32(in.Hash))
			list = append(list, format.Value{Kind: format.ValueObject, ClassID: in.Class, Bits: bits})
			if in.Class == 0 { // perhaps a builder, which has none
				list = append(list, format.Value{Kind: format.ValueBuilder, Bits: bits})
			}
		}
	}
	return list
}

// madeCollector takes only the constructors that a history finds, in place of those that it has.
type madeCollector struct{ h *History }

func (m *madeCollector) Visitor() lazy.Visitor {
	v := m.h.Visitor().(*historyPart)
	v.onlyMade = true
	return v
}

func (m *madeCollector) Reset() {
	m.h.mu.Lock()
	defer m.h.mu.Unlock()
	m.h.made, m.h.ready = nil, nil
}

func (m *madeCollector) Merge(v lazy.Visitor) error { return m.h.Merge(v) }
