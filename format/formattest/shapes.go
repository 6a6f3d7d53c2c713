package formattest

import (
	"fmt"

	"tracex/format"
)

const (
	taskCalls = 1000 // calls below one iteration of the outermost loop
	taskDepth = 20   // containers within one another below that iteration
)

// texts are the string values of plain traces.
var texts = [...]string{"", "a", "42", "order", "Hello, World!", "SELECT id FROM orders WHERE id = ?", "http://localhost:8080/orders/17"}

// plainValue makes a value of a declared type.
func (g *generator) plainValue(t format.Type) format.Value {
	if t.Dims > 0 || t.Kind == format.TypeObject && t.Class != "java.lang.String" {
		id := int32(g.r.IntN(classCount))
		g.useClass(id)
		return format.Value{ClassID: id, Bits: int64(g.r.Int32())}
	}
	kinds := [...]format.ValueKind{format.TypeBoolean: format.ValueBoolean, format.TypeByte: format.ValueByte, format.TypeChar: format.ValueChar,
		format.TypeDouble: format.ValueDouble, format.TypeFloat: format.ValueFloat, format.TypeInt: format.ValueInt, format.TypeLong: format.ValueLong,
		format.TypeObject: format.ValueString, format.TypeShort: format.ValueShort, format.TypeVoid: format.ValueVoid}
	v := format.Value{Kind: kinds[t.Kind]}
	switch v.Kind {
	case format.ValueVoid:
	case format.ValueString:
		v.Text = texts[g.r.IntN(len(texts))]
	case format.ValueBoolean:
		v.Bits = int64(g.r.IntN(2))
	case format.ValueChar:
		v.Bits = int64('a' + g.r.IntN(26))
	case format.ValueDouble:
		v.Bits = 0x3ff8000000000000 // 1.5
	case format.ValueFloat:
		v.Bits = 0x3fc00000 // 1.5
	default:
		v.Bits = int64(g.r.IntN(100))
	}
	return v
}

func (g *generator) head(c format.Class) {
	g.p = format.Point{Class: c, Diff: format.DiffNone, Location: int32(g.r.IntN(locationCount))}
	g.useLocation(g.p.Location)
}

// call enters any method.
func (g *generator) call() {
	g.head(format.ClassCall)
	m := &g.v.methods[g.r.IntN(methodCount)]
	g.useMethod(m.ID)
	args := g.args[:0]
	for _, t := range m.Args {
		args = append(args, g.plainValue(t))
	}
	g.p.Ref, g.p.Target, g.p.Args = m.ID, format.Null(), args
	if m.ID%4 != 0 {
		g.useClass(m.ClassID)
		g.p.Target = format.Value{ClassID: m.ClassID, Bits: int64(g.r.Int32())}
	}
	g.point()
}

// leaveCall leaves the call; its result need not fit the method.
func (g *generator) leaveCall() {
	f := format.Footer{Result: format.Value{Kind: format.ValueVoid}}
	switch g.r.IntN(8) {
	case 0, 1, 2:
		f.Result = format.Value{Kind: format.ValueInt, Bits: int64(g.r.IntN(1000))}
	case 3:
		f.Result = format.Value{Kind: format.ValueString, Text: texts[g.r.IntN(len(texts))]}
	}
	g.footer(&f)
}

func (g *generator) loop() int32 {
	g.head(format.ClassLoop)
	g.p.Ref = g.p.Location
	g.point()
	return g.p.Ref
}

func (g *generator) iteration(loop, n int32) {
	g.head(format.ClassIteration)
	g.p.Ref, g.p.Number = loop, n
	g.point()
}

// local writes or reads a local variable.
func (g *generator) local(c format.Class) {
	g.head(c)
	v := &g.v.variables[g.r.IntN(variableCount)]
	g.useVariable(v.ID)
	g.p.Ref, g.p.Value = v.ID, g.plainValue(v.Type)
	g.point()
}

func (g *generator) field(c format.Class) {
	g.head(c)
	f := &g.v.fields[g.r.IntN(fieldCount)]
	g.useField(f.ID)
	g.p.Ref, g.p.Target, g.p.Value = f.ID, format.Null(), g.plainValue(f.Type)
	if !f.Static {
		g.p.Target = format.Value{ClassID: f.ClassID, Bits: int64(g.r.Int32())}
	}
	g.point()
}

