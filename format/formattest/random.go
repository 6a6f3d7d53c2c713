package formattest

import (
	"fmt"
	"slices"
	"strings"

	"tracex/format"
)

// pieces make up odd texts. Each is valid on its own and next to any other: an unpaired
// surrogate is followed by a letter, so that two never become a pair.
var pieces = [...]string{
	"a", "Order", "get", " ", "\x00", "\t", "\n", "\r\n", "\x1b[31m", "\x1b]0;title\a", "\b\b", "\x7f", "\u0085", "\u009b2J",
	"é", "ß", "Ж", "ع", "漢字", "한글", "e\u0301", "\u200b", "\u200d", "\u202e", "\u2028", "\ufeff", "\ufffd",
	"\u00ff", "\u0800", "\uffff", "\U00010000", "\U0010ffff", "👍🏽", "👨‍👩‍👧", "\xed\xa0\xbdx", "\xed\xb8\x80y", "\"", "\\", "'", "%s", "${x}", "<b>", "$1",
}

func (g *generator) oddText(most int) string {
	var b strings.Builder
	for range g.r.IntN(most + 1) {
		b.WriteString(pieces[g.r.IntN(len(pieces))])
	}
	return b.String()
}

// oddName turns one in five names into a strange one.
func (g *generator) oddName(plain string) string {
	if g.r.IntN(5) > 0 {
		return plain
	}
	return plain + g.oddText(4)
}

// text returns a string value: mostly short, rarely as long as possible.
func (g *generator) text() string {
	switch {
	case g.r.IntN(1000) == 0:
		return strings.Repeat("0123456789abcde", 0xffff/15)
	case g.spec.Plain:
		return texts[g.r.IntN(len(texts))]
	}
	return g.oddText(6)
}

// kinds returns the kinds of values of a version, in the order in which the generator of
// version 22 drew them.
func (g *generator) kinds() []format.ValueKind {
	list := []format.ValueKind{
		format.ValueObject, format.ValueNull, format.ValueVoid, format.ValueByte, format.ValueShort, format.ValueInt,
		format.ValueLong, format.ValueFloat, format.ValueDouble, format.ValueChar, format.ValueString, format.ValueUnit,
		format.ValueRawString, format.ValueBoolean, format.ValueJavaClass, format.ValueKotlinClass, format.ValueBuilder,
	}
	if g.spec.Version < format.V27 {
		return list
	}
	list = slices.DeleteFunc(list, func(k format.ValueKind) bool { return k == format.ValueRawString || k == format.ValueBuilder })
	return append(list, format.ValueSequence, format.ValueEnum, format.ValueBigInteger, format.ValueBigDecimal,
		format.ValueException, format.ValueArray, format.ValueUnfinished, format.ValueUntracked)
}

// value returns a value of any kind, with captured values up to three deep.
func (g *generator) value(depth int) format.Value {
	kinds := g.kinds()
	kind := kinds[g.r.IntN(len(kinds))]
	if g.r.IntN(4) == 0 {
		kind = format.ValueObject
	}
	v := format.Value{Kind: kind}
	bits := int64(g.r.Uint64())
	if g.r.IntN(2) == 0 {
		bits >>= 48 // small numbers are as likely as large ones
	}
	switch kind {
	case format.ValueByte:
		v.Bits = int64(int8(bits))
	case format.ValueShort:
		v.Bits = int64(int16(bits))
	case format.ValueInt:
		v.Bits = int64(int32(bits))
	case format.ValueLong, format.ValueDouble:
		v.Bits = bits
	case format.ValueFloat:
		v.Bits = int64(uint32(bits))
	case format.ValueChar:
		v.Bits = int64(uint16(bits))
	case format.ValueBoolean:
		v.Bits = bits & 1
	case format.ValueString, format.ValueRawString:
		v.Text = g.text()
	case format.ValueBigInteger:
		v.Text = fmt.Sprint(bits, uint64(bits))
	case format.ValueBigDecimal:
		v.Text = fmt.Sprint(bits, ".", uint64(bits))
	case format.ValueJavaClass, format.ValueKotlinClass:
		v.Text = g.v.classes[g.r.IntN(classCount)].Name
	case format.ValueBuilder:
		v.Bits, v.Text = int64(int32(bits)), g.text()
	case format.ValueObject, format.ValueSequence, format.ValueEnum, format.ValueException, format.ValueArray:
		g.inside(&v, int32(bits), depth)
	}
	return v
}

