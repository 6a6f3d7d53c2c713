package trace

import (
	"strconv"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// AppendThread appends the display name of a thread: its number, counted from 1,
// and its name.
func AppendThread(dst []byte, c *format.Context, thread int32) []byte {
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

// Population returns the Population of a stream of a view.
func (r *Trace) Population(v *index.View, s *index.Stream) Population {
	p := Population{Bytes: s.Size, Containers: s.Cells.Len()}
	if n, ok := r.TallyOf(v, s); ok {
		p.Calls, p.Events, p.Counted = n.Calls, n.Events, true
	}
	return p
}

// InfoOf returns the ThreadInfo of a stream.
func (r *Trace) InfoOf(c *format.Context, v *index.View, s *index.Stream) ThreadInfo {
	t := ThreadInfo{ID: s.Thread, Blocks: s.Blocks(), Population: r.Population(v, s)}
	if name := c.Thread(s.Thread); name != nil {
		t.Name = name.Name
	}
	return t
}

func (r *Trace) Threads() (list []ThreadInfo) {
	r.WithContext(func(c *format.Context) {
		v := r.Known.Load()
		list = make([]ThreadInfo, v.Streams.Len())
		for i, s := range v.Streams.All() {
			list[i] = r.InfoOf(c, v, s)
		}
	})
	return list
}

func (r *Trace) ThreadInfo(id int32) (t ThreadInfo, ok bool) {
	r.WithContext(func(c *format.Context) {
		v := r.Known.Load()
		if s := v.Stream(id); s != nil {
			t, ok = r.InfoOf(c, v, s), true
		}
	})
	return t, ok
}

func (r *Trace) AddUp() (threads int, all Population) {
	v, tallies := r.Known.Load(), r.Tallies.Load()
	if was := r.totals.Load(); was != nil && was.v == v && was.tallies == tallies {
		return v.Streams.Len(), was.all
	}
	all.Counted = true
	for _, s := range v.Streams.All() {
		all.add(r.Population(v, s))
	}
	r.totals.Store(&totals{v, tallies, all})
	return v.Streams.Len(), all
}

// TallyOf returns the tally of a stream of a view, if known.
func (r *Trace) TallyOf(v *index.View, s *index.Stream) (index.Tally, bool) {
	if v.Data != nil {
		return s.Scanned(), true
	}
	// The sizes are equal if the index was made from the data that was counted, or by
	// chance, which no recorder causes.
	n, ok := r.Tallies.Load().of(s.Thread)
	return n, ok && n.Size == s.Size
}
