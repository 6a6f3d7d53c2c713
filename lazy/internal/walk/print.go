// Printing: print.go chooses the threads, print_pass.go makes text from their parts in a pass, printer.go puts
// it together with the lines above threads. In package lazy, node_print.go prints what is below one event,
// tree_print.go the nodes in memory. Package lazy/internal/lines lays out each line, as text or as JSON, and decides
// which threads have one.

package walk

import (
	"context"
	"errors"
	"fmt"
	"io"

	"tracex/lazy/internal/index"
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

func (r *Reader) Print(ctx context.Context, w io.Writer, o PrintOptions, within PrintRange) error {
	return r.PrintIn(ctx, w, o, within, UsualCut())
}

// PrintIn is Print; c determines how threads are cut.
func (r *Reader) PrintIn(ctx context.Context, w io.Writer, o PrintOptions, within PrintRange, c PassCut) error {
	v := r.Known.Load()
	p := NewPrinter(r, w, o)
	p.from, p.Left, p.Limited = within.From, within.Count, within.Count > 0
	var err error
	if p.several, err = Several(ctx, r); err != nil {
		return err
	}
	var threads []int32
	var size int64
	for i := range v.Streams.Len() {
		if thread := v.Streams.Thread(i); within.Thread == nil || *within.Thread == thread {
			threads, size = append(threads, thread), size+v.Streams.Size(i)
		}
	}
	if o.MaxDepth > 0 { // most of the trace may be passed over: no more than so many beginnings of shares are found
		c.Bytes = max(c.Bytes, size/64)
	}
	if c == Uncut || p.Limited {
		err = p.each(ctx, threads)
	} else {
		err = p.Run(ctx, threads, c, nil)
	}
	if err == nil && len(threads) > 0 && p.from > 0 && !p.begun {
		return noneFrom(ctx, r, within)
	}
	if ferr := p.Lines.Flush(); ferr != nil {
		return ferr
	}
	switch {
	case errors.Is(err, ErrEnough):
		return nil
	case err == nil && len(threads) == 0 && within.Thread != nil:
		return fmt.Errorf("no thread %d in the trace, which has %d", *within.Thread+1, v.Streams.Len())
	}
	return err
}

// each prints threads one after the other. One part has many threads: they may be short.
func (p *Printer) each(ctx context.Context, threads []int32) error {
	for len(threads) > 0 && !p.enough() {
		n := min(len(threads), shareThreads)
		some, err := p.inRange(ctx, threads[:n])
		if err != nil {
			return err
		}
		if err := p.Run(ctx, some, Uncut, nil); err != nil {
			return err
		}
		threads = threads[n:]
	}
	return nil
}

// inRange returns the threads without those that surely have no event in the requested
// range. To find out, it reads only short threads.
func (p *Printer) inRange(ctx context.Context, threads []int32) (list []int32, err error) {
	if p.from <= 0 {
		return threads, nil
	}
	err = p.r.Use(func() error {
		v := p.r.Known.Load()
		var room index.Room
		for _, thread := range threads {
			i, found := v.Streams.Search(thread)
			if found && v.Streams.Size(i) <= shortStream {
				w := &Walker{R: p.r.Trace, V: v, S: v.Streams.In(&room, i)}
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

func NewPrinter(r *Reader, w io.Writer, o PrintOptions) *Printer {
	v := r.Version()
	p := &Printer{r: r, version: v, Lines: lines.New(lines.Output(w), r.Ctx, v, o), Counts: true}
	if o.MaxDepth > 0 {
		p.Levels = o.MaxDepth + 1
	}
	p.Lines.Head(r.Times())
	return p
}

// noneFrom returns the error for a range that has a From, but nothing to print.
func noneFrom(ctx context.Context, r *Reader, within PrintRange) error {
	_, hidden, err := scanForEvent(ctx, r, func(event int32) bool { return event >= within.From }, within.Thread)
	if err != nil {
		return err
	}
	return &NoEventError{Event: within.From, Thread: within.Thread, From: true, Hidden: hidden}
}

// Several reports whether several threads have points. It reads no more of a thread than what
// precedes its first point, and no more threads than until it has found two.
func Several(ctx context.Context, r *Reader) (found bool, err error) {
	err = r.Use(func() error {
		v, n := r.Known.Load(), 0
		if v.Streams.Len() < 2 {
			return nil
		}
		for _, s := range v.Streams.All() {
			if n > 1 || ctx.Err() != nil {
				break
			}
			w := &Walker{R: r.Trace, V: v, S: s}
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
