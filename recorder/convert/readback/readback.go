// Package readback reads a trace that a converter wrote as trees of calls in memory, so that tests can
// compare them with what the input says.
package readback

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy/eager"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/sources"
)

// Trace is a whole trace.
type Trace struct {
	Anchor  time.Time // the wall clock at the moment 0
	Threads []*Thread // in order of their numbers
}

// Thread is a thread with its points.
type Thread struct {
	Name  string
	Roots []*Point
}

// Point is a call, or the value of a variable.
type Point struct {
	Name       string   // of the class and the method; of the variable
	ArgNames   []string // as many as Args, or none
	Args       []Value
	Result     *Value // of a call; nil if it is void. The value of a variable.
	Threw      string
	Unfinished bool
	Variable   bool
	Place      string // FILE:LINE; "" if it is not known
	Function   string // that the place is in
	Start, Dur int64  // ns; of a variable both are 0
	Children   []*Point
}

// Value is a value with the text that is shown.
type Value struct {
	format.Value
	Shown string
}

// Arg returns the text of the argument with a name; "" if there is none.
func (p *Point) Arg(name string) string {
	for i, n := range p.ArgNames {
		if n == name {
			return p.Args[i].Shown
		}
	}
	return ""
}

// String is the point in one line, without its place and times.
func (p *Point) String() string {
	if p.Variable {
		return p.Name + " = " + p.Result.Shown
	}
	var b strings.Builder
	b.WriteString(p.Name + "(")
	for i, v := range p.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		if i < len(p.ArgNames) && p.ArgNames[i] != "" {
			b.WriteString(p.ArgNames[i] + " ➜ ")
		}
		b.WriteString(v.Shown)
	}
	b.WriteString(")")
	switch {
	case p.Threw != "":
		b.WriteString(": threw " + p.Threw)
	case p.Unfinished:
		b.WriteString(": unfinished")
	case p.Result != nil:
		b.WriteString(": " + p.Result.Shown)
	}
	return b.String()
}

// Walk calls f with each point and how many points are around it, in order of the trace.
func (t *Thread) Walk(f func(p *Point, depth int)) {
	var walk func(list []*Point, depth int)
	walk = func(list []*Point, depth int) {
		for _, p := range list {
			f(p, depth)
			walk(p.Children, depth+1)
		}
	}
	walk(t.Roots, 0)
}

// String has a line for each point, indented by two blanks for each point around it.
func (t *Thread) String() string {
	var b strings.Builder
	t.Walk(func(p *Point, depth int) {
		b.WriteString(strings.Repeat("  ", depth) + p.String() + "\n")
	})
	return b.String()
}

// Thread returns the first thread with a name; nil if there is none.
func (t *Trace) Thread(name string) *Thread {
	for _, x := range t.Threads {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// Convert converts an input, and reads the trace. It returns what was converted before a fault of
// the input, and the fault.
func Convert(ctx context.Context, s *sources.Source, in sources.Input, o calltrace.Options) (*Trace, *calltrace.Summary, error) {
	var data, index, times bytes.Buffer
	w := calltrace.New(tracefile.Files{Data: &data, Index: &index, Times: &times}, o)
	defer w.Discard()
	fault := s.Convert(ctx, in, "", w)
	sum, err := w.Finish(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("%w (the input: %v)", err, fault)
	}
	t, err := Read(data.Bytes(), index.Bytes(), times.Bytes())
	if err != nil {
		return nil, nil, fmt.Errorf("the converted trace: %w", err)
	}
	return t, sum, fault
}

// ConvertReader is Convert of what r has.
func ConvertReader(ctx context.Context, s *sources.Source, r io.Reader, o calltrace.Options) (*Trace, *calltrace.Summary, error) {
	return Convert(ctx, s, sources.Input{Reader: r, Path: "-", Size: -1}, o)
}

// Story returns the threads of a trace with their points. After a call are when it began, since the first
// call of the trace began, and how long it took, and its place:
//
//	# main
//	shop.total(n ➜ 2): 12 @1ms +3ms shop.rb:7
func Story(t *Trace) string {
	first := int64(math.MaxInt64)
	for _, thread := range t.Threads {
		thread.Walk(func(p *Point, _ int) {
			if !p.Variable {
				first = min(first, p.Start)
			}
		})
	}
	var b strings.Builder
	for _, thread := range t.Threads {
		fmt.Fprintf(&b, "# %s\n", thread.Name)
		thread.Walk(func(p *Point, depth int) {
			b.WriteString(strings.Repeat("  ", depth) + p.String())
			if !p.Variable {
				fmt.Fprintf(&b, " @%v +%v", time.Duration(p.Start-first), time.Duration(p.Dur))
			}
			if p.Place != "" {
				b.WriteString(" " + p.Place)
			}
			b.WriteByte('\n')
		})
	}
	return b.String()
}

// Left returns what is not in a trace, a line each.
func Left(s *calltrace.Summary) string {
	var b strings.Builder
	for _, l := range s.LeftOut {
		fmt.Fprintf(&b, "%d %s from %d\n", l.Count, l.What, l.First)
	}
	return b.String()
}

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
	read := format.NewTimesScanner(bytes.NewReader(times))
	if r.trace.Anchor, err = read.Anchor(); err != nil {
		return err
	}
	for i := range n {
		at := format.HeaderSize + i*format.CellSize
		cell := format.DecodeCell(index[at:])
		if !read.Next() {
			return fmt.Errorf("times of %d cells, want %d and the end: %w", i, n, cmp.Or(read.Err(), io.ErrUnexpectedEOF))
		}
		tc := read.Cell()
		if tc.ID != cell.ID {
			return fmt.Errorf("cell %d is of %d, its time of %d", i, cell.ID, tc.ID)
		}
		if cell.Kind == format.KindTracePoint {
			r.times[cell.ID] = tc
		}
	}
	if !read.Next() || !read.Cell().IsEnd() || read.Next() {
		return fmt.Errorf("the times of %d cells do not end: %w", n, cmp.Or(read.Err(), format.ErrCorrupt))
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
