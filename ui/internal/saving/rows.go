package saving

import (
	"context"
	"fmt"
	"io"

	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/lazy/query/table"
)

// TableFormat is a format of tables.
type TableFormat struct {
	Name, Suffix string
	What         string // for help
	write        func(w io.Writer, t *table.Table, limit int) (more int, err error)
}

// TableFormats are all of them: what commands print with these flags.
var TableFormats = []*TableFormat{
	{"csv", ".csv", "the rows as comma-separated values, as --csv prints them", table.WriteCSV},
	{"json", ".jsonl", "the rows as JSON, one object per line, as --json prints them", table.WriteJSON},
}

// Rows are rows of a table. Several goroutines may use it.
type Rows struct {
	Table   *table.Table
	Numbers []int // of the rows, in their order; nil for all
	// Load makes rows known; nil if they are.
	Load func(ctx context.Context, t *table.Table, from, to int) error
}

// Len returns how many there are.
func (x *Rows) Len() int {
	if x.Numbers != nil {
		return len(x.Numbers)
	}
	return x.Table.Rows.Len()
}

// Number returns the number of the i-th in the table.
func (x *Rows) Number(i int) int {
	if x.Numbers != nil {
		return x.Numbers[i]
	}
	return i
}

// Save writes rows to a file.
func (x *Rows) Save(ctx context.Context, f *TableFormat, n Name, tell lazy.Progress) (d Done, err error) {
	t := *x.Table
	reading := &reading{ctx: ctx, of: x, tell: tell}
	t.Rows = reading
	d, err = SaveText(n, func(w io.Writer) error {
		if _, err := f.write(&writing{to: w, rows: reading}, &t, 0); err != nil && reading.err == nil {
			return err
		}
		return reading.err
	})
	if t.Partial {
		d.Notes = append(d.Notes, "the table is not complete: it was stopped")
	}
	return d, err
}

// SaveText writes a file with what write writes.
func SaveText(n Name, write func(w io.Writer) error) (d Done, err error) {
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

// reading is the source of the rows, which makes them known. After an error it has none.
type reading struct {
	ctx  context.Context
	of   *Rows
	tell lazy.Progress
	err  error
}

func (s *reading) Len() int { return s.of.Len() }

func (s *reading) Row(i int) []table.Value {
	if i%loadedRows == 0 && s.err == nil {
		s.err = s.ctx.Err()
		s.tell(int64(i), int64(s.Len()))
	}
	if s.err != nil {
		return nil
	}
	t, n := s.of.Table, s.of.Number(i)
	row := t.Rows.Row(n)
	if row == nil && s.of.Load != nil {
		if s.err = s.of.Load(s.ctx, t, n, min(n+loadedRows, t.Rows.Len())); s.err != nil {
			return nil
		}
		row = t.Rows.Row(n)
	}
	if row == nil {
		s.err = fmt.Errorf("row %d cannot be read", n+1)
	}
	return row
}

// writing is where they are written, until reading fails.
type writing struct {
	to   io.Writer
	rows *reading
}

func (w *writing) Write(b []byte) (int, error) {
	if w.rows.err != nil {
		return 0, w.rows.err
	}
	return w.to.Write(b)
}
