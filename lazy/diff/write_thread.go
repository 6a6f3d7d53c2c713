package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"tracex/format"
)

// thread begins two threads, before their first step.
func (w *writer) thread(s, first step) error {
	if w.block != nil {
		return errors.New("the steps of a diff have a thread within another one")
	}
	if err := holdSources(w.a, w.b, func() error {
		return cmp.Or(w.a.thread(int32(s.a)), w.b.thread(int32(s.b)))
	}); err != nil {
		return err
	}
	if err := w.beginThread(s); err != nil {
		return err
	}
	return holdSources(w.a, w.b, func() error {
		w.block.Name = threadName(w.a.name(), w.b.name())
		w.block.Named = w.block.Name != ""
		if !w.full {
			return nil
		}
		if one, err := w.oneRoot(first); one || err != nil {
			return err
		}
		p := format.Point{Class: format.ClassCall, Location: -1, Ref: w.words.pseudo(format.RootMethod), Target: format.Null()}
		event, content, err := w.put(nil, &p, format.DiffUnchanged, s.marks, none)
		w.open = append(w.open, openPoint{content: content, event: event, class: format.ClassCall, around: true,
			footer: format.Footer{Result: format.Value{Kind: format.ValueVoid}}})
		return err
	})
}

// oneRoot reports whether the output of the thread, whose first step is given, has a single root. Lincheck shows only the
// first one: so it has a call around them in its diffs.
func (w *writer) oneRoot(first step) (bool, error) {
	for _, s := range [...]*source{w.a, w.b} {
		if n, err := s.roots(); n > 1 || err != nil {
			return false, err
		}
	}
	both := w.a.w != nil && w.b.w != nil
	switch first.kind {
	case stepEqual:
		return true, nil
	case stepPair:
		return first.quiet, nil
	case stepEnter:
		return first.quiet || !first.own, nil
	}
	return !both, nil
}

// threadName returns the name of two threads that are compared; that of B if they differ in numbers alone. A name is empty if the thread has
// none, or is none.
func threadName(a, b string) string {
	switch {
	case a == b || b == "":
		return a
	case a == "", kindOf(a) == kindOf(b):
		return b
	}
	return fmt.Sprintf("%s → %s", a, b)
}

// exit ends a container, or the thread.
func (w *writer) exit(ctx context.Context) error {
	if w.block == nil {
		return errors.New("the steps of a diff end a thread that has not begun")
	}
	if n := len(w.open); n > 0 && !w.open[n-1].around {
		return holdSources(w.a, w.b, w.leave)
	}
	if w.last.kind == stepThread {
		if err := w.whole(ctx); err != nil {
			return err
		}
	}
	if len(w.open) > 0 {
		if err := w.leave(); err != nil {
			return err
		}
	}
	w.out.EndThread(w.block)
	w.block = nil
	return w.out.Err()
}

// whole writes the thread if it is in one trace alone and had no steps.
func (w *writer) whole(ctx context.Context) error {
	switch {
	case w.a.w != nil && w.b.w == nil:
		return w.copy(ctx, w.a, 0, allRoots, format.DiffRemoved, nil)
	case w.b.w != nil && w.a.w == nil:
		return w.copy(ctx, w.b, 0, allRoots, format.DiffAdded, nil)
	}
	return nil
}

// allRoots are as many siblings as there are.
const allRoots = -1

// copy writes siblings of one side, from an offset on, with everything in them. twin, if not nil, is the one of
// the other side that the first one belongs to.
func (w *writer) copy(ctx context.Context, s *source, at, siblings int64, status format.DiffStatus, twin *origin) error {
	if s.w == nil {
		return errors.New("a step of a diff is about a thread that is not in the trace")
	}
	f := &w.feeds[s.n]
	f.start(s, at)
	f.heads = false
	var open []openPoint
	for more := true; more; {
		if err := w.check(ctx); err != nil {
			return err
		}
		err := holdSources(w.a, w.b, func() (err error) {
			defer f.release()
			for n := 0; n < holdFor && more && err == nil; n++ {
				if siblings == allRoots && len(open) == 0 {
					if end, err := f.atEnd(); end || err != nil {
						more = false
						return err
					}
				}
				if err = f.next(); err == nil {
					open, err = w.copied(s, f, open, status, twin)
					twin = nil
				}
				if len(open) == 0 && err == nil {
					siblings = max(allRoots, siblings-1)
					more = siblings != 0
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// copied writes the object that a feed has read.
func (w *writer) copied(s *source, f *feed, open []openPoint, status format.DiffStatus, twin *origin) ([]openPoint, error) {
	if !f.closed {
		o := none
		if twin != nil {
			o = *twin
		}
		o.set(s, f.point.Event, f.at, -1)
		event, content, err := w.put(s, &f.point, status, 0, o)
		if f.point.Class.Container() {
			open = append(open, openPoint{content: content, event: event})
		}
		return open, err
	}
	o := open[len(open)-1]
	if took := f.took(); took >= 0 && w.pairs != nil {
		w.pairs.took(o.event, s.n, took)
	}
	return open[:len(open)-1], w.close(s, &f.footer, f.point.Class, o.event, o.content)
}
