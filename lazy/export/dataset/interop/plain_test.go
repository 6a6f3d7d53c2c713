package interop

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/export"
)

// plainCall is a call of a trace, as one goroutine sees it that keeps all of them.
type plainCall struct {
	trace                     string
	class, name, shown, types string
	event, line               int32
	thread                    int32 // from 1
	around                    *plainCall
	time                      lazy.Time // negative duration if not known
	inside                    int64     // ns of the calls directly in it
	args                      []string  // null is "null"
	result, threw             string
	ended                     bool
	path                      string
}

func (c *plainCall) key() string { return c.class + " " + c.shown + " (" + c.types + ")" }

// self returns the own time of a call.
func (c *plainCall) self() int64 { return max(0, c.time.Duration-c.inside) }

// plainPoint is a write of a field, or a throw.
type plainPoint struct {
	trace     string
	class     format.Class
	name      string // of the field; of a throw the class of the exception
	in        *plainCall
	event     int32
	line      int32
	value     string
	ownerHash int32
}

// plainTrace is the folded tree of a trace. It is a collector and its own visitor: each thread is one part.
type plainTrace struct {
	calls  []*plainCall
	points []*plainPoint
	stack  []*plainCall
	thread int32
}

// readPlain reads a whole trace.
func readPlain(t *testing.T, r *lazy.LazyTraceReader) *plainTrace {
	t.Helper()
	all := &plainTrace{}
	id, err := lazy.IdentityOf(r)
	if err == nil {
		err = r.Pass(t.Context(), lazy.Pass{Collect: []lazy.Collector{all}, Share: 1 << 40})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all.calls {
		c.trace = hex.EncodeToString(id[:])
	}
	for _, p := range all.points {
		p.trace = hex.EncodeToString(id[:])
	}
	return all
}

func (a *plainTrace) Visitor() lazy.Visitor { return &plainTrace{} }
func (a *plainTrace) Reset()                { *a = plainTrace{} }

func (a *plainTrace) Merge(v lazy.Visitor) error {
	x := v.(*plainTrace)
	a.calls, a.points = append(a.calls, x.calls...), append(a.points, x.points...)
	return nil
}

func (a *plainTrace) Begin(thread int32, around []lazy.PassFrame) {
	if len(around) > 0 {
		panic("a thread in several parts")
	}
	a.thread, a.stack = thread, nil
}

func (a *plainTrace) top() *plainCall {
	if n := len(a.stack); n > 0 {
		return a.stack[n-1]
	}
	return nil
}

func (a *plainTrace) Enter(p *lazy.PassPoint) {
	if p.Class != format.ClassCall {
		return
	}
	x, err := p.Point()
	if err != nil {
		p.Fail(err)
		return
	}
	c := p.Context()
	call := &plainCall{result: null, event: p.Event, thread: a.thread + 1, around: a.top(), line: lineOf(c, p.Location)}
	call.shown, _ = c.CallName(p.Ref, 0)
	if m := c.Method(p.Ref); m != nil {
		call.name, call.class = m.Name, c.Class(m.ClassID).Name
		var types []string
		for _, t := range m.Args {
			types = append(types, t.String())
		}
		call.types = strings.Join(types, ", ")
	}
	for i := range x.Args {
		call.args = append(call.args, textOf(c, &x.Args[i]))
	}
	if call.path = call.key(); call.around != nil {
		call.path = call.around.path + "\n" + call.path
	}
	a.calls, a.stack = append(a.calls, call), append(a.stack, call)
}

func (a *plainTrace) Exit(p *lazy.PassPoint) {
	if p.Class != format.ClassCall {
		return
	}
	call := a.top()
	a.stack = a.stack[:len(a.stack)-1]
	call.time = lazy.Time{Duration: -1}
	if call.ended = p.State == lazy.StateWhole; !call.ended {
		return
	}
	f, err := p.Footer()
	if err != nil {
		p.Fail(err)
		return
	}
	if f.Threw || f.Exception != "" {
		call.threw = "threw " + f.Exception
	} else if f.Result.Kind != format.ValueUnfinished {
		call.result = textOf(p.Context(), &f.Result)
	}
	if t, ok := p.Time(); ok {
		if call.time = t; call.around != nil {
			call.around.inside += t.Duration
		}
	}
}

func (a *plainTrace) Leaf(p *lazy.PassPoint) {
	x, err := p.Point()
	if err != nil {
		p.Fail(err)
		return
	}
	c := p.Context()
	l := &plainPoint{class: p.Class, in: a.top(), event: p.Event, line: lineOf(c, p.Location), value: textOf(c, &x.Value), ownerHash: x.Target.Hash()}
	switch p.Class {
	case format.ClassFieldWrite:
		l.name = c.Field(x.Ref).Name
	case format.ClassThrow:
		l.name = typeOf(c, &x.Value)
	default:
		return
	}
	a.points = append(a.points, l)
}

// typeOf returns the type of what was thrown: a program in Go may panic with any value.
func typeOf(c *format.Context, v *format.Value) string {
	names := map[format.ValueKind]string{
		format.ValueRawString: "raw", format.ValueBuilder: "builder", format.ValueJavaClass: "java class", format.ValueKotlinClass: "kotlin class",
		format.ValueUnit: "unit",
	}
	switch v.Kind {
	case format.ValueObject, format.ValueException, format.ValueArray, format.ValueEnum, format.ValueSequence:
		return c.Class(v.ClassID).Name
	}
	return cmp.Or(names[v.Kind], v.Kind.String())
}

// lineOf returns the line of a code location; -1 if it is not known.
func lineOf(c *format.Context, location int32) int32 {
	if _, line, ok := c.FileLine(location); ok {
		return int32(line)
	}
	return -1
}

// textOf returns the text of a value as a dataset has it, null if it has none.
func textOf(c *format.Context, v *format.Value) string {
	switch v.Kind {
	case format.ValueNull, format.ValueVoid, format.ValueUnit, format.ValueUntracked:
		return null
	}
	return string(export.AppendText(nil, c, v))
}

// null is how rows show what is not there.
const null = "NULL"

// busiest returns the method, as rows show it, that has the most calls with an argument, or without if there are none.
func (a *plainTrace) busiest() string {
	with, without := map[string]int{}, map[string]int{}
	for _, c := range a.calls {
		if without[c.shown]++; len(c.args) > 0 {
			with[c.shown]++
		}
	}
	if len(with) == 0 {
		with = without
	}
	best := ""
	for name, n := range with {
		if n > with[best] || n == with[best] && name < best {
			best = name
		}
	}
	return best
}

// pair returns a method and one that it calls, at any depth, most often.
func (a *plainTrace) pair() (outer, inner string) {
	count := map[[2]string]int{}
	for _, c := range a.calls {
		seen := []string{}
		for p, depth := c.around, 0; p != nil && depth < 50; p, depth = p.around, depth+1 {
			if !slices.Contains(seen, p.shown) {
				seen = append(seen, p.shown)
				count[[2]string{p.shown, c.shown}]++
			}
		}
	}
	best := [2]string{}
	for k, n := range count {
		if n > count[best] || n == count[best] && k[0]+k[1] < best[0]+best[1] {
			best = k
		}
	}
	return best[0], best[1]
}
