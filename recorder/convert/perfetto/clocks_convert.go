package perfetto

import (
	"math"
	"slices"
)

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
