package query

import (
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/places"
)

// Differences are the places where the two traces of a diff differ: what was removed, with everything in it, what was added,
// and what was edited, which is at the new row. It is a Collector of a pass; any goroutine may ask it for what has been
// merged so far.
type Differences struct {
	Set *places.Set // the places, in the order of the trace
	// Took returns how long an event of the diff took in the two traces, in nanoseconds, -1 if that is not known. Visitors call
	// it. nil if not both traces have times.
	Took func(event int32) ([2]int64, error)

	r     *lazy.LazyTraceReader
	scope Scope

	mu     sync.Mutex // guards the fields below
	counts DifferenceCounts
	left   int64 // places that the filter of the scope leaves out
	groups map[differenceKey]*difference
	paired map[int32]bool // the added ones of the pairs that are counted, by event
	// before is an edited row, as it was, that ended a part: the new one should begin the next part. nil if there is none.
	before *oldRow
}

// DifferenceCounts tells how many places differ.
type DifferenceCounts struct {
	Removed, Added, Edited int64
	Moved, Renamed         int64 // pairs with one or both among Removed and Added
}

func (n DifferenceCounts) All() int64 { return n.Removed + n.Added + n.Edited }

// differenceKey is what the places of a row of the table have in common.
type differenceKey struct{ kind, what string }

// difference is what is known of them.
type difference struct {
	differenceKey
	count   int64
	took    [2]int64 // ns in A and in B; -1 if no place has a time there
	first   HistoryPoint
	changes []Change // of the first
}

// NewDifferences returns the Differences of a trace. Add it to the pass that scope returns.
func NewDifferences(r *lazy.LazyTraceReader, scope Scope) *Differences {
	d := &Differences{Set: places.New(), r: r, scope: scope}
	d.Reset()
	return d
}

func (d *Differences) Reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Set.Reset()
	d.counts, d.left, d.groups, d.before = DifferenceCounts{}, 0, make(map[differenceKey]*difference), nil
	d.paired = make(map[int32]bool)
}

// Counts returns how many places are known to differ.
func (d *Differences) Counts() DifferenceCounts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.counts
}

// LeftOut returns how many places are known that the filter of the scope leaves out.
func (d *Differences) LeftOut() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.left
}

// Within changes the scope, before the pass.
func (d *Differences) Within(scope Scope) { d.scope = scope }

// Finish is called after the pass: there are no more places.
func (d *Differences) Finish() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.alone()
	d.Set.Finish()
}

// Places returns where the differences found so far are. done tells that the pass has ended.
func (d *Differences) Places(done bool) *places.Set {
	if done {
		d.Finish()
	}
	return d.Set
}

func (d *Differences) Visitor() lazy.Visitor {
	return &differencesPart{where: d.scope.matcher(), took: d.Took, moves: d.r.Moves()}
}

func (d *Differences) Merge(v lazy.Visitor) error {
	p := v.(*differencesPart)
	d.mu.Lock()
	defer d.mu.Unlock()
	found := p.found
	if d.before != nil && p.seen {
		if len(found) > 0 && found[0].follows(d.before) {
			found[0].compare(d.before)
			d.before = nil
		}
		d.alone()
	}
	for i := range found {
		d.add(&found[i])
	}
	if p.last != nil {
		d.before = p.last
	}
	if p.seen {
		d.Set.Reached(p.upto)
	}
	return nil
}

// alone counts the edited row that ended the part before, as no new one follows.
func (d *Differences) alone() {
	if d.before != nil {
		d.add(d.before.found())
		d.before = nil
	}
}

func (d *Differences) add(f *foundDifference) {
	if !f.counts {
		d.left++
		return
	}
	switch p := f.pair; {
	case f.kind == "edited":
		d.counts.Edited++
	case f.kind == "added" || p != nil && p.Event == f.place.Event:
		d.counts.Added++
	default:
		d.counts.Removed++
	}
	if p := f.pair; p != nil && !d.paired[p.Event] {
		if d.paired[p.Event] = true; p.Renamed {
			d.counts.Renamed++
		} else {
			d.counts.Moved++
		}
	}
	d.Set.Add(f.place.Thread, f.place.At)
	g := d.groups[f.differenceKey]
	if g == nil {
		g = &difference{differenceKey: f.differenceKey, first: f.place, changes: f.changes, took: [2]int64{-1, -1}}
		d.groups[f.differenceKey] = g
	}
	g.count++
	for side, other := range [...]string{"added", "removed"} {
		if ns := f.took[side]; ns >= 0 && f.kind != other {
			g.took[side] = max(0, g.took[side]) + ns
		}
	}
}

