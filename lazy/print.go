package lazy

import (
	"context"
	"errors"
	"fmt"
	"io"

	"tracex/format"
)

// Part says which part of a trace is printed.
type Part struct {
	Thread *int32 // nil: all threads
	From   int64  // trace points to pass over, of all that would be printed
	Count  int64  // trace points to print; 0: all
}

// errEnough ends a walk that has printed what was asked for.
var errEnough = errors.New("enough")

// Print writes threads as text, all their roots, without keeping nodes: memory
// grows with the depth of nesting alone. It prints what is known when it
// begins; wait for PhaseReady to print all. Where the index turns out to be
// wrong it waits for another, and goes on; where the data is damaged, what
// comes before the damage has been written.
func (r *TraceReader) Print(ctx context.Context, w io.Writer, o PrintOptions, part Part) error {
	v := r.known.Load()
	lines := newLineWriter(w, r.ctx, o)
	printed := false
	passed, left := part.From, part.Count
	var err error
	for _, s := range v.streams {
		if part.Thread != nil && *part.Thread != s.thread {
			continue
		}
		printed = true
		if err = r.printThread(ctx, lines, s.thread, len(v.streams) > 1, &passed, &left, part.Count > 0); err != nil {
			break
		}
	}
	if ferr := lines.flush(); ferr != nil {
		return ferr
	}
	switch {
	case errors.Is(err, errEnough):
		return nil
	case err == nil && !printed && part.Thread != nil:
		return fmt.Errorf("no thread %d in the trace, which has %d", *part.Thread+1, len(v.streams))
	}
	return err
}

// printThread prints one thread. passed counts down the trace points to pass
// over, left those to print, when limited.
func (r *TraceReader) printThread(ctx context.Context, lines *lineWriter, thread int32, several bool, passed, left *int64, limited bool) error {
	took := noTime
	if lines.options.JSON {
		took = r.threadTime(thread)
	}
	r.WithContext(func(c *format.Context) {
		name := ""
		if t := c.Thread(thread); t != nil {
			name = t.Name
		}
		lines.thread(thread, name, several, took)
	})
	o := descentOptions{thread: thread, folded: lines.options.Folded, times: lines.options.JSON}
	if lines.options.MaxDepth > 0 {
		o.depth = lines.options.MaxDepth + 1
	}
	done := int64(0) // trace points that have been visited
	for {
		at, epoch := int64(0), r.epoch.Load()
		err := r.descend(ctx, o, func(p *visit) error {
			if at++; at <= done {
				return nil // before the index turned out to be wrong
			}
			done++
			if *passed > 0 {
				*passed--
				return nil
			}
			if limited {
				if *left == 0 {
					return errEnough
				}
				*left--
			}
			lines.point(&p.point, p.shownFooter(), p.parent, p.depth, p.time)
			return lines.err
		}, nil)
		if !errors.Is(err, errContradiction) && !errors.Is(err, format.ErrCorrupt) {
			return err
		}
		// What has been printed is true: it was checked against the data. Go
		// on there, when the index is made again; one that was made from the
		// data is not.
		if werr := r.Wait(ctx); werr != nil {
			return werr
		}
		if r.epoch.Load() == epoch {
			return err
		}
	}
}
