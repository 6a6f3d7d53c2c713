package query

import (
	"context"
	"encoding/binary"
	"math"
	"strconv"
	"sync"

	"tracex/format"
	"tracex/lazy"
)

// markHow is what a mark is.
type markHow uint8

const (
	markLeaf  markHow = 1 + iota // an event that has no end
	markBegin                    // of a call, a loop or an iteration
	markEnd
)

// mark is an event of a sequence, or the end of one.
type mark struct {
	how   markHow
	event int32
	at    int64
	// Where its key and its values end in the bytes of the part. The key begins where the values before
	// end.
	key, value int
}

// sequence reads what is in a scope of one range from its beginning to its end. It keeps a chunk.
type sequence struct {
	r      *lazy.LazyTraceReader
	scope  Scope
	names  *symbols
	thread int32
	from   int64 // of the scope, as logical offsets
	to     int64
	size   int64
	chunk  int64 // bytes that are read next
	share  int64 // see [lazy.Pass.Share]

	parts []*sequencePart // of the chunk, those that have not been passed
	at    int             // the mark of the first
	ahead int64           // where the next chunk begins
}

// newSequence returns the sequence of a scope that is limited by [Scope.In].
func newSequence(r *lazy.LazyTraceReader, scope Scope, names *symbols) *sequence {
	g := scope.Ranges[0]
	s := &sequence{r: r, scope: scope, names: names, thread: g.Thread, from: g.From, to: g.To}
	if t, ok := r.ThreadInfo(g.Thread); ok && (s.to < 0 || s.to > t.Bytes) {
		s.to = t.Bytes
	}
	s.to = max(s.to, s.from)
	s.ahead, s.size = s.from, s.to-s.from
	return s
}

// read returns how many bytes have been read.
func (s *sequence) read() int64 { return s.ahead - s.from }

// now returns the mark that is next; nil at the end. There must be one in memory: see fill.
func (s *sequence) now() *mark {
	if len(s.parts) == 0 {
		return nil
	}
	return &s.parts[0].marks[s.at]
}

// next passes the mark.
func (s *sequence) next() {
	if s.at++; s.at == len(s.parts[0].marks) {
		s.parts, s.at = s.parts[1:], 0
	}
}

// key returns what the mark that is next must have in common with one of the other side.
func (s *sequence) key(m *mark) []byte {
	from := 0
	if s.at > 0 {
		from = s.parts[0].marks[s.at-1].value
	}
	return s.parts[0].b[from:m.key]
}

// value returns its values.
func (s *sequence) value(m *mark) []byte { return s.parts[0].b[m.key:m.value] }

// fill reads a chunk if none is in memory, and reports whether it did.
func (s *sequence) fill(ctx context.Context) (fresh bool, err error) {
	for len(s.parts) == 0 && s.ahead < s.to {
		to := min(s.ahead+s.chunk, s.to)
		list := &sequenceParts{s: s}
		pass := s.scope.Over(list)
		pass.Ranges, pass.Share = []lazy.PassRange{{Thread: s.thread, From: s.ahead, To: to}}, s.share
		if err := s.r.Pass(ctx, pass); err != nil {
			return fresh, err
		}
		s.parts, s.at, s.ahead, fresh = list.parts, 0, to, true
		s.chunk = min(4*s.chunk, max(mostChunk, s.chunk))
	}
	return fresh, nil
}

// end returns whether the end of what the scope is was recorded. A thread ends where its data does.
func (s *sequence) end(ctx context.Context) (lazy.State, error) {
	if s.scope.Ranges[0].To < 0 {
		return lazy.StateWhole, nil
	}
	state, _, err := readOne(ctx, s.r, &Scope{Raw: s.scope.Raw}, lazy.Position{Thread: s.thread, At: s.from}, func(p *lazy.PassPoint) (lazy.State, bool, error) {
		state, err := p.Ended()
		return state, p.Class.Container(), err
	})
	return state, err
}

// sequenceParts collects the parts of a chunk.
type sequenceParts struct {
	s     *sequence
	parts []*sequencePart
}

func (c *sequenceParts) Reset() { c.parts = nil }

func (c *sequenceParts) Visitor() lazy.Visitor {
	return &sequencePart{from: c.s.from, symbols: c.s.names, memo: c.s.names.memos.get()}
}

