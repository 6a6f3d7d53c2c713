package lazy

import (
	"context"
	"slices"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// tallyOf returns the tally of a stream of a view, if known.
func (r *trace) tallyOf(v *index.View, s *index.Stream) (index.Tally, bool) {
	if v.Data != nil {
		return s.Scanned(), true
	}
	// The sizes are equal if the index was made from the data that was counted, or by
	// chance, which no recorder causes.
	n, ok := r.tallies.Load().of(s.Thread)
	return n, ok && n.Size == s.Size
}

// tallies are the counts of all threads, by thread id. They are in slices: there may be a
// million.
type tallies struct {
	threads []int32
	counts  []index.Tally // of each of them
}

// tallyStreams returns counts of the streams of a view, which are zero.
func tallyStreams(v *index.View) *tallies {
	t := &tallies{make([]int32, len(v.Streams)), make([]index.Tally, len(v.Streams))}
	for i, s := range v.Streams {
		t.threads[i] = s.Thread
	}
	return t
}

// of returns the counts of a thread; ok is false if there are none. t may be nil.
func (t *tallies) of(thread int32) (n index.Tally, ok bool) {
	if t == nil {
		return n, false
	}
	i, ok := t.find(thread)
	if ok {
		n = t.counts[i]
	}
	return n, ok
}

// find returns the number of a thread. Most recorders count threads from 0, without gaps.
func (t *tallies) find(thread int32) (i int, ok bool) {
	if i = int(thread); i >= 0 && i < len(t.threads) && t.threads[i] == thread {
		return i, true
	}
	return slices.BinarySearch(t.threads, thread)
}

// keepTally keeps the counts of a scan, for when an index replaces it.
func (r *trace) keepTally(v *index.View) {
	all := tallyStreams(v)
	for i, s := range v.Streams {
		all.counts[i] = s.Scanned()
	}
	r.tallies.Store(all)
}

// A TallyPass counts the calls of a trace whose index does not distinguish them from loops
// and iterations: it reads all of the data. Only one goroutine may use it at a time.
// From then on, Threads returns its result.
type TallyPass struct {
	r     *trace
	s     *format.Scanner
	epoch int64
	all   *tallies
	cur   *index.Tally // of the current block
	from  int64        // physical: where its content begins
}

// TallyPass returns a TallyPass over the current data; nil if there is nothing to count because
// the counts are known already, or because the trace is not completely known.
func (r *LazyTraceReader) TallyPass() *TallyPass {
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
	s := format.NewBytesScanner(nil)
	s.Forget()
	return &TallyPass{r: r.trace, s: s, epoch: epoch, all: tallyStreams(v)}
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
			c.r.tallies.Store(c.all)
			c.r.addUp() // here, so that no key press waits for it
		}
	}
	return done, total, more && err == nil, err
}

func (c *TallyPass) count(o *format.Object) {
	switch o.Kind {
	case format.KindBlockStart:
		c.from = o.Offset + int64(len(o.Bytes))
		if i, ok := c.all.find(o.Thread); ok {
			c.cur = &c.all.counts[i]
		} else {
			c.cur = new(index.Tally) // the index does not have this thread
		}
	case format.KindTracePoint:
		c.cur.Count(o.Class)
	case format.KindBlockEnd:
		c.cur.Size += o.Offset - c.from
	}
}
