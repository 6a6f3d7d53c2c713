package query

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"tracex/format"
	"tracex/lazy"
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

// HistoryPoint is a point of the trace.
type HistoryPoint struct {
	lazy.Position
	Event int32
}

// SightingKind is how a value was seen.
type SightingKind uint8

const (
	Written  SightingKind = iota
	WasRead               // a read point
	Seen                  // in a recorded object or array
	Receiver              // of a call; the kinds below are of objects only
	Argument
	Result
	Made // its constructor
)

func (k SightingKind) String() string {
	return [...]string{"write", "read", "sighting", "receiver", "argument", "result", "new"}[k]
}

// Sighting is a value of a location at a point.
type Sighting struct {
	HistoryPoint
	Kind    SightingKind
	Place   HeldIn
	Name    string // of a field, variable or element; or of the object, where there may be several
	Value   HeldValue
	In      int32 // method of the call that it is in, or of the call that it is; -1 if there is none
	InEvent int32
	Caller  int32 // method of the call around that; -1
	Reborn  bool  // the constructor of the object ran since the value before: it may be another object
	left    bool  // a step merges or drops it

	pos int64 // order within the thread
	key int64 // order among threads
}

// HeldIn is a single place that holds a value. Two values in equal places follow each other.
type HeldIn struct {
	Class, Hash int32 // of the object
	Ref, Index  int32 // field or variable, element
	Call        int64 // where the call of a variable begins, and its thread
	Thread      int32
}

// HeldValue is a recorded value: as text, and as a number if it is one.
type HeldValue struct {
	Text    string
	Numeric Numeric
	Int     int64
	Float   float64
}

// Numeric tells whether a value is a number.
type Numeric uint8

const (
	NoNumber Numeric = iota
	WholeNumber
	FloatNumber
)

// longestHeld bounds the text of a value.
const longestHeld = 1 << 10

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
	pass.Among, pass.Skip, pass.Share = l.among(), h.skip(), h.share
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

// sortSightings puts values in order: by key, threads, and places in them. Within a thread the order is
// that of the data, so keys are made to rise there.
func sortSightings(list []Sighting) {
	slices.SortStableFunc(list, func(a, b Sighting) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.pos, b.pos), cmp.Compare(a.Kind.rank(), b.Kind.rank()))
	})
	for i := 1; i < len(list); i++ {
		if list[i].Thread == list[i-1].Thread {
			list[i].key = max(list[i].key, list[i-1].key)
		}
	}
	slices.SortStableFunc(list, func(a, b Sighting) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.Thread, b.Thread))
	})
}

// rank puts a constructor before what it does.
func (k SightingKind) rank() int {
	if k == Made {
		return -1
	}
	return int(k)
}

// Order is by what the values of several threads are put in order.
type Order uint8

const (
	ByEvent   Order = iota // numbers of events: one counter for all threads
	ByMoment               // times
	PerThread              // by none: one thread after the other
)

// orderKey is the place of a point in the order.
type orderKey struct {
	thread   int32
	pos, key int64
}

// covers reports whether a value is not after the point, as far as the order tells.
func (k *orderKey) covers(s *Sighting, o Order) bool {
	if s.Thread == k.thread {
		return s.pos <= k.pos
	}
	return o == PerThread || s.key <= k.key
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

// key returns what orders a point among threads.
func (o Order) key(p *lazy.PassPoint) int64 {
	switch o {
	case ByEvent:
		return int64(p.Last())
	case ByMoment:
		if ns, ok := p.Moment(); ok {
			return ns
		}
		return -1 << 62
	}
	return 0
}

// beginning is key for a call, also when it ends: where it begins.
func (o Order) beginning(p *lazy.PassPoint) int64 {
	switch t, ok := p.Time(); {
	case o == ByEvent:
		return int64(p.Event)
	case o == PerThread:
		return 0
	case ok:
		return t.Start
	}
	return -1 << 62
}
