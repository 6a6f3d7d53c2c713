package lazy

import (
	"context"

	"tracex/format"
)

// several reports whether several threads have points. It reads no more of a thread than what
// precedes its first point, and no more threads than until it has found two.
func several(ctx context.Context, r *LazyTraceReader) (found bool, err error) {
	err = r.use(func() error {
		v, n := r.known.Load(), 0
		if len(v.Streams) < 2 {
			return nil
		}
		for i := 0; i < len(v.Streams) && n < 2 && ctx.Err() == nil; i++ {
			w := &walker{r: r.trace, v: v, s: v.Streams[i]}
			// What cannot be read has no point here; who prints the thread is told why.
			_, _ = w.eachEvent(ctx, 0, nil, func(int64, int32) bool {
				n++
				return false
			})
		}
		found = n > 1
		return ctx.Err()
	})
	return found, err
}

// enter begins a thread.
func (p *printer) enter(thread int32) {
	p.at, p.done = &thread, 0
	p.pending = p.heading(thread, p.several)
	if p.from == 0 {
		p.begin()
	}
}

// begin writes the heading that is pending.
func (p *printer) begin() {
	if p.pending != nil {
		p.pending()
		p.pending, p.begun = nil, true
	}
}

// heading returns a function that writes the heading of a thread. It may be called with
// the context locked.
func (p *printer) heading(thread int32, several bool) func() {
	took := noTime
	if p.lines.Options().JSON {
		took = p.r.threadTime(thread)
	}
	name := ""
	p.r.WithContext(func(c *format.Context) {
		if t := c.Thread(thread); t != nil {
			name = t.Name
		}
	})
	return func() { p.lines.Thread(thread, name, several, took) }
}
