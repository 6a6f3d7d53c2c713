package walk

import (
	"cmp"
	"context"
	"io/fs"
	"slices"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/summary"
	"tracex/lazy/internal/trace"
)

// Summary counts the contents of a trace.
type Summary struct {
	Kinds   map[format.Kind]int64  // number of objects of each kind that occurs
	Classes map[format.Class]int64 // number of trace points of each class that occurs
	Blocks  int64
	Points  int64         // total number of trace points
	Depth   int           // deepest nesting of containers
	Threads []ThreadCount // by id
}

// ThreadCount counts the contents of a thread. It is small: there may be a million.
type ThreadCount struct {
	ID         int32
	Blocks     int32
	Depth      int32 // deepest nesting
	Unfinished int32 // containers open at the end
	Points     int64
	Calls      int64
}

func (r *Reader) Summarize(ctx context.Context, progress func(done, total int64)) (Summary, error) {
	c := newObjectTally(r.Known.Load())
	var s *format.Scanner
	for more := true; more; {
		err := r.Use(func() error {
			if s == nil {
				s = format.NewBytesScanner(r.Data.Bytes())
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
			return Summary{}, err
		}
	}
	return c.summary(s), nil
}

// objectTally counts objects. It has a place for each thread that is known before; what is counted
// of others, which the data has got since, is in a map.
type objectTally struct {
	kinds   [256]int64
	classes [256]int64
	threads []ThreadCount // by id
	others  map[int32]*ThreadCount
	cur     *ThreadCount
}

func newObjectTally(v *index.View) *objectTally {
	c := &objectTally{threads: make([]ThreadCount, len(v.Streams)), others: make(map[int32]*ThreadCount)}
	for i, s := range v.Streams {
		c.threads[i].ID = s.Thread
	}
	return c
}

// thread returns the counts of a thread.
func (c *objectTally) thread(id int32) *ThreadCount {
	// Most recorders count threads from 0, without gaps.
	if i := int(id); i >= 0 && i < len(c.threads) && c.threads[i].ID == id {
		return &c.threads[i]
	}
	if i, ok := slices.BinarySearchFunc(c.threads, id, func(t ThreadCount, id int32) int { return cmp.Compare(t.ID, id) }); ok {
		return &c.threads[i]
	}
	t := c.others[id]
	if t == nil {
		t = &ThreadCount{ID: id}
		c.others[id] = t
	}
	return t
}

func (c *objectTally) count(o *format.Object) {
	c.kinds[o.Kind]++
	switch o.Kind {
	case format.KindBlockStart:
		c.cur = c.thread(o.Thread)
		c.cur.Blocks++
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
	sum := Summary{Kinds: make(map[format.Kind]int64), Classes: make(map[format.Class]int64), Threads: c.threads,
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
	// What is damaged ends before the blocks of some threads that the index has.
	sum.Threads = slices.DeleteFunc(sum.Threads, func(t ThreadCount) bool { return t.Blocks == 0 })
	if len(c.others) > 0 {
		for _, t := range c.others {
			sum.Threads = append(sum.Threads, *t)
		}
		slices.SortFunc(sum.Threads, func(a, b ThreadCount) int { return cmp.Compare(a.ID, b.ID) })
	}
	for i := range sum.Threads {
		t := &sum.Threads[i]
		t.Unfinished = int32(len(s.Open(t.ID)))
		sum.Depth = max(sum.Depth, int(t.Depth))
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
