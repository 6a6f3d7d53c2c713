package lazy

import (
	"strconv"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// appendThread appends the display name of a thread: its number, counted from 1,
// and its name.
func appendThread(dst []byte, c *format.Context, thread int32) []byte {
	dst = strconv.AppendInt(append(dst, "Thread "...), int64(thread)+1, 10)
	if name := c.Thread(thread); name != nil && name.Name != "" {
		dst = append(append(append(dst, ' ', '('), name.Name...), ')')
	}
	return dst
}

// ThreadInfo describes a thread.
type ThreadInfo struct {
	ID     int32
	Name   string // "" if it is not known, or has none
	Blocks int
	Population
}

// Population counts the contents of a thread, or of all threads together.
type Population struct {
	Bytes      int64 // size of the streams
	Containers int64 // calls, loops and iterations whose end is known
	// Calls and Events are the numbers of calls, and of events of all kinds, in the
	// known part. An index does not have them: until a TallyPass has been made, Counted is
	// false, and Containers is an upper bound for Calls.
	Calls, Events int64
	Counted       bool
}

func (p *Population) add(o Population) {
	p.Bytes += o.Bytes
	p.Containers += o.Containers
	p.Calls += o.Calls
	p.Events += o.Events
	p.Counted = p.Counted && o.Counted
}

// population returns the Population of a stream of a view.
func (r *trace) population(v *index.View, s *index.Stream) Population {
	p := Population{Bytes: s.Size, Containers: s.Cells.Len()}
	if n, ok := r.tallyOf(v, s); ok {
		p.Calls, p.Events, p.Counted = n.Calls, n.Events, true
	}
	return p
}

// infoOf returns the ThreadInfo of a stream.
func (r *trace) infoOf(c *format.Context, v *index.View, s *index.Stream) ThreadInfo {
	t := ThreadInfo{ID: s.Thread, Blocks: s.Blocks(), Population: r.population(v, s)}
	if name := c.Thread(s.Thread); name != nil {
		t.Name = name.Name
	}
	return t
}

// Threads returns the threads known so far, by id. There may be a million: use ThreadInfo for
// one, Totals for all together, and ThreadList for one after the other.
func (r *LazyTraceReader) Threads() (list []ThreadInfo) {
	r.WithContext(func(c *format.Context) {
		v := r.known.Load()
		list = make([]ThreadInfo, len(v.Streams))
		for i, s := range v.Streams {
			list[i] = r.infoOf(c, v, s)
		}
	})
	return list
}

// ThreadInfo describes a thread; ok is false if no thread has this id.
func (r *LazyTraceReader) ThreadInfo(id int32) (t ThreadInfo, ok bool) {
	r.WithContext(func(c *format.Context) {
		v := r.known.Load()
		if s := v.Stream(id); s != nil {
			t, ok = r.infoOf(c, v, s), true
		}
	})
	return t, ok
}

// totals are the results of Totals, and what they were computed from.
type totals struct {
	v       *index.View
	tallies *tallies
	all     Population
}

// Totals returns how many threads are known so far, and the sum of their contents. It
// looks at each of them only if more is known than before.
func (r *LazyTraceReader) Totals() (threads int, all Population) { return r.addUp() }

// addUp is Totals.
func (r *trace) addUp() (threads int, all Population) {
	v, tallies := r.known.Load(), r.tallies.Load()
	if was := r.totals.Load(); was != nil && was.v == v && was.tallies == tallies {
		return len(v.Streams), was.all
	}
	all.Counted = true
	for _, s := range v.Streams {
		all.add(r.population(v, s))
	}
	r.totals.Store(&totals{v, tallies, all})
	return len(v.Streams), all
}
