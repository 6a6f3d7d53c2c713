package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
)

// iterations reports whether the calls asked for are the iterations of a loop.
func (t *callsCommand) iterations() bool {
	e, err := filter.Parse(t.What)
	return err == nil && e.String() == "kind=iteration"
}

// showIterations prints the iterations of the loop at a place, or of the innermost one around it; if the
// trace is damaged, those of its undamaged part.
func (t *callsCommand) showIterations(ctx context.Context, r *lazy.LazyTraceReader) error {
	in := t.at
	switch {
	case t.in != "" && in.given:
		return &usageError{"--in and " + in.handle.String() + " exclude each other", "both name the loop"}
	case t.where != "" || t.By != "" || t.format != "" || len(t.Cols) > 0:
		return &usageError{"iterations take neither --where nor --by nor --col nor --format", ""}
	case t.in != "":
		h, err := placeArgument(t.in)
		if err != nil {
			return err
		}
		in = place{h, true}
	case !in.given:
		return &usageError{"kind=iteration needs a loop", "--in '#1204' names it: the loop, or an event in it; tracex find FILE kind=loop lists them"}
	}
	v, err := t.iterationsView(r)
	if err != nil {
		return err
	}
	at, _, err := r.Find(ctx, in.handle)
	if err != nil {
		return err
	}
	loop, ok, err := query.LoopAt(ctx, r, t.raw, at)
	if err != nil {
		return err
	}
	if !ok {
		return withHint(fmt.Errorf("%s is in no loop", in.handle), "tracex find FILE kind=loop lists the loops")
	}
	t.in = "" // scope takes the loop
	scope, err := t.scope(ctx, r, place{lazy.PositionHandle(loop.Position), true})
	if err != nil {
		return err
	}
	found := query.NewIterations(r, scope, loop)
	p := t.newProgress("reading")
	err = found.Run(ctx, p.Update)
	p.End()
	if err != nil {
		return err
	}
	if err := t.remarkFiles(r); err != nil {
		return err
	}
	problem := r.Status().Problem
	made := found.Table(v)
	if err := t.print(t.app, made); err != nil {
		return err
	}
	return errors.Join(t.answerFlags.verdict(found.Found(), made.Row), problem) // reported after the answer
}

// iterationsView returns in which order iterations are shown.
func (t *callsCommand) iterationsView(r *lazy.LazyTraceReader) (v query.View, err error) {
	_, timed := r.Times()
	sorts, key := query.IterationSorts(timed), t.Sort
	switch key {
	case "":
		if t.Reverse {
			key = "iteration"
		}
	case "dur":
		key = "duration"
	case "event":
		key = "iteration"
	}
	if key != "" && !slices.Contains(sorts, key) {
		return v, &usageError{"iterations cannot be sorted by " + t.Sort, "there are " + strings.Join(sorts, ", ")}
	}
	return query.View{Sort: key, Rising: query.IterationsRise(key) != t.Reverse, Done: 1, G: &display.Unicode}, nil
}
