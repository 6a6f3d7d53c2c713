package export

import (
	"context"
	"fmt"
	"io"

	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
)

// Rows are rows of a table. Several goroutines may use it.
type Rows struct {
	Table   *table.Table
	Numbers []int // of the rows, in their order; nil for all
}

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

// Save writes the rows to a file with what write makes of them.
func (x *Rows) Save(ctx context.Context, write func(w io.Writer, t *table.Table, limit int) (more int, err error), to Destination, tell lazy.Progress) (size int64, err error) {
	return SaveText(to, func(w io.Writer) error {
		s := &saving{Rows: x, ctx: ctx, tell: tell, to: w}
		t := *x.Table
		t.Rows = s
		if _, err := write(s, &t, 0); s.err == nil {
			return err
		}
		return s.err
	})
}

// SaveText writes a file with what write writes. It takes its place when it is complete.
func SaveText(to Destination, write func(io.Writer) error) (size int64, err error) {
	p, err := tracefile.Create(to.Path, to.Mode, to.Replace)
	if err != nil {
		return 0, err
	}
	defer p.Discard()
	if err := write(p); err != nil {
		return 0, p.WriteError(err)
	}
	if st, err := p.Stat(); err == nil {
		size = st.Size()
	}
	return size, p.Commit()
}

// rowsAtOnce is how many rows are made known at once.
const rowsAtOnce = 256

const mostTries = 3

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
	if i%rowsAtOnce == 0 && s.err == nil {
		s.err = s.ctx.Err()
		s.tell(int64(i), int64(s.Len()))
	}
	if s.err != nil {
		return nil
	}
	t, n := s.Table, s.Number(i)
	row := t.Rows.Row(n)
	l, loads := t.Rows.(table.Loader)
	for tries := 0; row == nil && loads && tries < mostTries; tries++ { // the screen may let go of rows meanwhile
		if s.err = l.Load(s.ctx, n, min(n+rowsAtOnce, t.Rows.Len())); s.err != nil {
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
