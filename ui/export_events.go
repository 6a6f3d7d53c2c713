package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"tracex/lazy"
	"tracex/lazy/export"
	"tracex/ui/internal/saving"
	"tracex/ui/internal/screen"
)

// begin begins an export.
func (x *exporting) begin(o *exportOrder) {
	n := saving.Name{Typed: o.file, Trace: x.traceFile(), Part: o.name, Replace: o.force}
	o.suffix(&n)
	var work saving.Work
	switch {
	case o.text:
		work = func(ctx context.Context, _ lazy.Progress) (saving.Done, error) {
			d, err := saving.SaveText(n, func(w io.Writer) error { return o.print(ctx, w) })
			if o.note != "" {
				d.Notes = append(d.Notes, o.note)
			}
			return d, err
		}
	case o.table != nil:
		work = func(ctx context.Context, tell lazy.Progress) (saving.Done, error) {
			rows, err := o.rows(ctx)
			if err != nil {
				return saving.Done{}, err
			}
			return rows.Save(ctx, o.table, n, tell)
		}
	default:
		work = x.events(o, n)
	}
	name := o.file
	if name == "" {
		name = n.Proposed()
	}
	if !x.Begin(name, work) {
		x.env.Warn("an export is under way: " + screen.ActionKey("stop", x.env.Glyphs) + " stops it")
	}
}

// traceFile returns the file that exports are put beside. A trace that has no file of the user's, such as that of a
// pipe, is taken to be in the current folder.
func (x *exporting) traceFile() string {
	if x.trace.Named() {
		return strings.ReplaceAll(filepath.Base(x.trace.Name()), " ", "-")
	}
	return x.trace.File()
}

// events returns the work that exports events.
func (x *exporting) events(o *exportOrder, n saving.Name) saving.Work {
	r, title := x.trace.Reader, filepath.Base(x.trace.File())
	return func(ctx context.Context, tell lazy.Progress) (d saving.Done, err error) {
		if d.Path, err = n.Path(); err != nil { // at once, not after reading
			return d, err
		}
		if err = r.Wait(ctx); err != nil {
			return d, err
		}
		scope, err := o.scope(ctx, o.raw || o.format.Raw)
		if err != nil {
			return d, err
		}
		j, err := export.NewJob(r, export.Options{Scope: scope, NoValues: o.noValues, Reads: o.reads, Force: o.force, Title: title, Program: x.program})
		if err != nil {
			return d, err
		}
		to := export.Destination{Path: d.Path, Mode: n.Mode(), Replace: n.Replace}
		if d.Size, err = j.Save(ctx, o.format, to, tell); err != nil {
			return d, o.explain(err)
		}
		d.Notes = notesOf(j, o.format)
		if o.note != "" {
			d.Notes = append(d.Notes, o.note)
		}
		return d, nil
	}
}

// explain adds to an error what can be done.
func (o *exportOrder) explain(err error) error {
	var large *export.TooLargeError
	switch {
	case errors.Is(err, export.ErrNothing) && o.ranged:
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

// notesOf tells what is not in an export, and what is not as recorded.
func notesOf(j *export.Job, f *export.Format) (list []string) {
	for _, l := range j.LeftOut() {
		list = append(list, "left out "+screen.Grouped(l.Count)+" "+l.What)
	}
	if !j.Timed && f.Axis {
		list = append(list, "the trace has no times: one event is shown as one microsecond")
	}
	switch st := j.R.Status(); {
	case st.Problem != nil:
		list = append(list, "only what is not damaged")
	case st.Growth.On:
		list = append(list, "what was recorded so far")
	}
	return list
}
