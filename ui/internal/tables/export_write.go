package tables

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/export"
	"tracex/lazy/query/display"
)

func (x *Exports) write(o *exportOrder) tea.Cmd {
	n := x.file(o)
	return x.Begin(cmp.Or(o.file, n.Proposed()), func(ctx context.Context, tell lazy.Progress) (d ExportDone, err error) {
		to, err := n.Destination() // at once, not after reading
		if d.Path = to.Path; err != nil {
			return d, err
		}
		switch {
		case o.format.events != nil:
			d.Size, d.Notes, err = x.writeEvents(ctx, o, to, tell)
		case o.format.rows != nil:
			var rows *export.Rows
			if rows, err = o.rows(ctx); err != nil {
				return d, err
			}
			d.Size, err = rows.Save(ctx, o.format.rows, to, tell)
			if rows.Table.Partial {
				d.Notes = append(d.Notes, "the table is not complete: it was stopped")
			}
		default:
			d.Size, err = export.SaveText(to, func(w io.Writer) error {
				if err := x.env.Trace.Reader.Wait(ctx); err != nil {
					return err
				}
				return o.print(ctx, w)
			})
			d.Notes = append(d.Notes, x.remarks()...)
		}
		if o.note != "" {
			d.Notes = append(d.Notes, o.note)
		}
		return d, err
	})
}

func (x *Exports) writeEvents(ctx context.Context, o *exportOrder, to export.Destination, tell lazy.Progress) (size int64, notes []string, err error) {
	r := x.env.Trace.Reader
	if err = r.Wait(ctx); err != nil {
		return 0, nil, err
	}
	f := o.format.events
	scope, err := o.scope(ctx, r, o.raw || f.Raw)
	if err != nil {
		return 0, nil, err
	}
	j, err := export.NewJob(r, export.Options{
		Scope: scope, NoValues: o.words["no-values"], Reads: o.words["reads"], Force: o.force, Title: filepath.Base(x.env.Trace.File()), Program: x.program,
	})
	if err != nil {
		return 0, nil, err
	}
	if size, err = j.Save(ctx, f, to, tell); err != nil {
		return 0, nil, o.explain(err)
	}
	for _, l := range j.LeftOut() {
		notes = append(notes, "left out "+display.Grouped(l.Count)+" "+l.What)
	}
	if !j.Timed && f.Axis {
		notes = append(notes, "the trace has no times: one event is shown as one microsecond")
	}
	return size, append(notes, x.remarks()...), nil
}

// remarks tells whether a trace has more than is exported.
func (x *Exports) remarks() (notes []string) {
	switch st := x.env.Trace.Reader.Status(); {
	case st.Problem != nil:
		notes = append(notes, "only what is not damaged")
	case st.Growth.On:
		notes = append(notes, "what was recorded so far")
	}
	return notes
}

// explain adds to an error what can be done.
func (o *exportOrder) explain(err error) error {
	var large *export.TooLargeError
	switch {
	case errors.Is(err, export.ErrNothing) && len(ranges(o.steps)) > 0:
		return fmt.Errorf("%w and of the range: :unfilter ends the range", err)
	case !errors.As(err, &large):
		return err
	}
	hint := ":focus, :drop or :range leave out more"
	if large.MinDur > 0 {
		hint = fmt.Sprintf(":drop dur<%v leaves about %d", time.Duration(large.MinDur), max(large.Then/1e6, 1))
	}
	return fmt.Errorf("about %d MB, and %s loads %d; %s; :export! writes it", large.Size/1e6, large.Target, large.Limit/1e6, hint)
}
