package dataset

import (
	"maps"
	"slices"

	"tracex/lazy/export/dataset/internal/parquetfile"
)

// traceSchema is the columns of the table of traces, which has one row a trace.
var traceSchema = parquetfile.NewSchema(
	parquetfile.Leaf("trace", parquetfile.Text), parquetfile.Leaf("title", parquetfile.Text),
	maybe("begun_ns", parquetfile.Int64), maybe("duration_ns", parquetfile.Int64),
	parquetfile.Leaf("threads", parquetfile.Int64), parquetfile.Leaf("calls", parquetfile.Int64), parquetfile.Leaf("points", parquetfile.Int64),
	parquetfile.Leaf("format_version", parquetfile.Int32), parquetfile.Leaf("writer", parquetfile.Text), maybe("problem", parquetfile.Text),
	parquetfile.Map("labels"),
)

func (x *folder) writeTrace(m *Manifest) (f File, err error) {
	o, err := x.create("", "trace", traceSchema, m.Writer)
	if err != nil {
		return f, err
	}
	c := traceSchema.Columns(nil)
	text := func(i int, s string) { c[i].AddText([]byte(cut(s))) }
	optional := func(i int, n *int64) {
		if n == nil {
			c[i].Defs = append(c[i].Defs, 0)
			return
		}
		c[i].Defs, c[i].Int64s = append(c[i].Defs, 1), append(c[i].Int64s, *n)
	}
	text(0, m.Trace)
	text(1, m.Title)
	optional(2, m.BegunNS)
	optional(3, m.DurationNS)
	c[4].Int64s, c[5].Int64s, c[6].Int64s = []int64{int64(m.Threads)}, []int64{m.Calls}, []int64{m.Points}
	c[7].Int32s = []int32{int32(m.Format)}
	text(8, m.Writer)
	if c[9].Defs = []uint8{0}; m.Problem != "" {
		c[9].Defs[0] = 1
		text(9, m.Problem)
	}
	keys, values := c[10], c[11]
	rep := uint8(0)
	for _, k := range slices.Sorted(maps.Keys(m.Labels)) {
		text(10, k)
		text(11, m.Labels[k])
		keys.Defs, values.Defs = append(keys.Defs, 1), append(values.Defs, 2)
		keys.Reps, values.Reps, rep = append(keys.Reps, rep), append(values.Reps, rep), 1
	}
	if rep == 0 {
		keys.Defs, values.Defs, keys.Reps, values.Reps = []uint8{0}, []uint8{0}, []uint8{0}, []uint8{0}
	}
	for _, k := range c {
		if err == nil {
			err = k.EndPage()
		}
	}
	if err == nil {
		err = o.Group(1, c)
	}
	if e := o.close(); err == nil {
		err = e
	}
	return File{Path: o.base, Table: "traces", Rows: o.Rows(), Bytes: o.Size()}, err
}
