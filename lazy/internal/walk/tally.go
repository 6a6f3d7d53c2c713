package walk

import (
	"context"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/trace"
)

// A TallyPass counts the calls of a trace whose index does not distinguish them from loops
// and iterations: it reads all of the data. Only one goroutine may use it at a time.
// From then on, Threads returns its result.
type TallyPass struct {
	r     *trace.Trace
	s     *format.Scanner
	epoch int64
	all   *trace.Tallies
	block index.Tally // of the current block
	of    int32       // its thread
	from  int64       // physical: where its content begins
}

func (r *Reader) TallyPass() *TallyPass {
	v, epoch := r.Moment()
	if !v.Complete || v.Data != nil || v.Streams.Len() == 0 {
		return nil
	}
	counted := true
	for _, s := range v.Streams.All() {
		_, ok := r.TallyOf(v, s)
		counted = counted && ok
	}
	if counted {
		return nil
	}
	s := format.NewBytesScanner(nil)
	s.Forget()
	return &TallyPass{r: r.Trace, s: s, epoch: epoch, all: trace.TallyStreams(v)}
}

// Advance counts some more megabytes, and reports whether there is more. done and
// total are bytes. After an error, or if the trace has been replaced, there is no more.
func (c *TallyPass) Advance(ctx context.Context) (done, total int64, more bool, err error) {
	more = true
	err = c.r.Use(func() error {
		if c.r.Epoch.Load() != c.epoch {
			more = false
			return trace.ErrStale
		}
		c.s.Extend(c.r.Data.Bytes())
		for stop := c.s.Offset() + trace.ScanBytes; more && c.s.Offset() < stop; {
			if more = c.s.Next(); more {
				o := c.s.Object()
				c.count(&o)
			}
		}
		done, total = c.s.Offset(), int64(len(c.r.Data.Bytes()))
		return ctx.Err()
	})
	if err == nil && !more {
		if err = c.s.Err(); err == nil {
			c.r.Tallies.Store(c.all)
			c.r.AddUp() // here, so that no key press waits for it
		}
	}
	return done, total, more && err == nil, err
}

func (c *TallyPass) count(o *format.Object) {
	switch o.Kind {
	case format.KindBlockStart:
		c.block, c.of, c.from = index.Tally{}, o.Thread, o.Offset+int64(len(o.Bytes))
	case format.KindTracePoint:
		c.block.Count(o.Class)
	case format.KindBlockEnd:
		c.block.Size = o.Offset - c.from
		c.all.Add(c.of, c.block)
	}
}
