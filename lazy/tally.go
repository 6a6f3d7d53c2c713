package lazy

import (
	"context"

	"tracex/format"
	"tracex/lazy/internal/index"
)

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

func (r *walkReader) TallyPass() *TallyPass {
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
