package lazy

import (
	"iter"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

// ThreadList is the threads of a trace as known at one moment, numbered from 0 in the
// order of their ids. Making one takes constant time, however many threads there are,
// and so does looking up one thread. Any goroutine may use it.
type ThreadList struct {
	r *LazyTraceReader
	v *index.View
}

// ThreadList returns the threads that are known now.
func (r *LazyTraceReader) ThreadList() *ThreadList { return &ThreadList{r, r.r.Known.Load()} }

// Reader returns the reader of the trace.
func (l *ThreadList) Reader() *LazyTraceReader { return l.r }

// Same reports whether l and o are of the same moment.
func (l *ThreadList) Same(o *ThreadList) bool { return l.v == o.v }

// Len returns how many threads there are.
func (l *ThreadList) Len() int { return l.v.Streams.Len() }

// ID returns the id of the i-th thread.
func (l *ThreadList) ID(i int) int32 { return l.v.Streams.Thread(i) }

// Index returns the number of the first thread with this id or a higher one.
func (l *ThreadList) Index(id int32) int {
	i, _ := l.v.Streams.Search(id)
	return i
}

// All describes the threads, one after the other.
func (l *ThreadList) All() iter.Seq[ThreadInfo] {
	return func(yield func(ThreadInfo) bool) {
		for _, s := range l.v.Streams.All() {
			var t ThreadInfo
			l.r.WithContext(func(c *format.Context) { t = l.r.r.InfoOf(c, l.v, s) })
			if !yield(t) {
				return
			}
		}
	}
}

// ThreadRow is a thread in a list.
type ThreadRow struct {
	ThreadInfo
	Time  Time
	Timed bool // Time is known
}

// Rows returns the rows of some threads, given by their numbers.
func (l *ThreadList) Rows(which []int) []ThreadRow {
	rows := make([]ThreadRow, len(which))
	l.r.WithContext(func(c *format.Context) {
		for i, n := range which {
			rows[i].ThreadInfo = l.r.r.InfoOf(c, l.v, l.v.Streams.At(n))
		}
	})
	l.times(func(time func(n int) (Time, bool)) {
		for i, n := range which {
			rows[i].Time, rows[i].Timed = time(n)
		}
	})
	return rows
}

// times calls f with a function that returns the time of a thread. It does not call f
// if the trace has none.
func (l *ThreadList) times(f func(time func(n int) (Time, bool))) {
	l.r.r.Use(func() error {
		if !l.r.r.Timed() || !l.r.r.Shows(l.v) { // the files may have changed
			return nil
		}
		var room index.Room
		w := walk.Walker{R: l.r.r.Trace, V: l.v}
		f(func(n int) (Time, bool) {
			w.S = l.v.Streams.In(&room, n)
			return w.ThreadTime()
		})
		return nil
	})
}

// Names calls f with the number and the name, as the tree shows it, of each thread in
// which, while f returns true. The name is valid until f returns.
func (l *ThreadList) Names(which func(yield func(n int) bool), f func(n int, name []byte) bool) {
	l.r.WithContext(func(c *format.Context) {
		var name []byte
		which(func(n int) bool {
			name = trace.AppendThread(name[:0], c, l.v.Streams.Thread(n))
			return f(n, name)
		})
	})
}

// Plain calls f with the number and the name of each thread from a number on up to another, while f
// returns true. The name is "" if it is not known, or the thread has none.
func (l *ThreadList) Plain(from, to int, f func(n int, name string) bool) {
	l.r.WithContext(func(c *format.Context) {
		for n := from; n < to; n++ {
			name := ""
			if t := c.Thread(l.v.Streams.Thread(n)); t != nil {
				name = t.Name
			}
			if !f(n, name) {
				return
			}
		}
	})
}

// ThreadEnd is the end of a thread: of its last point that is in no other one.
type ThreadEnd struct {
	State     State  // whole, unless that has not ended
	Threw     bool   // it threw
	Exception string // what; "" if the trace does not tell
}

// Ends returns how some threads ended, given by their numbers. It reads the last points of each.
func (l *ThreadList) Ends(which []int) []ThreadEnd {
	ends := make([]ThreadEnd, len(which))
	for i, n := range which {
		// An error here says nothing about the others: the tree shows it.
		l.r.r.Use(func() error {
			w, err := l.r.r.WalkerOn(l.v, l.v.Streams.Thread(n))
			if err != nil {
				return err
			}
			thread := walk.NodeData{End: w.S.Size, Next: w.S.Size, State: StatePending, After: w.S.Cells.Len()}
			last, ok, err := w.Last(&thread, true)
			if ok && err == nil {
				ends[i] = ThreadEnd{last.State, last.Foot.Threw, last.Foot.Exception}
			}
			return err
		})
	}
	return ends
}
