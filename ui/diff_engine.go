package ui

import (
	"context"

	"tracex/lazy"
	"tracex/lazy/diff"
	"tracex/ui/internal/tree"
)

// diffEngine is the engine of package diff.
type diffEngine struct{ *diff.Diff }

func newEngine(a, b *lazy.LazyTraceReader, parts [2]*lazy.Handle) engine {
	return diffEngine{diff.New(a, b, diff.Options{A: parts[0], B: parts[1]})}
}

func (e diffEngine) First(ctx context.Context, tell lazy.Progress) (at [2]lazy.Position, same int64, ok bool, err error) {
	p, err := e.Diff.First(ctx, tell)
	if p == nil || err != nil {
		return at, 0, false, err
	}
	return [2]lazy.Position{p.Sides[0].Position, p.Sides[1].Position}, p.Same, true, nil
}

func (e diffEngine) Equal() (calls, of int64) {
	n := e.Counts()
	return 2 * n.EqualCalls, n.Calls[0] + n.Calls[1]
}

func (e diffEngine) Open(ctx context.Context, tell lazy.Progress) (*lazy.LazyTraceReader, enginePairs, error) {
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
