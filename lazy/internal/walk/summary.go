package walk

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"sort"

	"tracex/format"
	"tracex/lazy/internal/compact"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/summary"
	"tracex/lazy/internal/trace"
)

// Summary counts the contents of a trace.
type Summary struct {
	Kinds   map[format.Kind]int64  // number of objects of each kind that occurs
	Classes map[format.Class]int64 // number of trace points of each class that occurs
	Blocks  int64
	Points  int64 // total number of trace points
	Depth   int   // deepest nesting of containers
	Threads ThreadCounts
}

// ThreadCount counts the contents of a thread.
type ThreadCount struct {
	ID         int32
	Blocks     int32
	Depth      int32 // deepest nesting
	Unfinished int32 // containers open at the end
	Points     int64
	Calls      int64
}

// ThreadCounts are the counts of threads, by id. They are packed: there may be a million.
type ThreadCounts struct {
	n                                             int
	ids, blocks, depth, unfinished, points, calls compact.Numbers
}

// Len returns how many threads there are.
func (l *ThreadCounts) Len() int { return l.n }

// At returns the counts of the i-th thread.
func (l *ThreadCounts) At(i int) ThreadCount {
	return ThreadCount{
		ID: int32(l.ids.At(i)), Blocks: int32(l.blocks.At(i)), Depth: int32(l.depth.At(i)), Unfinished: int32(l.unfinished.At(i)),
		Points: l.points.At(i), Calls: l.calls.At(i),
	}
}

// All yields the counts of all threads.
func (l *ThreadCounts) All() iter.Seq[ThreadCount] {
	return func(yield func(ThreadCount) bool) {
		for i := 0; i < l.n && yield(l.At(i)); i++ {
		}
	}
}

// Append appends the counts of a thread.
func (l *ThreadCounts) Append(t ThreadCount) {
	for _, c := range []*compact.Numbers{&l.ids, &l.blocks, &l.depth, &l.unfinished, &l.points, &l.calls} {
		c.Grow(1)
	}
	l.n++
	l.set(l.n-1, t)
}

func (l *ThreadCounts) set(i int, t ThreadCount) {
	l.ids.Set(i, int64(t.ID))
	l.blocks.Set(i, int64(t.Blocks))
	l.depth.Set(i, int64(t.Depth))
	l.unfinished.Set(i, int64(t.Unfinished))
	l.points.Set(i, t.Points)
	l.calls.Set(i, t.Calls)
}

// Find returns the index of a thread.
func (l *ThreadCounts) Find(id int32) (i int, found bool) {
	i = sort.Search(l.n, func(i int) bool { return l.ids.At(i) >= int64(id) })
	return i, i < l.n && l.ids.At(i) == int64(id)
}

func (r *Reader) Summarize(ctx context.Context, progress func(done, total int64)) (sum Summary, err error) {
	for again := true; again; {
		if sum, again, err = r.summarize(ctx, progress); err == nil && again {
			err = r.Wait(ctx)
		}
		if err != nil {
			return Summary{}, err
		}
	}
	return sum, nil
}

// summarize is Summarize; again tells that the index is wrong, and is being made again.
func (r *Reader) summarize(ctx context.Context, progress func(done, total int64)) (sum Summary, again bool, err error) {
	var c *objectTally
	var s *format.Scanner
	var known *Known
	for more := true; more; {
		err := r.Use(func() error {
			if s == nil {
				known = r.KnownNow()
				c, s = newObjectTally(known.View), format.NewBytesScanner(r.Data.Bytes())
				s.Forget()
			}
			stop := s.Offset() + trace.ScanBytes
			for more && s.Offset() < stop {
				if more = s.Next(); more {
					o := s.Object()
					c.count(&o)
				}
			}
			if progress != nil {
				progress(s.Offset(), int64(len(r.Data.Bytes())))
			}
			return ctx.Err()
		})
		if err != nil {
			return sum, false, err
		}
	}
	if err := s.Err(); err != nil && known.View.Index != nil && r.Now().Index == trace.IndexRecorded {
		_ = r.Doubt(fmt.Errorf("%w: %w", index.ErrContradiction, format.At(err, r.Path, 0)), known.View, known.Epoch)
		return sum, true, nil
	}
	return c.summary(s), false, nil
}

// objectTally counts objects of the threads that are known before.
type objectTally struct {
	kinds   [256]int64
	classes [256]int64
	threads ThreadCounts
	cur     ThreadCount // of the current block
}

func newObjectTally(v *index.View) *objectTally {
	c := new(objectTally)
	for i := range v.Streams.Len() {
		c.threads.Append(ThreadCount{ID: v.Streams.Thread(i)})
	}
	return c
}

// endBlock adds what the current block has to the counts of its thread.
func (c *objectTally) endBlock() {
	if i, known := c.threads.Find(c.cur.ID); known && c.cur.Blocks > 0 { // none before the first block
		t := c.threads.At(i)
		c.threads.set(i, ThreadCount{t.ID, t.Blocks + c.cur.Blocks, max(t.Depth, c.cur.Depth), 0, t.Points + c.cur.Points, t.Calls + c.cur.Calls})
	}
	c.cur = ThreadCount{}
}

func (c *objectTally) count(o *format.Object) {
	c.kinds[o.Kind]++
	switch o.Kind {
	case format.KindBlockStart:
		c.endBlock()
		c.cur = ThreadCount{ID: o.Thread, Blocks: 1}
	case format.KindTracePoint:
		c.classes[o.Class]++
		c.cur.Points++
		if o.Class == format.ClassCall {
			c.cur.Calls++
		}
		if o.Class.Container() {
			c.cur.Depth = max(c.cur.Depth, int32(o.Depth)+1)
		}
	}
}

func (c *objectTally) summary(s *format.Scanner) Summary {
	c.endBlock()
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
	for t := range c.threads.All() {
		if t.Blocks > 0 { // what is damaged may end before
			t.Unfinished = int32(len(s.Open(t.ID)))
			sum.Depth = max(sum.Depth, int(t.Depth))
			sum.Threads.Append(t)
		}
	}
	return sum
}

// SummaryFile is the summary file beside a trace, whether or not it exists. Any goroutine may use it.
type SummaryFile struct{ r *Reader }

func SummaryOf(r *Reader) SummaryFile { return SummaryFile{r} }

// State returns the size of the file in bytes, 0 if there is none that fits the data as far as it is
// known, and why one that is there is not used.
func (f SummaryFile) State() (size int64, why error) {
	_ = f.r.WithSummary(func(s *trace.SummaryFile) error {
		if s.File != nil {
			size = int64(len(s.M.Bytes()))
		}
		why = s.Why
		return nil
	})
	return size, why
}

// Tables calls use with the tables of a file that fits. What the reader does in the background need
// not have ended. The error is [fs.ErrNotExist] if no file fits.
func (f SummaryFile) Tables(use func(tables []byte) error) error {
	return f.r.WithSummary(func(s *trace.SummaryFile) error {
		if s.File == nil {
			return fs.ErrNotExist
		}
		b, ok := s.File.Tables()
		if !ok {
			return summary.ErrDamaged
		}
		return use(b)
	})
}

// Known is State, of what is known without looking at any file; why may also be that the file could
// not be written.
func (f SummaryFile) Known() (size int64, why error) {
	s := &f.r.Summary
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	if s.File != nil {
		return int64(len(s.M.Bytes())), nil
	}
	if s.Unsaved != nil {
		return 0, s.Unsaved
	}
	return 0, s.Why
}
