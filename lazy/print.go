// Printing: print.go walks over threads, print_text.go has the lines above them and the text of a part,
// print_spread.go walks over segments of them on several processors, node_print.go below one event,
// tree_print.go over the nodes in memory. Package lazy/internal/lines lays out each line, as text or as JSON.

package lazy

import (
	"context"
	"errors"
	"fmt"
	"io"

	"tracex/lazy/internal/lines"
)

// PrintOptions control how a tree is printed. Its fields are:
//
//	Folded   bool // fold; otherwise print every point as recorded
//	Verbose  bool // with code locations
//	Escape   bool // for a terminal: show control characters in visible form
//	Values   bool // below each point, the captured contents of its values
//	JSON     bool // each line an object, see docs/json.md, always with captured values and locations
//	MaxDepth int  // number of levels below the roots to print; 0 for all
//
//	MaxIndent int64 // bytes of indentation at most, then an *IndentError; 0 for all
type PrintOptions = lines.Options

// MostIndent is how many bytes of indentation the command print and the explorer write: one overflown
// stack has hundreds of GB.
const MostIndent = 4 << 30

// IndentError is the error that a text ended because indentation had as many bytes as
// [PrintOptions] allow.
type IndentError = lines.IndentError

// JSONVersion is the version of the JSON lines. Adding a member does not change it;
// removing one or changing its meaning does.
const JSONVersion = lines.JSONVersion

// Print writes threads as text, with all their roots, without keeping nodes: memory
// grows with the depth of nesting and with the number of processors; it uses up to 16. It prints what is known when it begins; wait for PhaseReady to print all.
// If the index turns out to be wrong, it waits for a new one and continues. If the
// data is damaged, everything before the damage has been written. Headings have names if several threads have
// points. A thread without events within the range has no heading; without any events it has one in
// version 22 alone, if names are shown. If it has a From and there is nothing to print from
// there on, Print writes nothing and returns a [*NoEventError]. A nil w is standard output.
func (r *LazyTraceReader) Print(ctx context.Context, w io.Writer, o PrintOptions, within PrintRange) error {
	return r.print(ctx, w, o, within, usualCut())
}

// print is Print; c determines how threads are cut. The zero cut cuts none: they are
// printed one after the other.
func (r *LazyTraceReader) print(ctx context.Context, w io.Writer, o PrintOptions, within PrintRange, c cut) error {
	v := r.known.Load()
	p := newPrinter(r, w, o)
	p.from, p.left, p.limited = within.From, within.Count, within.Count > 0
	var err error
	if p.several, err = several(ctx, r); err != nil {
		return err
	}
	var threads []int32
	for _, s := range v.Streams {
		if within.Thread == nil || *within.Thread == s.Thread {
			threads = append(threads, s.Thread)
		}
	}
	if c == (cut{}) || p.limited || o.MaxDepth > 0 { // most of the trace may be passed over
		err = p.each(ctx, threads)
	} else {
		err = p.spread(ctx, threads, c)
	}
	if err == nil && len(threads) > 0 && p.from > 0 && !p.begun {
		return noneFrom(ctx, r, within)
	}
	if ferr := p.lines.Flush(); ferr != nil {
		return ferr
	}
	switch {
	case errors.Is(err, errEnough):
		return nil
	case err == nil && len(threads) == 0 && within.Thread != nil:
		return fmt.Errorf("no thread %d in the trace, which has %d", *within.Thread+1, len(v.Streams))
	}
	return err
}

// each prints threads one after the other. One walk goes over many threads: they may be
// short.
func (p *printer) each(ctx context.Context, threads []int32) error {
	for len(threads) > 0 && !p.enough() {
		n := min(len(threads), shareThreads)
		some, err := p.inRange(ctx, threads[:n])
		if err != nil {
			return err
		}
		if err := p.walk(ctx, some); err != nil {
			return err
		}
		threads = threads[n:]
	}
	return nil
}

// walk prints threads in one walk. If the index turns out to be wrong, it continues in
// the thread where that happened.
func (p *printer) walk(ctx context.Context, threads []int32) error {
	entered := 0 // number of threads
	return insist(ctx, p.r, func() error {
		begin, printed := 0, int64(0)
		if entered > 0 {
			begin, printed = entered-1, p.done
		}
		o := p.descent(0)
		for _, thread := range threads[begin:] {
			o.segments = append(o.segments, segment{thread: thread, to: -1})
		}
		if len(o.segments) == 0 {
			return nil
		}
		o.reach = func(segment int) error {
			if begin+segment < entered {
				return nil
			}
			if p.enough() {
				return errEnough
			}
			p.enter(threads[entered])
			entered, printed = entered+1, 0
			return nil
		}
		return descend(ctx, p.r, o, func(v *visit) error {
			if printed > 0 {
				printed--
				return nil
			}
			p.done++
			return p.point(v)
		}, nil)
	})
}

// inRange returns the threads without those that surely have no event in the requested
// range. To find out, it reads only short threads.
func (p *printer) inRange(ctx context.Context, threads []int32) (list []int32, err error) {
	if p.from <= 0 {
		return threads, nil
	}
	err = p.r.use(func() error {
		v := p.r.known.Load()
		for _, thread := range threads {
			s := v.Stream(thread)
			if s != nil && s.Size <= shortStream {
				w := &walker{r: p.r.trace, v: v, s: s}
				none, err := w.eachEvent(ctx, 0, nil, func(_ int64, event int32) bool { return event < p.from })
				if none && err == nil {
					continue
				}
			}
			list = append(list, thread)
		}
		return ctx.Err()
	})
	return list, err
}

func newPrinter(r *LazyTraceReader, w io.Writer, o PrintOptions) *printer {
	v := r.Version()
	p := &printer{r: r, version: v, lines: lines.New(lines.Output(w), r.ctx, v, o)}
	p.lines.Head(r.Times())
	return p
}

// descent returns the options of a walk over a thread.
func (p *printer) descent(thread int32) descentOptions {
	o := descentOptions{thread: thread, folded: p.lines.Options().Folded, times: p.lines.Options().JSON}
	if p.lines.Options().MaxDepth > 0 {
		o.depth, o.left = p.lines.Options().MaxDepth+1, true
	}
	return o
}

// thread prints the points of a walk. only, if not nil, returns the part to walk; it
// is called again if the index turns out to be wrong.
func (p *printer) thread(ctx context.Context, o descentOptions, only func() (*level, error)) error {
	return insist(ctx, p.r, func() (err error) {
		if only != nil {
			if o.only, err = only(); err != nil {
				return err
			}
		}
		at := int64(0)
		return descend(ctx, p.r, o, func(v *visit) error {
			if at++; at <= p.done {
				return nil // printed before the index turned out to be wrong
			}
			p.done++
			return p.point(v)
		}, nil)
	})
}

// point prints a trace point, if it belongs to the part requested.
func (p *printer) point(v *visit) error {
	if v.point.Event < p.from {
		return nil
	}
	if p.enough() {
		return errEnough
	}
	p.left--
	p.begin()
	p.lines.Point(&v.point, v.shownFooter(), v.parent, v.inside, v.depth, v.time)
	p.lines.Unloaded(int(v.left), v.depth+1)
	return p.lines.Err()
}

// noneFrom returns the error for a range that has a From, but nothing to print.
func noneFrom(ctx context.Context, r *LazyTraceReader, within PrintRange) error {
	_, hidden, err := scanForEvent(ctx, r, func(event int32) bool { return event >= within.From }, within.Thread)
	if err != nil {
		return err
	}
	return &NoEventError{Event: within.From, Thread: within.Thread, From: true, Hidden: hidden}
}

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