func (c *sequenceParts) Merge(v lazy.Visitor) error {
	p := v.(*sequencePart)
	p.symbols.memos.put(p.memo)
	if p.memo = nil; len(p.marks) > 0 {
		c.parts = append(c.parts, p)
	}
	return nil
}

// sequencePart is the visitor of a part.
type sequencePart struct {
	symbols *symbols
	memo    *symbolMemo
	from    int64 // what begins before is around the scope
	marks   []mark
	b       []byte
}

func (v *sequencePart) Begin(int32, []lazy.PassFrame) {}
func (v *sequencePart) Enter(p *lazy.PassPoint)       { v.visit(p, markBegin) }
func (v *sequencePart) Leaf(p *lazy.PassPoint)        { v.visit(p, markLeaf) }

// visit is Enter and Leaf.
func (v *sequencePart) visit(p *lazy.PassPoint, how markHow) {
	point := decoded(p)
	if point == nil {
		return
	}
	m := v.mark(p, how)
	v.int(int64(v.symbol(p.Context(), point)))
	m.key = len(v.b)
	v.values(p.Context(), point)
	v.add(m)
}

func (v *sequencePart) Exit(p *lazy.PassPoint) {
	if p.At < v.from {
		return
	}
	f, err := p.Footer()
	if err != nil {
		p.Fail(err)
		return
	}
	m := v.mark(p, markEnd)
	m.key = len(v.b)
	switch v.b = append(v.b, byte(p.State)); {
	case p.State != lazy.StateWhole || f == nil:
	case p.Class == format.ClassLoop:
		v.int(int64(f.Iterations))
	case p.Class == format.ClassCall && (f.Threw || f.Exception != ""):
		v.b = append(v.b, 1)
		v.text(f.Exception)
	case p.Class == format.ClassCall:
		v.b = append(v.b, 0)
		v.one(p.Context(), &f.Result)
	}
	v.add(m)
}

// mark begins a mark.
func (v *sequencePart) mark(p *lazy.PassPoint, how markHow) mark {
	v.b = append(v.b, byte(how), byte(p.Class))
	return mark{how: how, event: p.Event, at: p.At}
}

func (v *sequencePart) add(m mark) {
	m.value = len(v.b)
	v.marks = append(v.marks, m)
}

// symbol returns the number of what a point is about besides its values.
func (v *sequencePart) symbol(c *format.Context, p *format.Point) int32 {
	switch p.Class {
	case format.ClassCall:
		n := 2 * v.memo.methods.of(v.symbols.methods, p.Ref)
		if c.SuperCall(p) {
			n++
		}
		return n
	case format.ClassFieldRead, format.ClassFieldWrite:
		return v.memo.of(v.symbols, symbolID{symbolField, p.Ref}, c)
	case format.ClassVariableRead, format.ClassVariableWrite:
		return v.memo.of(v.symbols, symbolID{symbolVariable, p.Ref}, c)
	case format.ClassLoop, format.ClassIteration:
		return p.Ref
	}
	return 0
}

// values appends the values of a point.
func (v *sequencePart) values(c *format.Context, p *format.Point) {
	list := func(values []format.Value) {
		v.int(int64(len(values)))
		for i := range values {
			v.one(c, &values[i])
		}
	}
	switch p.Class {
	case format.ClassCall:
		v.one(c, &p.Target)
		list(p.Args)
	case format.ClassFieldRead, format.ClassFieldWrite:
		v.one(c, &p.Target)
		v.one(c, &p.Value)
	case format.ClassArrayRead, format.ClassArrayWrite:
		v.one(c, &p.Target)
		v.int(int64(p.Number))
		v.one(c, &p.Value)
	case format.ClassVariableRead, format.ClassVariableWrite, format.ClassThrow, format.ClassCatch:
		v.one(c, &p.Value)
	case format.ClassSnapshot:
		if p.Snapshot != nil {
			list(p.Snapshot.Watches)
		}
	}
}

