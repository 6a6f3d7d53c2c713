package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
)

// flameCommand is the command flame with its flags.
type flameCommand struct {
	*app
	raw, json    bool
	thread       threadFlag
	in, from, to string
	width, depth int
	at           place
}

// flameWidth is the width of a picture that is not for a terminal.
const flameWidth = 100

func newFlameCommand(a *app) *cobra.Command {
	t := &flameCommand{app: a}
	c := &cobra.Command{
		Use:   "flame FILE",
		Short: "Draw what a thread did over its time",
		Long: "Draw the calls of a thread over its time, the callers above: each call that is at least a column wide, and where narrower ones are. " +
			"In a trace without times the axis is the numbers of the thread's events.",
		Example: `tracex flame trace.bin
tracex flame --thread 2 --from 1.2s --to 1.3s trace.bin
tracex flame 'trace.bin#1204' --depth 40    # below an event
tracex flame --from '#1200' --json trace.bin # without times`,
		Args: a.oneTrace,
	}
	c.Annotations = map[string]string{answerMark: "yes"}
	flags := c.Flags()
	flags.BoolVar(&t.raw, "raw", false, "all recorded events, including compiler-generated ones")
	flags.Var(&t.thread, "thread", "thread N or gN, in place of the first that has something")
	flags.StringVar(&t.in, "in", "", "only what is below a place, such as '#1204'")
	flags.StringVar(&t.from, "from", "", "only from a time or an event on")
	flags.StringVar(&t.to, "to", "", "only until a time, or before an event")
	flags.IntVar(&t.width, "width", 0, "columns; as many as the terminal has")
	flags.IntVar(&t.depth, "depth", 20, "levels of calls")
	flags.BoolVar(&t.json, "json", false, "one JSON object per line and call")
	for _, name := range []string{"thread", "width"} {
		flags.Lookup(name).DefValue = "" // help would show 0
	}
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		path, t.at = splitPlace(path)
		if err := t.check(c); err != nil {
			return err
		}
		return a.withTrace(ctx, path, func(_ *input, r *lazy.LazyTraceReader) error { return t.show(ctx, r) })
	})
	return c
}

// check refuses numbers out of range and flags that contradict each other.
func (t *flameCommand) check(c *cobra.Command) error {
	f := c.Flags()
	err := cmp.Or(tooSmall(f, "thread", t.thread.number, 1), tooSmall(f, "width", int64(t.width), 1), tooSmall(f, "depth", int64(t.depth), 1))
	if err != nil || t.in == "" {
		return err
	}
	if t.at.given {
		return &usageError{"--in and " + t.at.handle.String() + " exclude each other", "both name the part to look at"}
	}
	h, err := placeArgument(t.in)
	t.at = place{h, true}
	return err
}

// show draws the flame; if the trace is damaged, that of its undamaged part.
func (t *flameCommand) show(ctx context.Context, r *lazy.LazyTraceReader) error {
	o := lazy.FlameOptions{Raw: t.raw, Columns: t.width, Depth: t.depth}
	if o.Columns == 0 {
		if o.Columns = t.app.width(); o.Columns == 0 {
			o.Columns = flameWidth
		}
	}
	if err := t.choose(ctx, r, &o); err != nil {
		return err
	}
	f, err := lazy.FlameOf(ctx, r, o)
	switch {
	case errors.Is(err, lazy.ErrEmptyFlame) && t.at.given && t.from == "" && t.to == "":
		scope := query.Scope{Raw: t.raw}
		if why := scope.In(ctx, r, t.at.handle); why != nil {
			err = why
		}
		return errors.Join(err, r.Status().Problem)
	case errors.Is(err, lazy.ErrEmptyFlame) && (t.from != "" || t.to != "" || t.at.given):
		return errors.Join(withHint(err, "tracex flame without --from, --to and --in draws all of the thread"), r.Status().Problem)
	case errors.Is(err, lazy.ErrNoTimes):
		return errors.Join(fmt.Errorf("nothing in thread %d has a time", int64(o.Thread)+1), r.Status().Problem)
	case err != nil:
		return errors.Join(err, r.Status().Problem)
	}
	if err := t.remarkFiles(r); err != nil {
		return err
	}
	p := query.NewFlamePicture(r, f, &display.Unicode)
	if t.json {
		err = p.WriteJSON(t.stdout)
	} else {
		err = p.WriteText(t.stdout)
	}
	return errors.Join(err, r.Status().Problem)
}

// choose sets which part of the trace is drawn.
func (t *flameCommand) choose(ctx context.Context, r *lazy.LazyTraceReader, o *lazy.FlameOptions) error {
	thread, err := t.thread.find(ctx, r)
	switch {
	case err != nil:
		return err
	case thread != nil:
		o.Thread = *thread
	case r.ThreadList().Len() > 0:
		o.Thread = r.ThreadList().ID(0)
		if !t.at.given {
			if err := t.first(ctx, r, o); err != nil {
				return err
			}
		}
	}
	if err := hasThread(r, o.Thread); err != nil {
		return err
	}
	if t.at.given {
		at, _, err := r.Find(ctx, t.at.handle)
		if err != nil {
			return err
		}
		if thread != nil && at.Thread != o.Thread {
			return &usageError{fmt.Sprintf("%s is in thread %d, not %d", t.at.handle, int64(at.Thread)+1, int64(o.Thread)+1), ""}
		}
		if o.Thread = at.Thread; at.At >= 0 {
			o.Below = &at
		}
	}
	_, timed := r.Times()
	o.From, o.To, err = axisPlaces(t.from, t.to, timed)
	return err
}

// first chooses the first thread that has something to draw, if there is one.
func (t *flameCommand) first(ctx context.Context, r *lazy.LazyTraceReader, o *lazy.FlameOptions) error {
	list := r.ThreadList()
	for i := range list.Len() {
		_, err := lazy.FlameOf(ctx, r, lazy.FlameOptions{Thread: list.ID(i), Raw: t.raw, Columns: 1, Depth: 1})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, lazy.ErrEmptyFlame), errors.Is(err, lazy.ErrNoTimes):
			continue
		}
		if o.Thread = list.ID(i); i > 0 {
			t.remark(fmt.Sprintf("thread %d has nothing to draw", int64(list.ID(0))+1), fmt.Errorf("this is thread %d, the first that has", int64(o.Thread)+1))
		}
		break
	}
	return nil
}
