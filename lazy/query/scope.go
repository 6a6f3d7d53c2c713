package query

import (
	"context"
	"errors"
	"fmt"

	"tracex/lazy"
)

// Scope is the part of a trace that a question is about. The zero Scope is all that the folded
// view shows.
type Scope struct {
	// Raw takes the points as recorded, otherwise as the folded view shows them.
	Raw bool
	// Ranges are parts of threads; nil for all threads. Containers that begin before the From of
	// their thread's range do not belong to the scope.
	Ranges []lazy.PassRange
	// From and To bound the time, in nanoseconds since [lazy.TraceReader.Times], if Timed is set.
	Timed    bool
	From, To int64

	edits *edits // nil without steps
}

// Pass returns a pass over the scope, to be completed with collectors. It does not know the steps:
// see Over.
func (s *Scope) Pass() lazy.Pass { return lazy.Pass{Raw: s.Raw, Ranges: s.Ranges} }

// begins returns where the scope begins in a thread: a logical offset.
func (s *Scope) begins(thread int32) int64 {
	for _, r := range s.Ranges {
		if r.Thread == thread {
			return r.From
		}
	}
	return 0
}

// clip returns the part of a time that is within the scope; ok is false if there is none. counted
// reports whether it begins there.
func (s *Scope) clip(t lazy.Time) (clipped lazy.Time, counted, ok bool) {
	if !s.Timed {
		return t, true, true
	}
	from, to := max(t.Start, s.From), min(t.End(), s.To)
	counted = t.Start >= s.From && t.Start < s.To
	if from > to || from == to && !counted {
		return lazy.Time{}, false, false
	}
	return lazy.Time{Start: from, Duration: to - from}, counted, true
}

// In limits the scope to what a handle names and everything below it.
func (s *Scope) In(ctx context.Context, r *lazy.TraceReader, h lazy.Handle) error {
	at, event, err := r.Find(ctx, h)
	if err != nil {
		return err
	}
	for _, have := range s.Ranges {
		if have.Thread != at.Thread {
			return fmt.Errorf("%s is in thread %d, not %d", h, int64(at.Thread)+1, int64(have.Thread)+1)
		}
	}
	if at.At < 0 {
		s.Ranges = []lazy.PassRange{{Thread: at.Thread, To: -1}}
		return nil
	}
	e := extent{event: event}
	err = r.Pass(ctx, lazy.Pass{
		Raw: s.Raw, Ranges: []lazy.PassRange{{Thread: at.Thread, From: at.At, To: at.At + 1}}, Collect: []lazy.Collector{&e},
	})
	switch {
	case err != nil:
		return err
	case e.leaf:
		return fmt.Errorf("%s is no call, loop or iteration: nothing is below it", h)
	case !e.found:
		return fmt.Errorf("%s is %w", h, ErrHidden)
	}
	s.Ranges = []lazy.PassRange{{Thread: at.Thread, From: at.At, To: e.to}}
	return nil
}

// ErrHidden is the error for an event that the folded view does not show.
var ErrHidden = errors.New("hidden by folding")

// extent finds the end of a container. It is a Collector and its own visitor.
type extent struct {
	event       int32
	found, leaf bool
	to          int64 // logical offset in its footer, or after the end of the thread
}

func (e *extent) Visitor() lazy.Visitor         { return &extent{event: e.event} }
func (e *extent) Reset()                        { *e = extent{event: e.event} }
func (e *extent) Begin(int32, []lazy.PassFrame) {}
func (e *extent) Exit(*lazy.PassPoint)          {}
func (e *extent) Leaf(p *lazy.PassPoint)        { e.leaf = e.leaf || p.Event == e.event }
func (e *extent) Merge(v lazy.Visitor) error {
	if x := v.(*extent); x.found || x.leaf {
		*e = *x
	}
	return nil
}

func (e *extent) Enter(p *lazy.PassPoint) {
	if p.Event != e.event || e.found {
		return
	}
	if _, to, err := p.Content(); err == nil {
		e.found, e.to = true, to+1 // beyond the end of the thread if it never ended
	}
}
