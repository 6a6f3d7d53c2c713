package readback

import (
	"fmt"

	"tracex/format"
)

// Read reads a complete trace. It fails unless data, index and times agree, and each call has an end.
func Read(data, index, times []byte) (*Trace, error) {
	s := format.NewBytesScanner(data)
	r := reader{times: map[int32]format.TimeCell{}, threads: map[int32]*readThread{}}
	if err := r.cells(index, times); err != nil {
		return nil, err
	}
	if err := r.references(data); err != nil {
		return nil, err
	}
	for s.Next() {
		if err := r.object(s.Version(), s.Object()); err != nil {
			return nil, err
		}
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	for id := range int32(len(r.threads)) {
		t := r.threads[id]
		if t == nil {
			return nil, fmt.Errorf("there are %d threads, but not number %d", len(r.threads), id)
		}
		if len(t.open) > 0 {
			return nil, fmt.Errorf("thread %d has %d calls without an end", id, len(t.open))
		}
		if name := r.context.Thread(id); name != nil {
			t.Name = name.Name
		}
		r.trace.Threads = append(r.trace.Threads, &t.Thread)
	}
	return &r.trace, nil
}

type reader struct {
	trace   Trace
	context *format.Context
	threads map[int32]*readThread
	times   map[int32]format.TimeCell // of calls, by event
}

type readThread struct {
	Thread
	open []*Point
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

// references reads what points refer to. It may follow them, in the same block.
func (r *reader) references(data []byte) error {
	s := format.NewBytesScanner(data)
	for s.Next() {
		if r.context == nil {
			r.context = format.NewContext(s.Version())
		}
		if o := s.Object(); o.Kind.Reference() {
			if _, _, err := r.context.Add(o.Bytes); err != nil {
				return err
			}
		}
	}
	return s.Err()
}

// object reads a point or its end.
func (r *reader) object(v format.Version, o format.Object) error {
	if o.Kind != format.KindTracePoint && o.Kind != format.KindFooter {
		return nil
	}
	t := r.threads[o.Thread]
	if t == nil {
		t = &readThread{}
		r.threads[o.Thread] = t
	}
	if o.Kind == format.KindFooter {
		return r.footer(v, o, t)
	}
	var p format.Point
	if _, err := v.DecodePoint(o.Bytes, &p); err != nil {
		return err
	}
	point, err := r.point(&p)
	if err != nil {
		return err
	}
	if n := len(t.open); n > 0 {
		t.open[n-1].Children = append(t.open[n-1].Children, point)
	} else {
		t.Roots = append(t.Roots, point)
	}
	if p.Class == format.ClassCall {
		t.open = append(t.open, point)
	}
	return nil
}

func (r *reader) point(p *format.Point) (*Point, error) {
	c := r.context
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
	if p.Location < 0 {
		return call, nil
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

// footer reads the end of the innermost call.
func (r *reader) footer(v format.Version, o format.Object, t *readThread) error {
	n := len(t.open)
	if n == 0 {
		return fmt.Errorf("thread %d has an end without a begin at offset %d", o.Thread, o.Offset)
	}
	p := t.open[n-1]
	t.open = t.open[:n-1]
	var f format.Footer
	if _, err := v.DecodeFooter(o.Bytes, o.Class, &f); err != nil {
		return err
	}
	p.Threw = f.Exception
	switch f.Result.Kind {
	case format.ValueVoid:
	case format.ValueUnfinished:
		p.Unfinished = !f.Threw
	default:
		v := r.value(&f.Result)
		p.Result = &v
	}
	return nil
}

func (r *reader) value(v *format.Value) Value {
	return Value{*v, string(r.context.AppendValueText(nil, v))}
}
