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

	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/lazy/export"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

func (x *Exports) write(o *exportOrder) tea.Cmd {
	n := x.file(o)
	return x.Begin(cmp.Or(o.file, n.Proposed()), func(ctx context.Context, tell lazy.Progress) (d ExportDone, err error) {
		switch {
		case o.format.events != nil:
			d, err = x.writeEvents(ctx, o, n, tell)
		case o.format.rows != nil:
			var rows *Rows
			if rows, err = o.rows(ctx); err == nil {
				d, err = rows.Save(ctx, o.format, n, tell)
			}
		default:
			d, err = saveText(n, func(w io.Writer) error {
				if err := x.env.Trace.Reader.Wait(ctx); err != nil {
					return err
				}
				return o.print(ctx, w)
			})
			x.remark(&d)
		}
		if o.note != "" {
			d.Notes = append(d.Notes, o.note)
		}
		return d, err
	})
}

func (x *Exports) writeEvents(ctx context.Context, o *exportOrder, n ExportName, tell lazy.Progress) (d ExportDone, err error) {
	if d.Path, err = n.Path(); err != nil { // at once, not after reading
		return d, err
	}
	r := x.env.Trace.Reader
	if err = r.Wait(ctx); err != nil {
		return d, err
	}
	f := o.format.events
	scope, err := o.scope(ctx, r, o.raw || f.Raw)
	if err != nil {
		return d, err
	}
	j, err := export.NewJob(r, export.Options{
		Scope: scope, NoValues: o.words["no-values"], Reads: o.words["reads"], Force: o.force, Title: filepath.Base(x.env.Trace.File()), Program: x.program,
	})
	if err != nil {
		return d, err
	}
	to := export.Destination{Path: d.Path, Mode: n.Mode(), Replace: n.Replace}
	if d.Size, err = j.Save(ctx, f, to, tell); err != nil {
		return d, o.explain(err)
	}
	for _, l := range j.LeftOut() {
		d.Notes = append(d.Notes, "left out "+display.Grouped(l.Count)+" "+l.What)
	}
	if !j.Timed && f.Axis {
		d.Notes = append(d.Notes, "the trace has no times: one event is shown as one microsecond")
	}
	x.remark(&d)
	return d, nil
}

// remark notes that a trace has more than is exported.
func (x *Exports) remark(d *ExportDone) {
	switch st := x.env.Trace.Reader.Status(); {
	case st.Problem != nil:
		d.Notes = append(d.Notes, "only what is not damaged")
	case st.Growth.On:
		d.Notes = append(d.Notes, "what was recorded so far")
	}
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

// Rows are rows of a table. Several goroutines may use it.
type Rows struct {
	Table   *table.Table
	Numbers []int // of the rows, in their order; nil for all
	// Load makes rows known; nil if they are.
	Load func(ctx context.Context, t *table.Table, from, to int) error
}

func (x *Rows) Len() int {
	if x.Numbers != nil {
		return len(x.Numbers)
	}
	return x.Table.Rows.Len()
}

// number returns the number of the i-th in the table.
func (x *Rows) number(i int) int {
	if x.Numbers != nil {
		return x.Numbers[i]
	}
	return i
}

func (x *Rows) Save(ctx context.Context, f exportFormat, n ExportName, tell lazy.Progress) (d ExportDone, err error) {
	d, err = saveText(n, func(w io.Writer) error {
		s := &saving{Rows: x, ctx: ctx, tell: tell, to: w}
		t := *x.Table
		t.Rows = s
		if _, err := f.rows(s, &t, 0); s.err == nil {
			return err
		}
		return s.err
	})
	if x.Table.Partial {
		d.Notes = append(d.Notes, "the table is not complete: it was stopped")
	}
	return d, err
}

// saveText writes a file with what write writes.
func saveText(n ExportName, write func(w io.Writer) error) (d ExportDone, err error) {
	if d.Path, err = n.Path(); err != nil {
		return d, err
	}
	p, err := tracefile.Create(d.Path, n.Mode(), n.Replace)
	if err != nil {
		return d, err
	}
	defer p.Discard()
	if err := write(p); err != nil {
		return d, p.WriteError(err)
	}
	if st, err := p.Stat(); err == nil {
		d.Size = st.Size()
	}
	return d, p.Commit()
}

// loadedRows is how many rows are made known at once.
const loadedRows = 256

// saving is rows on their way to a file: the source that makes them known, and the writer. After an error it has no
// rows, and writes nothing more.
type saving struct {
	*Rows
	ctx  context.Context
	tell lazy.Progress
	to   io.Writer
	err  error
}

// Row returns a row, which it loads.
func (s *saving) Row(i int) []table.Value {
	if i%loadedRows == 0 && s.err == nil {
		s.err = s.ctx.Err()
		s.tell(int64(i), int64(s.Len()))
	}
	if s.err != nil {
		return nil
	}
	t, n := s.Table, s.number(i)
	row := t.Rows.Row(n)
	if row == nil && s.Load != nil {
		if s.err = s.Load(s.ctx, t, n, min(n+loadedRows, t.Rows.Len())); s.err != nil {
			return nil
		}
		row = t.Rows.Row(n)
	}
	if row == nil {
		if s.err = query.RowsErr(t); s.err == nil {
			s.err = fmt.Errorf("row %d cannot be read", n+1)
		}
	}
	return row
}

func (s *saving) Write(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	return s.to.Write(b)
}
