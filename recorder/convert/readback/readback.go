// Package readback reads a trace that a converter wrote as trees of calls in memory, so that tests can
// compare them with what the input says.
package readback

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
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
