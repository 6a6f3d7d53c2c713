package lazy

import (
	"context"
	"sort"

	"tracex/format"
)

// Summary counts the contents of a trace.
type Summary struct {
	Kinds   map[format.Kind]int64  // number of objects of each kind that occurs
	Classes map[format.Class]int64 // number of trace points of each class that occurs
	Blocks  int64
	Points  int64 // total number of trace points
	Depth   int   // deepest nesting of containers
	Threads []ThreadSummary
}

// ThreadSummary counts the contents of a thread.
type ThreadSummary struct {
	ThreadInfo
	Points     int64
	Calls      int64
	Depth      int
	Unfinished int // containers open at the end
}

// Summarize reads all data once and counts. If the data is damaged, the reader's
// Status().Problem has the reason. progress may be nil; it gets bytes.
func (r *TraceReader) Summarize(ctx context.Context, progress func(done, total int64)) (Summary, error) {
	c := objectTally{threads: make(map[int32]*ThreadSummary)}
	var s *format.Scanner
	for more := true; more; {
		err := r.use(func() error {
			if s == nil {
				s = format.NewBytesScanner(r.data.Bytes())
			}
			stop := s.Offset() + scanBytes
			for more && s.Offset() < stop {
				if more = s.Next(); more {
					o := s.Object()
					c.count(&o)
				}
			}
			if progress != nil {
				progress(s.Offset(), int64(len(r.data.Bytes())))
			}
			return ctx.Err()
		})
		if err != nil {
			return Summary{}, err
		}
	}
	for _, info := range r.Threads() {
		if t := c.threads[info.ID]; t != nil {
			t.ThreadInfo = info
		}
	}
	return c.summary(s), nil
}

type objectTally struct {
	kinds   [256]int64
	classes [256]int64
	threads map[int32]*ThreadSummary
	cur     *ThreadSummary
}

func (c *objectTally) count(o *format.Object) {
	c.kinds[o.Kind]++
	switch o.Kind {
	case format.KindBlockStart:
		c.cur = c.threads[o.Thread]
		if c.cur == nil {
			c.cur = &ThreadSummary{ThreadInfo: ThreadInfo{ID: o.Thread}}
			c.threads[o.Thread] = c.cur
		}
	case format.KindTracePoint:
		c.classes[o.Class]++
		c.cur.Points++
		if o.Class == format.ClassCall {
			c.cur.Calls++
		}
		if o.Class.Container() {
			c.cur.Depth = max(c.cur.Depth, o.Depth+1)
		}
	}
}

func (c *objectTally) summary(s *format.Scanner) Summary {
	sum := Summary{Kinds: make(map[format.Kind]int64), Classes: make(map[format.Class]int64),
		Blocks: c.kinds[format.KindBlockStart], Points: c.kinds[format.KindTracePoint]}
	for k, n := range c.kinds {
		if n > 0 {
			sum.Kinds[format.Kind(k)] = n
		}
	}
	for k, n := range c.classes {
		if n > 0 {
			sum.Classes[format.Class(k)] = n
		}
	}
	for id, t := range c.threads {
		t.Unfinished = len(s.Open(id))
		sum.Depth = max(sum.Depth, t.Depth)
		sum.Threads = append(sum.Threads, *t)
	}
	sort.Slice(sum.Threads, func(i, j int) bool { return sum.Threads[i].ID < sum.Threads[j].ID })
	return sum
}
