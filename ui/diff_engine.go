package ui

import (
	"context"
	"errors"

	"tracex/lazy"
	"tracex/lazy/diff"
	"tracex/ui/internal/tree"
)

// diffEngine is the engine of package diff.
type diffEngine struct {
	*diff.Diff
	a, b    *lazy.LazyTraceReader
	options diff.Options
}

func newEngine(c *comparison) engine {
	e := &diffEngine{a: c.sides[0].reader, b: c.sides[1].reader, options: diff.Options{A: c.parts[0], B: c.parts[1], Identity: c.identity}}
	e.Diff = diff.New(e.a, e.b, e.options)
	return e
}

func (e *diffEngine) Quiet(ctx context.Context, noise *lazy.LazyTraceReader, tell lazy.Progress) error {
	d := diff.New(e.a, noise, diff.Options{Identity: e.options.Identity})
	err := d.Run(ctx, tell)
	if err == nil {
		e.options.Quiet = make(map[uint64]bool)
		d.Groups(e.options.Quiet)
		e.Diff = diff.New(e.a, e.b, e.options)
	}
	return errors.Join(err, d.Close())
}

func (e *diffEngine) First(ctx context.Context, tell lazy.Progress) (at [2]lazy.Position, same int64, ok bool, err error) {
	p, err := e.Diff.First(ctx, tell)
	if p == nil || err != nil {
		return at, 0, false, err
	}
	return [2]lazy.Position{p.Sides[0].Position, p.Sides[1].Position}, p.Same, true, nil
}

func (e *diffEngine) Equal() (calls, of, quiet int64) {
	n := e.Counts()
	return 2 * n.EqualCalls, n.Calls[0] + n.Calls[1], n.Quiet
}

func (e *diffEngine) Open(ctx context.Context, tell lazy.Progress) (*lazy.LazyTraceReader, enginePairs, error) {
	r, pairs, err := e.Diff.Open(ctx, tell)
	return r, diffPairs{pairs}, err
}

// diffPairs are the pairs of package diff.
type diffPairs struct{ *diff.Pairs }

func (p diffPairs) Of(event int32) (tree.Pair, error) {
	of, err := p.Pairs.Of(event)
	out := tree.Pair{Took: of.Took}
	for side := range out.At {
		out.At[side] = lazy.Position{Thread: of.Thread[side], At: of.At[side]}
	}
	return out, err
}
