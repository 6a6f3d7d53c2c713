package lazy

import (
	"context"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// tallyOf returns the tally of a stream of a view, if known.
func (r *trace) tallyOf(v *index.View, s *index.Stream) (index.Tally, bool) {
	if v.Data != nil {
		return s.Scanned, true
	}
	if all := r.tallies.Load(); all != nil {
		// The sizes are equal if the index was made from the data that was counted, or by
		// chance, which no recorder causes.
		n, ok := (*all)[s.Thread]
		return n, ok && n.Size == s.Size
	}
	return index.Tally{}, false
}

// keepTally keeps the counts of a scan, for when an index replaces it.
func (r *trace) keepTally(v *index.View) {
	all := make(map[int32]index.Tally, len(v.Streams))
	for _, s := range v.Streams {
		n := s.Scanned
		n.Size = s.Size
		all[s.Thread] = n
	}
	r.tallies.Store(&all)
}

// A TallyPass counts the calls of a trace whose index does not distinguish them from loops
// and iterations: it reads all of the data. Only one goroutine may use it at a time.
// From then on, Threads returns its result.
type TallyPass struct {
	r     *trace
	s     *format.Scanner
	epoch int64
	all   map[int32]*index.Tally
	cur   *index.Tally // of the current block
}

// TallyPass returns a TallyPass over the current data; nil if there is nothing to count because
// the counts are known already, or because the trace is not completely known.
func (r *TraceReader) TallyPass() *TallyPass {
	v, epoch := r.moment()
	if !v.Complete || v.Data != nil || len(v.Streams) == 0 {
		return nil
	}
	counted := true
	for _, s := range v.Streams {
		_, ok := r.tallyOf(v, s)
		counted = counted && ok
	}
	if counted {
		return nil
	}
	return &TallyPass{r: r.trace, s: format.NewBytesScanner(nil), epoch: epoch, all: make(map[int32]*index.Tally)}
}

// Advance counts some more megabytes, and reports whether there is more. done and
// total are bytes. After an error, or if the trace has been replaced, there is no more.
func (c *TallyPass) Advance(ctx context.Context) (done, total int64, more bool, err error) {
	more = true
	err = c.r.use(func() error {
		if c.r.epoch.Load() != c.epoch {
			more = false
			return errStale
		}
		c.s.Extend(c.r.data.Bytes())
		for stop := c.s.Offset() + scanBytes; more && c.s.Offset() < stop; {
			if more = c.s.Next(); more {
				o := c.s.Object()
				c.count(&o)
			}
		}
		done, total = c.s.Offset(), int64(len(c.r.data.Bytes()))
		return ctx.Err()
	})
	if err == nil && !more {
		if err = c.s.Err(); err == nil {
			all := make(map[int32]index.Tally, len(c.all))
			for thread, n := range c.all {
				all[thread] = *n
			}
			c.r.tallies.Store(&all)
			c.r.addUp() // here, so that no key press waits for it
		}
	}
	return done, total, more && err == nil, err
}

func (c *TallyPass) count(o *format.Object) {
	switch o.Kind {
	case format.KindBlockStart:
		if c.cur = c.all[o.Thread]; c.cur == nil {
			c.cur = new(index.Tally)
			c.all[o.Thread] = c.cur
		}
	case format.KindTracePoint:
		c.cur.Count(o.Class)
	case format.KindBlockEnd:
		c.cur.Size = o.Logical
	}
}
