package importer

import (
	"cmp"
	"context"
	"math"
	"time"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/sources"
)

// alignment is where inputs are in the time of a trace.
type alignment struct {
	begin time.Time // the wall time of the trace's zero; zero if they are not aligned: it would be that of one only
	moves []int64   // ns that are added to the times of each input
	why   string    // that they are not aligned, and why; "" if they are
}

// align places inputs by their wall times if all have one. Otherwise all begin at once.
func align(clocks []calltrace.Clock, names []string) (a alignment) {
	const farApart = math.MaxInt64 / 4 // ns, 73 years: one of the clocks was not set
	walls := true
	var first, last time.Time // when the first and the last one begin
	for i, c := range clocks {
		if !c.Some {
			continue
		}
		if c.Anchor.IsZero() {
			walls = false
			a.why = cmp.Or(a.why, names[i]+" has no wall clock: all begin at the same time")
			continue
		}
		begin := c.Anchor.Add(time.Duration(c.First))
		if first.IsZero() || begin.Before(first) {
			first = begin
		}
		if begin.After(last) {
			last = begin
		}
	}
	if walls && last.Sub(first) > farApart {
		walls, a.why = false, "the wall clocks are too far apart: all begin at the same time"
	}
	if walls {
		a.begin = first
	}
	for _, c := range clocks {
		move := -c.First
		if walls && c.Some {
			move += int64(c.Anchor.Add(time.Duration(c.First)).Sub(first))
		}
		a.moves = append(a.moves, move)
	}
	return a
}

// alignInputs finds the clocks of inputs, which are read for it, and aligns them.
func (c *Conversion) alignInputs(ctx context.Context, ins []*Input) (a alignment, err error) {
	p := newImportProgress(c.Begin("aligning"), ins)
	defer p.end()
	var clocks []calltrace.Clock
	var names []string
	for _, s := range ins {
		clock, err := c.clockOf(ctx, s, p)
		if err != nil {
			return a, err
		}
		clocks, names = append(clocks, clock), append(names, s.Name)
		p.next(s.Size)
	}
	return align(clocks, names), nil
}

// clockOf finds the clock of an input, which is opened once more. Its faults are found again when it is converted.
func (c *Conversion) clockOf(ctx context.Context, s *Input, p *importProgress) (clock calltrace.Clock, err error) {
	in := sources.Input{Path: s.Name, Size: s.Size, Progress: p.read}
	if s.Content != nil {
		again, err := OpenFile(ctx, s.Path)
		if err != nil {
			return clock, err
		}
		defer again.Close()
		in.Reader, in.Progress = &progressReader{again, p}, nil
	}
	w := calltrace.Probe()
	defer w.Discard()
	clock, err = w.Clock(s.source.Convert(ctx, in, "", w))
	switch {
	case ctx.Err() != nil:
		return clock, context.Cause(ctx)
	case err != nil && !isDamage(err):
		return clock, err
	}
	return clock, nil
}
