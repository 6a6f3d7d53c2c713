package dataset

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"tracex/lazy/export/dataset/internal/parquetfile"
)

// table encodes the row groups of a table. One goroutine uses it, and several more within encode.
type table[R any] struct {
	name    string // of its files
	schema  *parquetfile.Schema
	columns []*parquetfile.Column
	fills   []fill[R]
	sorted  []int // the leaves by which rows are sorted
}

func newTable[R any](name string, list []column[R], names *names, sorted ...int) *table[R] {
	t := &table[R]{name: name, sorted: sorted}
	var nodes []parquetfile.Node
	for _, c := range list {
		nodes = append(nodes, c.node)
		t.fills = append(t.fills, c.fills...)
	}
	t.schema = parquetfile.NewSchema(nodes...)
	t.columns = t.schema.Columns(names.name)
	return t
}

// group is the rows of a row group, which wait to be encoded.
type group[R any] struct {
	chunks []*chunk[R]
	rows   int
}

func (g *group[R]) add(c *chunk[R]) {
	if len(c.rows) > 0 {
		g.chunks = append(g.chunks, c)
		g.rows += len(c.rows)
	}
}

// bytes returns how much memory the group takes, roughly.
func (g *group[R]) bytes() (n int64) {
	for _, c := range g.chunks {
		n += c.bytes()
	}
	return n
}

// pageRows is how many rows a page has at least, but the last.
const pageRows = 20_000

// encode encodes a group and returns how many rows it has.
func (t *table[R]) encode(g *group[R], trace int32, methods []*method) (rows int64, err error) {
	for _, c := range g.chunks {
		rows += int64(len(c.rows))
	}
	width := min(runtime.GOMAXPROCS(0), len(t.columns))
	if rows < pageRows/10 {
		width = 1
	}
	var next atomic.Int64
	errs := make([]error, width)
	var all sync.WaitGroup
	for i := range width {
		all.Go(func() {
			for errs[i] == nil {
				n := int(next.Add(1)) - 1
				if n >= len(t.columns) {
					return
				}
				errs[i] = t.encodeColumn(n, g, trace, methods)
			}
		})
	}
	all.Wait()
	for _, e := range errs {
		if err == nil {
			err = e
		}
	}
	return rows, err
}

func (t *table[R]) encodeColumn(n int, g *group[R], trace int32, methods []*method) error {
	c, here := t.columns[n], 0
	for _, k := range g.chunks {
		for rows := k.rows; len(rows) > 0; {
			some := min(len(rows), pageRows)
			part := *k
			part.rows = rows[:some]
			t.fills[n](c, &batch[R]{&part, trace, methods})
			rows = rows[some:]
			if here += some; here >= pageRows {
				if err := c.EndPage(); err != nil {
					return err
				}
				here = 0
			}
		}
	}
	return c.EndPage()
}

// putLate leaves out the rows of calls that have not ended, which are kept elsewhere, and puts those first that were
// added late: they begin before all others.
func putLate(g *group[call], late *chunk[call]) {
	for _, c := range g.chunks {
		if c.open > 0 {
			c.rows = slices.DeleteFunc(c.rows, func(r call) bool { return !r.done })
		}
	}
	slices.SortFunc(late.rows, func(a, b call) int { return cmp.Compare(a.first, b.first) })
	g.chunks = slices.Insert(g.chunks, 0, late)
}