// foundDifference is a place that differs.
type foundDifference struct {
	differenceKey
	place   HistoryPoint
	depth   int
	edited  bool     // it is the new row of an edited pair
	first   bool     // nothing of its part is before it
	counts  bool     // the filter matches, or there is none
	of      string   // what the point is of
	took    [2]int64 // see Differences.Took
	values  Values   // of an edited row
	changes []Change
	pair    *lazy.Move // of a moved or renamed one: the added row
}

// follows reports whether it is the new row of an edited one that ended the part before.
func (f *foundDifference) follows(was *oldRow) bool {
	return f.first && f.edited && f.depth == was.depth && f.place.Thread == was.place.Thread
}

// compare tells what is different between an edited row and what it was.
func (f *foundDifference) compare(was *oldRow) {
	f.changes = was.values.Changes(f.values)
	f.what = EditOf(f.of, f.changes)
}

// oldRow is an edited row as it was, until the new one is seen.
type oldRow struct {
	place  HistoryPoint
	of     string
	values Values
	depth  int
	counts bool
	took   [2]int64
}

// found returns the place of an edited row that has no new one.
func (o *oldRow) found() *foundDifference {
	return &foundDifference{differenceKey: differenceKey{"edited", o.of}, place: o.place, depth: o.depth, counts: o.counts, took: o.took}
}

// differencesPart is the visitor of a part.
type differencesPart struct {
	where *matcher // nil if all counts
	took  func(event int32) ([2]int64, error)
	moves lazy.Moves
	found []foundDifference
	last  *oldRow
	// whole is how many containers are around the one, still open, that was removed or added with everything in it; -1
	// if there is none.
	whole int
	seen  bool          // any point was
	upto  lazy.Position // after the last one
}

func (v *differencesPart) Begin(int32, []lazy.PassFrame) {
	v.alone()
	v.whole = -1
	v.where.begin()
}

// Around learns whether everything in the part was removed or added.
func (v *differencesPart) Around(p *lazy.PassPoint) {
	if head, err := p.Head(); err != nil {
		p.Fail(err)
	} else if v.whole < 0 && (head.Diff == format.DiffRemoved || head.Diff == format.DiffAdded) {
		v.whole = p.Depth
	}
	v.where.enter(p)
}

func (v *differencesPart) Leaf(p *lazy.PassPoint) { v.visit(p) }

func (v *differencesPart) Enter(p *lazy.PassPoint) {
	if d := v.visit(p); v.whole < 0 && (d == format.DiffRemoved || d == format.DiffAdded) {
		v.whole = p.Depth
	}
	v.where.enter(p)
}

func (v *differencesPart) Exit(p *lazy.PassPoint) {
	if p.Depth == v.whole {
		v.whole = -1
	}
	if v.last != nil && v.last.depth > p.Depth {
		v.alone()
	}
	v.where.exit()
}

// visit notes a point that differs, and returns its status.
func (v *differencesPart) visit(p *lazy.PassPoint) format.DiffStatus {
	first := !v.seen
	v.seen, v.upto = true, lazy.Position{Thread: p.Thread, At: p.At + 1}
	status := statusOf(p)
	old := v.last
	if status != format.DiffEditedNew || old != nil && old.depth != p.Depth {
		v.alone()
		old = nil
	}
	if v.last = nil; status <= format.DiffUnchanged || v.whole >= 0 {
		return status
	}
	point, foot, err := wholePoint(p)
	if err != nil {
		p.Fail(err)
		return status
	}
	f := foundDifference{place: HistoryPoint{placeOf(p), p.Event}, depth: p.Depth, first: first, counts: v.where.match(p), took: [2]int64{-1, -1}}
	if v.took != nil && f.counts {
		if f.took, err = v.took(p.Event); err != nil {
			p.Fail(err)
			return status
		}
	}
	f.kind, f.edited = kindOf(status), status == format.DiffEditedNew
	f.of = Subject(p.Context(), point)
	switch f.what = f.of; status {
	case format.DiffEditedOld:
		v.last = &oldRow{f.place, f.of, ValuesOf(p.Context(), point, foot), p.Depth, f.counts, f.took}
		return status
	case format.DiffEditedNew:
		f.values = ValuesOf(p.Context(), point, foot)
	default:
		f.what = DeedOf(p.Class, f.of)
	}
	if old != nil {
		f.compare(old)
	}
	f.pairOf(p.Context(), v.moves)
	if !f.first {
		f.values = nil
	}
	v.found = append(v.found, f)
	return status
}

// alone notes the edited row that was seen last: no new one follows.
func (v *differencesPart) alone() {
	if v.last == nil {
		return
	}
	v.found = append(v.found, *v.last.found())
	v.last = nil
}
