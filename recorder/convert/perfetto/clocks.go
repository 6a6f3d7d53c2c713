package perfetto

import (
	"math"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
	"tracex/recorder/convert/fit"
)

// Clocks with a fixed number in Perfetto's protocol. Numbers from 64 to 127 belong
// to the sequence that uses them, all others to the trace.
const (
	clockRealtime  = pbfield.BuiltinClock_BUILTIN_CLOCK_REALTIME
	clockMonotonic = pbfield.BuiltinClock_BUILTIN_CLOCK_MONOTONIC
	clockBoottime  = pbfield.BuiltinClock_BUILTIN_CLOCK_BOOTTIME
	firstOwnClock  = pbfield.BuiltinClock_BUILTIN_CLOCK_MAX_ID + 1
	firstFreeClock = 128
)

func clockOf(sequence, clock uint32) clockID { return clockOn(0, sequence, clock) }

// clockOn is clockOf for a sequence on a machine.
func clockOn(machine, sequence, clock uint32) clockID {
	if clock < firstOwnClock || clock >= firstFreeClock {
		return clockID{0, clock, machine}
	}
	return clockID{sequence, clock, 0}
}

// clocks converts times of any clock to that of the trace.
//
// A snapshot has the readings of several clocks at one moment. Snapshots of the same
// clocks form a table with a column for each clock. To convert a time from one clock
// to another, the last row before it is used, or several tables in turn, as few as
// possible.
type clocks struct {
	trace   clockID // the clock of the trace
	used    bool    // a time was converted: trace and unnamed can no longer change
	unnamed uint32  // the clock of packets that name none, if that is not the trace's; see fix
	domains map[clockID]*domain
	tables  map[string]*snapshots // by their clocks
	version int                   // from 1; earlier conversions are outdated
	key     []byte
	bridged map[uint32]bool // machines whose clocks are related to the trace's

	monotonic conversion // of times in old fields
	others    conversion // of packets without a sequence
	wall      wallClock
	left      *fit.Tally
}

// wallClock is the wall time at a time of the trace.
type wallClock struct {
	ns    int64 // since 1970
	at    int64 // ns on the clock of the trace
	known bool
}

// domain is the properties of a clock.
type domain struct {
	id          clockID
	unit        int64 // ns
	incremental bool  // its times are relative to the previous one
	last        int64 // ns: the previous time of an incremental one
	backwards   bool  // it went back: its times cannot be converted
	in          []*snapshots
}

// snapshots is the snapshots of the same clocks.
type snapshots struct {
	clocks  []clockID
	columns [][]int64 // ns
}

// keptSnapshots bounds how many snapshots of the same clocks are kept. When there
// are more, every second one of the older half is dropped; for clocks of a sequence,
// whose packets are in order, all of that half.
const keptSnapshots = 1 << 12

// knownClocks bounds the number of clocks.
const knownClocks = 1 << 16

func newClocks() *clocks {
	return &clocks{
		trace:   clockOf(0, clockBoottime),
		version: 1,
		domains: make(map[clockID]*domain),
		tables:  make(map[string]*snapshots),
	}
}

// fix makes a clock that of the trace, whichever one snapshots declare.
func (c *clocks) fix(clock uint32) { c.trace, c.unnamed = clockOf(0, clock), clockBoottime }

// related reports whether snapshots relate the clock of packets that name none to that of the trace.
func (c *clocks) related() bool {
	id := clockOf(0, c.unnamed)
	return c.unnamed == 0 || id == c.trace || c.path(id, c.trace) != nil
}

// reading is the reading of one clock in a snapshot.
type reading struct {
	id          clockID
	time, unit  int64
	incremental bool
}

// maxReadings bounds how many clocks a snapshot may have: a dozen is usual.
const maxReadings = 1 << 8

// parseSnapshot decodes a ClockSnapshot. primary is the clock that it declares as
// that of the trace, or 0.
func parseSnapshot(b []byte, sequence, machine uint32) (readings []reading, primary uint32, ok bool) {
	f := fields{rest: b}
	for f.next() {
		switch {
		case f.number == 1 && f.kind == protowire.BytesType:
			r := reading{unit: 1}
			var clock uint32
			g := fields{rest: f.raw}
			for g.next() {
				switch g.number {
				case 1:
					clock = uint32(g.value)
				case 2:
					r.time = int64(g.value)
				case 3:
					r.incremental = g.value != 0
				case 4:
					r.unit = max(1, int64(g.value))
				}
			}
			if g.bad {
				return nil, 0, false
			}
			if len(readings) == maxReadings {
				return nil, 0, false
			}
			r.id = clockOn(machine, sequence, clock)
			readings = append(readings, r)
		case f.number == 2:
			primary = uint32(f.value)
		}
	}
	return readings, primary, !f.bad
}

// add adds a snapshot, or returns false if it contradicts earlier ones.
func (c *clocks) add(readings []reading, primary uint32) bool {
	switch {
	case primary == 0 || c.used:
	case c.unnamed != 0:
		c.unnamed = primary
	default:
		c.trace = clockOf(0, primary)
	}
	c.key = c.key[:0]
	for i, r := range readings {
		d := c.domains[r.id]
		switch {
		case d == nil && (r.incremental && r.id.sequence == 0 || len(c.domains) >= knownClocks),
			d != nil && (d.unit != r.unit || d.incremental != r.incremental),
			r.id == c.trace && r.unit != 1,
			slices.ContainsFunc(readings[:i], func(o reading) bool { return o.id == r.id }):
			return false
		}
		for _, n := range [...]uint32{r.id.sequence, r.id.clock, r.id.machine} {
			c.key = protowire.AppendVarint(c.key, uint64(n))
		}
	}
	t := c.tables[string(c.key)]
	if t == nil {
		t = c.newTable(readings)
	}
	c.version++
	for i, r := range readings {
		d := c.domains[r.id]
		d.last = r.time * d.unit
		column := t.columns[i]
		if n := len(column); n > 0 && d.last < column[n-1] {
			d.backwards = true
		}
		t.columns[i] = append(column, d.last)
	}
	t.forget()
	return true
}