// calls divides N calls among the threads. Each thread runs tasks in one loop of its only
// top-level call.
func (g *generator) calls() {
	n := max(1, g.spec.Threads)
	left := max(0, g.spec.N-n)
	loops := make([]int32, n)
	g.start(n)
	for i := range n {
		g.on(int32(i))
		g.call()
		loops[i] = g.loop()
	}
	rounds := int32(0)
	for ; left > 0; rounds++ {
		for i := 0; i < n; i++ {
			g.on(int32(i))
			g.iteration(loops[i], rounds)
			task := min(left, taskCalls)
			g.task(task)
			left -= task
			g.footer(&format.Footer{})
		}
	}
	for i := range n {
		g.on(int32(i))
		g.footer(&format.Footer{Iterations: rounds})
		g.leaveCall()
	}
}

// frame is an open container of a task.
type frame struct {
	class format.Class
	ref   int32 // of a loop and its iterations: the loop
	n     int32 // of a loop: iterations so far
}

// task makes n calls by a random walk.
func (g *generator) task(n int) {
	var stack [taskDepth + 2]frame
	depth := 0
	for n > 0 || depth > 0 {
		switch x := g.r.IntN(40); {
		case n > 0 && (depth == 0 || x < 18 && depth < taskDepth):
			g.call()
			g.local(format.ClassVariableWrite)
			stack[depth] = frame{class: format.ClassCall}
			depth++
			n--
		case x == 18 && depth > 0 && depth < taskDepth-1:
			ref := g.loop()
			g.iteration(ref, 0)
			stack[depth] = frame{class: format.ClassLoop, ref: ref, n: 1}
			stack[depth+1] = frame{class: format.ClassIteration}
			depth += 2
		case (x == 19 || x == 20) && depth > 0:
			g.field(format.ClassFieldRead)
		case depth > 0:
			depth--
			if stack[depth].class == format.ClassCall {
				g.leaveCall()
				continue
			}
			g.footer(&format.Footer{})
			if in := &stack[depth-1]; in.n < 3 {
				g.iteration(in.ref, in.n)
				in.n++
				depth++
			} else {
				g.footer(&format.Footer{Iterations: in.n})
				depth--
			}
		}
	}
}

// deep nests N calls. If blocks may end after headers, there are only headers. Otherwise each
// call begins with a leaf, after which a block can end.
func (g *generator) deep() {
	g.start(1)
	for range g.spec.N {
		g.call()
		if !g.spec.SplitAfterHeader {
			g.local(format.ClassVariableWrite)
		}
	}
	for range g.spec.N {
		g.leaveCall()
	}
}

func (g *generator) wide() {
	g.start(1)
	g.call()
	n := int32(g.spec.N)
	loops := g.spec.Shape == Wide || g.spec.Shape == WideEmpty
	var loop int32
	if loops {
		loop = g.loop()
	}
	for i := range n {
		switch g.spec.Shape {
		case WideLeaves:
			g.local(format.ClassVariableWrite)
		case WideCalls:
			g.call()
			g.local(format.ClassVariableWrite)
			g.leaveCall()
		default:
			g.iteration(loop, i)
			if g.spec.Shape == Wide {
				g.local(format.ClassVariableWrite)
			}
			g.footer(&format.Footer{})
		}
	}
	if loops {
		g.footer(&format.Footer{Iterations: n})
	}
	g.leaveCall()
}

// goroutines makes N threads, one after the other. Each has its name, one top-level call, and
// up to six calls in it.
func (g *generator) goroutines() {
	for i := range g.spec.N {
		g.on(int32(i))
		g.name()
		g.call()
		for range i % 7 {
			g.call()
			g.leaveCall()
		}
		g.leaveCall()
		g.w.Done(g.t)
	}
}

// threads makes N threads. Most have a call that spans two blocks, with the blocks of all other
// threads between them.
func (g *generator) threads() {
	n := g.spec.N
	busy := func(i int) bool { return i%7 != 3 && i%11 != 5 }
	g.start(n)
	for i := range n {
		g.on(int32(i))
		switch {
		case busy(i):
			g.call()
			g.task(1 + i%5)
		case i%7 == 3: // only leaves
			g.local(format.ClassVariableWrite)
			g.field(format.ClassFieldWrite)
		}
		if !g.spec.Dump && !g.t.block.EndsWithHeader() && busy(i) {
			g.t.Flush()
		}
	}
	for i := range n {
		if !busy(i) {
			continue
		}
		g.on(int32(i))
		g.task(1 + i%3)
		g.leaveCall()
		if i%4 == 0 { // a second top-level call
			g.task(2)
		}
	}
}

// startedName is the name of a thread of a spec with Started: main starts eight goroutines, each of
// them eight more, and so on. Numbers do not rise with the threads.
func startedName(thread int32) string {
	if thread == 0 {
		return "main"
	}
	number := func(thread int32) int32 {
		if thread == 0 {
			return 1
		}
		return 17 + thread ^ 3
	}
	return fmt.Sprintf("goroutine %d main.worker ← %d main.main main.go:78", number(thread), number((thread-1)/8))
}