// inside makes up the contents of a value whose kind refers to a class.
func (g *generator) inside(v *format.Value, hash int32, depth int) {
	v.ClassID = int32(g.r.IntN(classCount))
	g.useClass(v.ClassID)
	switch v.Kind {
	case format.ValueEnum:
		if v.Absent = g.r.IntN(8) == 0; !v.Absent {
			v.Text = g.v.fields[g.r.IntN(fieldCount)].Name
		}
		return
	case format.ValueSequence:
		v.Text = g.text()
	case format.ValueObject:
		g.captured(v, depth)
	case format.ValueArray:
		v.Bits = format.ArrayBits(0, g.r.Int32())
	case format.ValueException:
		if g.r.IntN(2) == 0 {
			v.Captured = g.thrown()
		}
	}
	switch byValue := v.Kind == format.ValueObject && v.Captured != nil; {
	case byValue && g.spec.Structs:
		hash = 0
	case byValue && hash == 0:
		hash = 1
	}
	v.Bits |= int64(uint32(hash))
	if v.Kind != format.ValueArray {
		v.Bits = int64(int32(v.Bits))
	}
}

// thrown makes up message and frames of an exception.
func (g *generator) thrown() *format.Captured {
	in := new(format.Captured)
	if g.r.IntN(3) > 0 {
		message := g.text()
		in.Message = &message
	}
	for range g.r.IntN(4) {
		in.Frames = append(in.Frames, g.v.classes[g.r.IntN(classCount)].Name+".f(File.java:"+fmt.Sprint(g.r.IntN(1000))+")")
	}
	return in
}

// captured gives an object fields, or makes it an array with elements.
func (g *generator) captured(v *format.Value, depth int) {
	if depth >= 3 {
		return
	}
	in := new(format.Captured)
	switch g.r.IntN(4) {
	case 0:
		for range g.r.IntN(5) {
			in.Elements = append(in.Elements, g.value(depth+1))
		}
		v.Kind = format.ValueArray
		v.Bits = format.ArrayBits(0, int32(len(in.Elements)+g.r.IntN(3)*1000))
		if len(in.Elements) > 0 || g.spec.Version >= format.V27 {
			v.Captured = in
		}
	case 1:
		for range 1 + g.r.IntN(4) {
			in.Fields = append(in.Fields, format.CapturedField{Name: g.v.fields[g.r.IntN(fieldCount)].Name, Value: g.value(depth + 1)})
		}
		v.Captured = in
	}
}

// object returns an object or an array of any class.
func (g *generator) object(depth int) format.Value {
	var v format.Value
	g.inside(&v, g.r.Int32(), depth)
	return v
}

// anyHead starts a point, sometimes with a diff status or without a location.
func (g *generator) anyHead(c format.Class) {
	g.p = format.Point{Class: c, Diff: format.DiffNone, Location: -1}
	if g.r.IntN(10) > 0 {
		g.p.Location = int32(g.r.IntN(locationCount))
		g.useLocation(g.p.Location)
	}
	if g.r.IntN(6) == 0 {
		g.p.Diff = format.DiffStatus(g.r.IntN(6) - 1)
	}
	if c.Container() && g.r.IntN(6) == 0 {
		for s := format.DiffUnchanged; s <= format.DiffEditedNew; s++ {
			if g.r.IntN(2) == 0 {
				g.p.Subtree = append(g.p.Subtree, s)
			}
		}
		g.p.Marked = len(g.p.Subtree) > 0 || g.spec.Version >= format.V27
	}
}

func (g *generator) anyCall() {
	g.anyHead(format.ClassCall)
	m := &g.v.methods[g.r.IntN(methodCount)]
	g.useMethod(m.ID)
	g.p.Ref, g.p.Target = m.ID, format.Null()
	if g.r.IntN(2) == 0 {
		g.p.Target = g.value(2)
	}
	for range m.Args {
		g.p.Args = append(g.p.Args, g.value(0))
	}
	if g.r.IntN(10) == 0 {
		g.p.Flags = format.FlagUnderWay
	}
	if g.spec.Version >= format.V27 && g.r.IntN(10) == 0 {
		g.p.Flags |= format.FlagSuper
	}
	g.point()
}

func (g *generator) leaveAnyCall() {
	f := format.Footer{Result: g.value(0)}
	switch g.r.IntN(10) {
	case 0:
		f.Result = format.Value{Kind: format.ValueVoid}
		f.Exception, f.Threw = "java.lang.IllegalStateException", true
		if g.spec.Version >= format.V27 && g.r.IntN(4) == 0 {
			f.Exception = ""
		}
	case 1:
		f.Result = format.Value{Kind: format.ValueUntracked}
	case 2:
		f = format.Unfinished(format.ClassCall)
	}
	g.footer(&f)
}