func (c *clocks) newTable(readings []reading) *snapshots {
	t := &snapshots{columns: make([][]int64, len(readings))}
	c.tables[string(c.key)] = t
	for _, r := range readings {
		t.clocks = append(t.clocks, r.id)
		d := c.domains[r.id]
		if d == nil {
			d = &domain{id: r.id, unit: r.unit, incremental: r.incremental}
			c.domains[r.id] = d
		}
		d.in = append(d.in, t)
	}
	return t
}

// forget drops old rows if the table is too large.
func (t *snapshots) forget() {
	own := slices.ContainsFunc(t.clocks, func(id clockID) bool { return id.sequence != 0 })
	n := len(t.columns[0])
	if n < keptSnapshots && !(own && n >= 16) {
		return
	}
	for i, column := range t.columns {
		half, kept := n/2, 0
		for j := range column {
			if j >= half || !own && j%2 == 0 {
				column[kept] = column[j]
				kept++
			}
		}
		t.columns[i] = column[:kept]
	}
}

// snapshot reads a packet with a ClockSnapshot. The first one that has both the wall
// clock and the trace's clock sets the wall time of the trace.
func (c *clocks) snapshot(p *packet) {
	readings, primary, ok := parseSnapshot(p.data, p.sequence, p.machine)
	if !ok {
		c.left.Count(damaged, 1, p.offset)
		return
	}
	if p.machine != 0 {
		primary = 0 // it is a clock of that machine
	}
	if len(readings) > 0 && !c.add(readings, primary) {
		c.left.Count(badSnapshots, 1, p.offset)
		return
	}
	if c.wall.known {
		return
	}
	for _, r := range readings {
		if r.id != clockOf(0, clockRealtime) {
			continue
		}
		for _, o := range readings {
			if o.id == c.trace {
				c.wall = wallClock{ns: r.time, at: o.time, known: true}
			}
		}
	}
}

// wallTime returns the wall time at a time of the trace.
func (c *clocks) wallTime(ns int64) time.Time {
	if !c.wall.known {
		return time.Unix(0, ns)
	}
	return time.Unix(0, c.wall.ns+ns-c.wall.at)
}

// conversion is the conversion of a clock's times to the trace's clock, valid for
// times from least to below most.
type conversion struct {
	version     int
	id          clockID
	domain      *domain
	shift       int64 // ns
	least, most int64 // ns
	none        bool  // no snapshot relates the clocks
}

// convert converts a time of a clock to the trace's clock, in ns. via caches the
// conversion for the next time of the same clock. ok is false if no snapshot relates
// the clocks: ns is then on the clock itself, if the clock is known at all, and
// shift can convert it once there are more snapshots.
func (c *clocks) convert(via *conversion, id clockID, time int64) (ns int64, ok bool) {
	if id == c.trace {
		return time, true
	}
	via.renew(c, id)
	d := via.domain
	if d == nil {
		return time, false
	}
	ns = time * d.unit
	if d.incremental {
		d.last += ns
		ns = d.last
	}
	return c.shift(via, ns)
}

// renew resets the conversion if it is for another clock or outdated.
func (v *conversion) renew(c *clocks, id clockID) {
	if v.version != c.version || v.id != id {
		*v = conversion{version: c.version, id: id, domain: c.domains[id], most: math.MinInt64}
	}
}

// shift converts a time on via's clock, in ns, to the trace's clock.
func (c *clocks) shift(via *conversion, ns int64) (int64, bool) {
	if via.none {
		return ns, false
	}
	if ns < via.least || ns >= via.most {
		path := c.path(via.id, c.trace)
		if path == nil {
			via.none = true
			return ns, false
		}
		c.used = true
		via.follow(path, ns)
	}
	return ns + via.shift, true
}

// hop is a conversion from one clock to another by a table.
type hop struct {
	t        *snapshots
	from, to int // columns
}

// path returns the fewest hops from a clock to another, or nil if there are none.
func (c *clocks) path(id, goal clockID) []hop {
	type visit struct {
		id   clockID
		path []hop
	}
	seen := map[clockID]bool{id: true}
	for queue := []visit{{id: id}}; len(queue) > 0; queue = queue[1:] {
		d := c.domains[queue[0].id]
		if d == nil || d.backwards {
			continue
		}
		for _, t := range d.in {
			from := slices.Index(t.clocks, d.id)
			for to, next := range t.clocks {
				if seen[next] {
					continue
				}
				seen[next] = true
				path := append(slices.Clone(queue[0].path), hop{t, from, to})
				if next == goal {
					return path
				}
				queue = append(queue, visit{next, path})
			}
		}
	}
	return nil
}

// follow sets the conversion for a time of the clock at the path's start.
func (v *conversion) follow(path []hop, ns int64) {
	v.shift, v.least, v.most = 0, math.MinInt64, math.MaxInt64
	for _, h := range path {
		from := h.t.columns[h.from]
		row, found := slices.BinarySearch(from, ns)
		for found && row+1 < len(from) && from[row+1] == ns {
			row++ // the last of equal ones
		}
		if !found && row > 0 {
			row--
		}
		if row > 0 {
			v.least = max(v.least, from[row]-v.shift)
		}
		if row+1 < len(from) {
			v.most = min(v.most, from[row+1]-v.shift)
		}
		shift := h.t.columns[h.to][row] - from[row]
		v.shift += shift
		ns += shift
	}
}
