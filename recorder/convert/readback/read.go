package readback

import (
	"bytes"
	"fmt"
	"iter"

	"tracex/format"
	"tracex/lazy/eager"
)

// Read reads a complete trace. It fails unless data, index and times agree, and each call has an end.
func Read(data, index, times []byte) (*Trace, error) {
	forest, err := eager.Load(bytes.NewReader(data))
	if err == nil {
		err = forest.Problem
	}
	if err != nil {
		return nil, err
	}
	r := reader{context: forest.Context, times: map[int32]format.TimeCell{}}
	if err := r.cells(index, times); err != nil {
		return nil, err
	}
	for _, t := range forest.Threads {
		if t.Points() == 0 {
			continue
		}
		if n := len(r.trace.Threads); int(t.ID) != n {
			return nil, fmt.Errorf("thread %d follows %d others", t.ID, n)
		}
		roots, err := r.points(t.Roots())
		if err != nil {
			return nil, fmt.Errorf("thread %d: %w", t.ID, err)
		}
		r.trace.Threads = append(r.trace.Threads, &Thread{t.Name, roots})
	}
	return &r.trace, nil
}

type reader struct {
	trace   Trace
	context *format.Context
	times   map[int32]format.TimeCell // of calls, by event
}

// cells reads the index and the times.
func (r *reader) cells(index, times []byte) error {
	if _, err := format.CheckIndexHeader(index); err != nil {
		return err
	}
	n, err := format.CheckIndexTail(index, int64(len(index)))
	if err != nil {
		return err
	}
	if r.trace.Anchor, err = format.DecodeTimesHeader(times); err != nil {
		return err
	}
	if want := format.TimesHeaderSize + (int(n)+1)*format.TimeCellSize; len(times) != want {
		return fmt.Errorf("%d bytes of times, want %d for %d cells", len(times), want, n)
	}
	for i := range n {
		at := format.HeaderSize + i*format.CellSize
		cell := format.DecodeCell(index[at:])
		tc := format.DecodeTimeCell(times[format.TimeCellOffset(at):])
		if tc.ID != cell.ID {
			return fmt.Errorf("cell %d is of %d, its time of %d", i, cell.ID, tc.ID)
		}
		if cell.Kind == format.KindTracePoint {
			r.times[cell.ID] = tc
		}
	}
	return nil
}

func (r *reader) points(all iter.Seq[eager.Node]) (list []*Point, err error) {
	for n := range all {
		p, err := r.point(n)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// point reads a point with what is inside it.
func (r *reader) point(n eager.Node) (*Point, error) {
	c, p := r.context, new(format.Point)
	if err := n.Point(p); err != nil {
		return nil, err
	}
	switch p.Class {
	case format.ClassVariableWrite:
		if c.Variable(p.Ref) == nil {
			return nil, fmt.Errorf("variable %d is not in the trace: see point %d", p.Ref, p.Event)
		}
		v := r.value(&p.Value)
		return &Point{Name: c.VariableName(p.Ref), Variable: true, Result: &v}, nil
	case format.ClassThrow, format.ClassCatch:
		v := r.value(&p.Value)
		return &Point{Name: p.Class.String(), Variable: true, Result: &v}, nil
	case format.ClassCall:
	default:
		return nil, fmt.Errorf("point %d is of class %v, which converters do not write", p.Event, p.Class)
	}
	m := c.Method(p.Ref)
	if m == nil || c.Class(m.ClassID) == nil {
		return nil, fmt.Errorf("method %d is not in the trace: see call %d", p.Ref, p.Event)
	}
	cell, ok := r.times[p.Event]
	if !ok {
		return nil, fmt.Errorf("call %d has no time", p.Event)
	}
	call := &Point{Name: m.Name, Start: cell.Start, Dur: cell.Duration}
	if class := c.Class(m.ClassID).Name; class != "" {
		call.Name = class + "." + m.Name
	}
	for i := range p.Args {
		call.Args = append(call.Args, r.value(&p.Args[i]))
	}
	if err := r.end(n, call); err != nil || p.Location < 0 {
		return call, err
	}
	l := c.Location(p.Location)
	if l == nil {
		return nil, fmt.Errorf("location %d is not in the trace: see call %d", p.Location, p.Event)
	}
	if file, line, ok := c.FileLine(p.Location); ok {
		call.Place = fmt.Sprintf("%s:%d", file, line)
	}
	call.Function, _ = c.Text(l.Method)
	if len(l.ArgNames) == len(p.Args) {
		for _, id := range l.ArgNames {
			call.ArgNames = append(call.ArgNames, string(c.AppendPathText(nil, id)))
		}
	}
	return call, nil
}

// end reads what is inside a call, and how it ended.
func (r *reader) end(n eager.Node, call *Point) (err error) {
	if !n.Finished() {
		return fmt.Errorf("%s has no end", call.Name)
	}
	if call.Children, err = r.points(n.Children()); err != nil {
		return err
	}
	var f format.Footer
	if err := n.Footer(&f); err != nil {
		return err
	}
	call.Threw = f.Exception
	switch f.Result.Kind {
	case format.ValueVoid:
	case format.ValueUnfinished:
		call.Unfinished = !f.Threw
	default:
		v := r.value(&f.Result)
		call.Result = &v
	}
	return nil
}

func (r *reader) value(v *format.Value) Value {
	return Value{*v, string(r.context.AppendValueText(nil, v))}
}