// leaf writes a leaf of any class.
func (g *generator) leaf() {
	leaves := [...]format.Class{format.ClassArrayRead, format.ClassVariableRead, format.ClassFieldRead, format.ClassArrayWrite,
		format.ClassVariableWrite, format.ClassFieldWrite, format.ClassSnapshot, format.ClassThrow, format.ClassCatch}
	c := leaves[g.r.IntN(len(leaves))]
	g.anyHead(c)
	switch c {
	case format.ClassArrayRead, format.ClassArrayWrite:
		g.p.Target = g.object(2)
		g.p.Number, g.p.Value = int32(g.r.IntN(1000)), g.value(0)
	case format.ClassVariableRead, format.ClassVariableWrite:
		g.p.Ref, g.p.Value = int32(g.r.IntN(variableCount)), g.value(0)
		g.useVariable(g.p.Ref)
	case format.ClassFieldRead, format.ClassFieldWrite:
		f := &g.v.fields[g.r.IntN(fieldCount)]
		g.useField(f.ID)
		g.p.Ref, g.p.Target, g.p.Value = f.ID, format.Null(), g.value(0)
		if !f.Static {
			g.useClass(f.ClassID)
			g.p.Target = format.Value{ClassID: f.ClassID, Bits: int64(g.r.Int32())}
		}
	case format.ClassSnapshot:
		g.p.Snapshot = g.snapshot()
	default:
		g.p.Value = g.object(1)
	}
	g.point()
}

func (g *generator) snapshot() *format.Snapshot {
	s := &format.Snapshot{UUID: [2]int64{int64(g.r.Uint64()), int64(g.r.Uint64())}, Time: 1_780_000_000_000 + g.r.Int64N(1e9)}
	for range g.r.IntN(5) {
		id := int32(g.r.IntN(locationCount))
		g.useLocation(id)
		s.Stack = append(s.Stack, id)
	}
	for range g.r.IntN(4) {
		s.Locals = append(s.Locals, g.value(0))
	}
	if g.spec.Version >= format.V27 {
		for range g.r.IntN(3) {
			s.Watches = append(s.Watches, g.value(0))
		}
	}
	if g.r.IntN(2) == 0 {
		id := g.text()
		s.TraceID = &id
	}
	return s
}

// random walks on all threads at once, a few steps on each.
func (g *generator) random() {
	n := g.spec.Threads
	if n == 0 {
		n = 3
	}
	g.again = true
	g.start(n)
	stacks := make([][]frame, n)
	for made := 0; made < g.spec.N; {
		i := g.r.IntN(n)
		g.on(int32(i))
		for range 1 + g.r.IntN(20) {
			stacks[i] = g.step(stacks[i])
			made++
		}
	}
	for i := range n {
		g.on(int32(i))
		for len(stacks[i]) > 0 {
			stacks[i] = g.leave(stacks[i])
		}
	}
}

// step writes one point or leaves one container.
func (g *generator) step(stack []frame) []frame {
	var top frame
	if len(stack) > 0 {
		top = stack[len(stack)-1]
	}
	x := g.r.IntN(10)
	// A loop contains only iterations, and iterations are nowhere else.
	inLoop := len(stack) > 0 && top.class == format.ClassLoop
	if g.spec.Wild {
		inLoop = x == 9
	}
	switch {
	case len(stack) > 0 && (x < 3 || len(stack) > 100):
		return g.leave(stack)
	case inLoop:
		g.anyHead(format.ClassIteration)
		g.p.Ref, g.p.Number = top.ref, top.n
		g.point()
		if len(stack) > 0 {
			stack[len(stack)-1].n++
		}
		return append(stack, frame{class: format.ClassIteration})
	case x < 6:
		g.anyCall()
		return append(stack, frame{class: format.ClassCall})
	case x == 6 && len(stack) > 0:
		g.anyHead(format.ClassLoop)
		g.p.Ref = g.event
		ref := g.p.Ref
		g.point()
		return append(stack, frame{class: format.ClassLoop, ref: ref})
	}
	g.leaf()
	return stack
}

func (g *generator) leave(stack []frame) []frame {
	top := stack[len(stack)-1]
	switch top.class {
	case format.ClassCall:
		g.leaveAnyCall()
	case format.ClassLoop:
		g.footer(&format.Footer{Iterations: top.n})
	default:
		g.footer(new(format.Footer))
	}
	return stack[:len(stack)-1]
}