// one appends a value: of an object its class, without what was captured of it, unless it is a struct that
// was recorded by its value.
func (v *sequencePart) one(c *format.Context, x *format.Value) {
	class := func() { v.int(int64(v.memo.of(v.symbols, symbolID{symbolClass, x.ClassID}, c))) }
	switch kind := x.Kind; kind {
	case format.ValueObject, format.ValueArray, format.ValueException:
		v.b = append(v.b, byte(format.ValueObject))
		class()
		if in := x.Captured; kind == format.ValueException && in != nil && in.Message != nil {
			v.b = append(v.b, 1)
			v.text(*in.Message)
			return
		}
		if x.ByValue() {
			v.b = append(v.b, 2)
			v.int(int64(len(x.Captured.Fields)))
			for i := range x.Captured.Fields {
				f := &x.Captured.Fields[i]
				v.text(f.Name)
				v.one(c, &f.Value)
			}
			return
		}
		v.b = append(v.b, 0)
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong:
		v.b = append(v.b, byte(format.ValueLong))
		v.int(x.Bits)
	case format.ValueFloat, format.ValueDouble:
		v.b = append(v.b, byte(kind))
		v.b = binary.BigEndian.AppendUint64(v.b, math.Float64bits(x.Float()))
	case format.ValueChar, format.ValueBoolean:
		v.b = append(v.b, byte(kind))
		v.int(x.Bits)
	case format.ValueSequence, format.ValueEnum:
		v.b = append(v.b, byte(kind))
		class()
		if x.Absent {
			v.b = append(v.b, 1)
			return
		}
		v.b = append(v.b, 0)
		v.text(x.Text)
	default: // those without contents have no text
		v.b = append(v.b, byte(kind))
		v.text(x.Text)
	}
}

func (v *sequencePart) int(n int64) { v.b = binary.AppendVarint(v.b, n) }

func (v *sequencePart) text(s string) {
	v.int(int64(len(s)))
	v.b = append(v.b, s...)
}

// symbols gives methods, classes, fields and variables numbers. What the trace describes twice, with
// the same names and types, has one.
type symbols struct {
	methods *groups

	memos pool[*symbolMemo]

	mu  sync.Mutex // guards the fields below
	ids map[string]int32
}

// symbolKind is what a number is of, besides methods.
type symbolKind uint8

const (
	symbolClass symbolKind = iota
	symbolField
	symbolVariable
)

// symbolID is what a trace point names.
type symbolID struct {
	kind symbolKind
	id   int32
}

// symbolMemo are the numbers that one goroutine knows.
type symbolMemo struct {
	methods slots
	others  map[symbolID]int32
}

func newSymbols(r *lazy.LazyTraceReader) *symbols {
	s := &symbols{methods: newGroups(r, ByMethod), ids: make(map[string]int32)}
	s.memos.renew(func() *symbolMemo { return &symbolMemo{others: make(map[symbolID]int32)} })
	return s
}

// of returns the number of a class, a field or a variable.
func (m *symbolMemo) of(s *symbols, id symbolID, c *format.Context) int32 {
	n, ok := m.others[id]
	if !ok {
		n = s.of(id, c)
		m.others[id] = n
	}
	return n
}

func (s *symbols) of(id symbolID, c *format.Context) int32 {
	key := id.name(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.ids[key]
	if !ok {
		n = int32(len(s.ids))
		s.ids[key] = n
	}
	return n
}

// name returns a text that nothing else of the trace has.
func (id symbolID) name(c *format.Context) string {
	class := func(id int32) string {
		if d := c.Class(id); d != nil {
			return strconv.Quote(d.Name)
		}
		return strconv.Itoa(int(id))
	}
	switch id.kind {
	case symbolClass:
		return "class " + class(id.id)
	case symbolField:
		if d := c.Field(id.id); d != nil {
			return "field " + class(d.ClassID) + strconv.Quote(d.Name) + d.Type.String()
		}
		return "field " + strconv.Itoa(int(id.id))
	}
	if d := c.Variable(id.id); d != nil {
		return "variable " + strconv.Quote(d.Name) + d.Type.String()
	}
	return "variable " + strconv.Itoa(int(id.id))
}

// firstChunk is how much of a side is read at first, and mostChunk at most, in bytes: what is read of
// both is kept until it is compared, and takes up to ten times as much.
const (
	firstChunk = 64 << 10
	mostChunk  = 2 << 20
)
