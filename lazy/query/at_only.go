package query

import (
	"context"
	"slices"

	"tracex/format"
	"tracex/lazy"
)

// OnlyOpen returns the innermost call that was open from a time to a later one, if only one of some threads may have had a call
// open meanwhile, and its event; -1 if several may have had one, or there is no such call. The error is [lazy.ErrNoTimes]
// if the trace has no times.
func OnlyOpen(ctx context.Context, r *lazy.LazyTraceReader, threads []int32, from, to int64) (at lazy.Position, event int32, err error) {
	none, only := lazy.Position{At: -1}, int32(-1)
	for part := range slices.Chunk(threads, atBatch) {
		open, err := lazy.OpenAt(ctx, r, part, from)
		if err != nil {
			return none, -1, err
		}
		for i, id := range part {
			if t, known := r.ThreadTime(id); open[i].State == lazy.OpenEnded || known && t.Start > to {
				continue
			}
			if only >= 0 {
				return none, -1, nil
			}
			only = id
		}
	}
	if only < 0 {
		return none, -1, nil
	}
	var paths [2][]lazy.PassFrame
	for i, when := range []int64{from, to} {
		open, err := lazy.OpenAt(ctx, r, []int32{only}, when)
		if err != nil || open[0].State != lazy.OpenIn {
			return none, -1, err
		}
		c := &pathCollector{to: open[0].Position}
		if err := r.Pass(ctx, lazy.Pass{Raw: true, Ranges: pointRanges([]lazy.Position{c.to}), Collect: []lazy.Collector{c}}); err != nil {
			return none, -1, err
		}
		paths[i] = c.path
	}
	at, event = none, -1
	for i, f := range paths[0] {
		if i >= len(paths[1]) || paths[1][i].At != f.At {
			break
		}
		if f.Class == format.ClassCall {
			at, event = lazy.Position{Thread: only, At: f.At}, f.Event
		}
	}
	return at, event, nil
}

// pathCollector collects a container and those around it, the outermost first. It is its own visitor.
type pathCollector struct {
	to   lazy.Position
	path []lazy.PassFrame
}

func (c *pathCollector) Visitor() lazy.Visitor { return &pathCollector{to: c.to} }
func (c *pathCollector) Reset()                { c.path = nil }

func (c *pathCollector) Begin(_ int32, around []lazy.PassFrame) {
	c.path = append([]lazy.PassFrame(nil), around...)
}

func (c *pathCollector) Enter(p *lazy.PassPoint) {
	if p.At == c.to.At {
		c.path = append(c.path, lazy.PassFrame{Class: p.Class, Ref: p.Ref, Event: p.Event, At: p.At})
	}
}

func (c *pathCollector) Leaf(*lazy.PassPoint) {}
func (c *pathCollector) Exit(*lazy.PassPoint) {}

func (c *pathCollector) Merge(v lazy.Visitor) error {
	if x := v.(*pathCollector); x.path != nil {
		c.path = x.path
	}
	return nil
}
