package perfetto

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// describer names slices, by the descriptors of a written trace.
type describer struct {
	t      testing.TB
	ctx    *format.Context
	thread Thread
}

// describe sets the fields that the trace has by number.
func (d describer) describe(s *slice, method, location int32, values []format.Value) {
	m := d.ctx.Method(method)
	if m == nil {
		d.t.Fatalf("method %d is not in the trace", method)
	}
	s.name, s.category = m.Name, d.ctx.Class(m.ClassID).Name
	if s.category == noCategory {
		s.category = null
	}
	if s.name == noName {
		s.name = null
	}
	if d.thread.TID != 0 {
		s.thread = fmt.Sprintf("%d %s", d.thread.TID, d.thread.Thread)
	}
	if len(values) == 0 {
		return
	}
	l := d.ctx.Location(location)
	if l == nil || len(l.ArgNames) != len(values) {
		d.t.Fatalf("location %d does not name %d arguments", location, len(values))
	}
	var args []string
	for i, v := range values {
		key := string(d.ctx.AppendPathText(nil, l.ArgNames[i]))
		if strings.HasPrefix(key, "flow") {
			continue // trace_processor has them in another table
		}
		if d.thread.Name != "Trace Triggers" {
			key = "debug." + strings.TrimPrefix(key, "debug.")
		}
		text := string(d.ctx.AppendValueText(nil, &v))
		if v.Kind == format.ValueString {
			text = v.Text
		}
		args = append(args, key+"="+text)
	}
	slices.Sort(args)
	s.args = strings.Join(args, ";")
}

// slicesIn reads the slices of a written trace, with their times.
func slicesIn(t *testing.T, w *written) (all []slice) {
	t.Helper()
	ctx, times := contextOf(t, w.data), containerTimes(t, w)
	stacks := make(map[int32][]int)
	s := format.NewBytesScanner(w.data)
	var p format.Point
	for s.Next() {
		o := s.Object()
		switch {
		case o.Kind == format.KindTracePoint && o.Class == format.ClassCall:
			if _, err := s.Version().DecodePoint(o.Bytes, &p); err != nil {
				t.Fatal(err)
			}
			cell, ok := times[p.Event]
			if !ok {
				t.Fatalf("call %d has no time", p.Event)
			}
			now := slice{depth: o.Depth, start: w.origin + cell.Start, dur: cell.Duration, id: o.Thread}
			describer{t, ctx, w.result.Threads[o.Thread]}.describe(&now, p.Ref, p.Location, p.Args)
			if stack := stacks[o.Thread]; len(stack) > 0 {
				up := all[stack[len(stack)-1]]
				now.parent = fmt.Sprintf("%s %d", up.name, up.start)
			}
			stacks[o.Thread] = append(stacks[o.Thread], len(all))
			all = append(all, now)
		case o.Kind == format.KindFooter:
			stack := stacks[o.Thread]
			var f format.Footer
			if _, err := s.Version().DecodeFooter(o.Bytes, o.Class, &f); err != nil {
				t.Fatal(err)
			}
			if f.Result.Kind == format.ValueUnfinished {
				all[stack[len(stack)-1]].dur = -1
			}
			stacks[o.Thread] = stack[:len(stack)-1]
		}
	}
	return all
}

// containerTimes returns the times of all containers, by event.
func containerTimes(t *testing.T, w *written) map[int32]format.TimeCell {
	t.Helper()
	if _, err := format.CheckIndexHeader(w.index); err != nil {
		t.Fatal(err)
	}
	cells, err := format.CheckIndexTail(w.index, int64(len(w.index)))
	if err != nil {
		t.Fatal(err)
	}
	read := formattest.TimeCells(t, w.times)
	if len(read) != int(cells)+1 {
		t.Fatalf("%d times for %d cells and the end", len(read), cells)
	}
	times := make(map[int32]format.TimeCell)
	for i, tc := range read {
		at := format.HeaderSize + i*format.CellSize
		cell := format.DecodeCell(w.index[at:])
		if tc.ID != cell.ID {
			t.Fatalf("cell %d is of %d, its time of %d", i, cell.ID, tc.ID)
		}
		if cell.Kind == format.KindTracePoint {
			times[cell.ID] = tc
		}
		if cell.Kind == format.KindBlockStart {
			if b := w.data[cell.Start:]; format.Kind(b[0]) != format.KindBlockStart ||
				int32(binary.BigEndian.Uint32(b[1:])) != cell.ID || format.Kind(w.data[cell.End]) != format.KindBlockEnd {
				t.Fatalf("cell %d: no block of thread %d from %d to %d", i, cell.ID, cell.Start, cell.End)
			}
		}
	}
	return times
}
