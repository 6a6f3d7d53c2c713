package lazy

import (
	"context"
	"slices"
	"strconv"
	"time"

	"tracex/format"
)

// Search says what to look for.
type Search struct {
	Folded  bool                   // look at the folded view
	Verbose bool                   // look at code locations too
	Threads []int32                // nil: all
	Match   func(text []byte) bool // text is good until Match returns
}

// Hit is a trace point that a search found.
type Hit struct {
	Place
	Event int32
}

// hitsEvery is how long hits may wait to be told, so that they come in batches.
const hitsEvery = 30 * time.Millisecond

// Search goes through whole threads and tells found of the points whose text
// matches, in the order of threads and places. found and progress (bytes of
// the threads' streams) are called on the caller's goroutine; hits is found's
// to keep. It searches what is known when it begins: wait for PhaseReady to
// search all.
func (r *TraceReader) Search(ctx context.Context, s Search, found func(hits []Hit), progress func(done, total int64)) error {
	v := r.known.Load()
	var done, total int64
	var threads []int32
	for _, st := range v.streams {
		if s.Threads == nil || slices.Contains(s.Threads, st.thread) {
			threads = append(threads, st.thread)
			total += st.size
		}
	}
	var hits []Hit
	last := time.Now()
	tell := func() {
		if len(hits) > 0 {
			found(hits)
			hits = nil
		}
		last = time.Now()
	}
	var text []byte
	for _, thread := range threads {
		err := r.descend(ctx, descentOptions{thread: thread, folded: s.Folded}, func(p *visit) error {
			text = r.ctx.AppendText(text[:0], &p.point, p.shownFooter(), p.parent, s.Verbose)
			if s.Match(text) {
				hits = append(hits, Hit{Place{thread, p.at}, p.point.Event})
			}
			return nil
		}, func(at int64) error {
			if time.Since(last) >= hitsEvery {
				tell()
				progress(done+at, total)
			}
			return nil
		})
		tell()
		if err != nil {
			return err
		}
		done += v.stream(thread).size
		progress(done, total)
	}
	return nil
}

// shownFooter is the footer for the text: nil when it is not known yet.
func (e *entry) shownFooter() *format.Footer {
	if e.state == StatePending {
		return nil
	}
	return &e.foot
}

// appendThread appends what a thread is called: its number, counted from 1,
// and its name.
func appendThread(dst []byte, c *format.Context, thread int32) []byte {
	dst = strconv.AppendInt(append(dst, "Thread "...), int64(thread)+1, 10)
	if name := c.Thread(thread); name != nil && name.Name != "" {
		dst = append(append(append(dst, ' ', '('), name.Name...), ')')
	}
	return dst
}

// ThreadInfo is what is known of a thread.
type ThreadInfo struct {
	ID         int32
	Name       string // "" when it is not known, or has none
	Blocks     int
	Bytes      int64 // of its stream
	Containers int64 // calls, loops and iterations whose end is known
}

// Threads returns the threads known so far, by id.
func (r *TraceReader) Threads() []ThreadInfo {
	v := r.known.Load()
	list := make([]ThreadInfo, len(v.streams))
	r.WithContext(func(c *format.Context) {
		for i, s := range v.streams {
			list[i] = ThreadInfo{ID: s.thread, Blocks: len(s.blocks), Bytes: s.size, Containers: s.cells.len()}
			if name := c.Thread(s.thread); name != nil {
				list[i].Name = name.Name
			}
		}
	})
	return list
}
