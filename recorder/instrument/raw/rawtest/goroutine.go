package rawtest

import (
	"math"

	"tracex/recorder/instrument/raw"
)

// Goroutine writes the events of the goroutines of one g.
type Goroutine struct {
	LeftOut uint32

	f       *File
	g       uint64
	at, end int64 // of the next event, and of the chunk
	size    int
	last    uint64
}

func (f *File) Goroutine(g uint64) *Goroutine { return &Goroutine{f: f, g: g} }

// event writes an event: word, then payload, which begins after the word.
func (r *Goroutine) event(word uint32, payload []byte) {
	size := (4 + len(payload) + 3) &^ 3
	f := r.f
	const next = 4
	if r.end-r.at < int64(size) {
		r.refill(size)
		le.PutUint32(payload, 0) // the chunk has the counter
	}
	f.put(r.at+next, payload)
	f.word(r.at, word)
	r.at += int64(size)
	r.last = f.Now
}

func (r *Goroutine) refill(size int) {
	f := r.f
	r.size = min(max(2*r.size, f.ChunkFirst), f.ChunkMost)
	n := r.size
	for n < size+raw.ChunkHead {
		n *= 2
	}
	if r.end-r.at >= 4 && r.at > 0 {
		f.word(r.at, raw.EventNext)
	}
	r.at = f.take(n)
	r.end = r.at + int64(n)
	f.chunk(r.at, raw.ChunkEvents, n, r.g, r.LeftOut)
	r.at += raw.ChunkHead
	r.last = f.Now
}

// delta begins a payload: how far the counter advanced since the last event.
func (r *Goroutine) delta() []byte {
	if r.f.Clock == raw.ClockNone {
		return make([]byte, 4)
	}
	d := r.f.Now - r.last
	if r.last != 0 && d > math.MaxUint32 {
		r.event(raw.EventSync, le.AppendUint64(make([]byte, 4), r.f.Now))
		d = 0
	}
	return le.AppendUint32(nil, uint32(d))
}

// Full ends the chunk: the next event is in another one.
func (r *Goroutine) Full() {
	r.f.word(r.at, raw.EventNext)
	r.end = r.at
}

func (r *Goroutine) Begin(id, parent, made, start uint64) {
	r.event(raw.EventGoroutine, r.describe(id, parent, made, start))
}

func (r *Goroutine) describe(id, parent, made, start uint64) []byte {
	b := make([]byte, 4)
	for _, n := range []uint64{id, parent, made, start, r.f.Now} {
		b = le.AppendUint64(b, n)
	}
	return b
}

type Open struct {
	Function *raw.Function
	Counter  uint64
}

// Again continues a goroutine after data that may have been dropped.
func (r *Goroutine) Again(id, parent, made, start uint64, open ...Open) {
	r.AgainAfter(0, id, parent, made, start, open...)
}

// AgainAfter is Again when the goroutine has begun so many calls.
func (r *Goroutine) AgainAfter(calls uint32, id, parent, made, start uint64, open ...Open) {
	b := r.describe(id, parent, made, start)
	b = le.AppendUint32(le.AppendUint32(b, uint32(len(open))), calls)
	for _, o := range open {
		b = le.AppendUint64(le.AppendUint64(b, uint64(o.Function.ID)), o.Counter)
	}
	r.event(raw.EventAgain, b)
}

func (r *Goroutine) word(kind uint32, f *raw.Function) uint32 {
	return kind | f.ID<<raw.EventBits
}

// Enter begins a call. pc is the return address, from the program's code.
func (r *Goroutine) Enter(f *raw.Function, pc uint32, args ...Value) {
	r.f.Function(f)
	b := le.AppendUint32(r.delta(), pc)
	for _, a := range args {
		b = append(b, a...)
	}
	r.event(r.word(raw.EventEnter, f), b)
}

func (r *Goroutine) Exit(f *raw.Function, results ...Value) {
	b := r.delta()
	for _, a := range results {
		b = append(b, a...)
	}
	r.event(r.word(raw.EventExit, f), b)
}

// Throw notes a panic at pc in a function, which called called there: both from the program's code.
func (r *Goroutine) Throw(f *raw.Function, pc, called uint32, v Value) {
	b := le.AppendUint32(le.AppendUint32(r.delta(), pc), called)
	r.event(r.word(raw.EventThrow, f), append(b, v...))
}

func (r *Goroutine) Panic(f *raw.Function, v Value) {
	r.event(r.word(raw.EventPanic, f), append(r.delta(), v...))
}

// End ends a call by an event without a value, raw.EventGoexit or raw.EventUnwound.
func (r *Goroutine) End(f *raw.Function, kind uint32) { r.event(r.word(kind, f), r.delta()) }

func (r *Goroutine) Go(f *raw.Function) {
	r.f.Function(f)
	r.event(r.word(raw.EventGo, f), r.delta())
}

// Wait begins a wait, one of raw.WaitX, at pc in a function, which called called there.
func (r *Goroutine) Wait(kind, pc, called uint32) {
	r.event(raw.EventWait|kind<<raw.EventBits, le.AppendUint32(le.AppendUint32(r.delta(), pc), called))
}

// Waited ends it. by is the goroutine that ended it; 0 if none did.
func (r *Goroutine) Waited(kind uint32, by uint64) {
	r.event(raw.EventWaited|kind<<raw.EventBits, le.AppendUint64(r.delta(), by))
}

type Value []byte

func Nil() Value { return Value{raw.ValueNil} }

func Bool(v bool) Value {
	if v {
		return Value{raw.ValueTrue}
	}
	return Value{raw.ValueFalse}
}

// Int is a signed integer, in the smallest size that holds it.
func Int(n int64) Value {
	switch {
	case n == int64(int8(n)):
		return Value{raw.ValueInt8, byte(n)}
	case n == int64(int32(n)):
		return le.AppendUint32(Value{raw.ValueInt32}, uint32(n))
	}
	return le.AppendUint64(Value{raw.ValueInt64}, uint64(n))
}

// Uint is an unsigned integer.
func Uint(n uint64) Value {
	switch {
	case n <= math.MaxUint8:
		return Value{raw.ValueUint8, byte(n)}
	case n <= math.MaxUint32:
		return le.AppendUint32(Value{raw.ValueUint32}, uint32(n))
	}
	return le.AppendUint64(Value{raw.ValueUint64}, n)
}

func Float(v float64) Value {
	return le.AppendUint64(Value{raw.ValueFloat64}, math.Float64bits(v))
}

// String is a string of at most 255 bytes.
func String(s string) Value { return append(Value{raw.ValueString, byte(len(s))}, s...) }

// Cut is the beginning of a string of n bytes.
func Cut(s string, n uint32) Value {
	return append(append(le.AppendUint32(Value{raw.ValueCut}, n), byte(len(s))), s...)
}

// Text is the beginning of a string of n bytes in an error or a panic.
func Text(s string, n uint32) Value {
	return append(le.AppendUint16(le.AppendUint32(Value{raw.ValueText}, n), uint16(len(s))), s...)
}

// Address is a pointer, a channel, an unsafe pointer.
func Address(a uint64) Value { return Value{raw.ValueAddress}.address(a) }

func (v Value) address(a uint64) Value {
	return append(v, le.AppendUint64(nil, a)[:raw.AddressSize]...)
}

// Bytes is the beginning of a []byte of n bytes.
func Bytes(a uint64, n uint32, kept string) Value {
	return append(append(le.AppendUint32(Value{raw.ValueBytes}.address(a), n), byte(len(kept))), kept...)
}

func Map(a uint64, n uint32) Value { return le.AppendUint32(Value{raw.ValueMap}.address(a), n) }

// Contents is a []byte that keeps its number, with the beginning of its n bytes.
func Contents(a uint64, n uint32, kept string) Value {
	v := Bytes(a, n, kept)
	v[0] = raw.ValueContents
	return v
}

// Entries is a map of n entries with the first of them: a key and a value each.
func Entries(a uint64, n uint32, list ...[2]Value) Value {
	v := append(Value(le.AppendUint32(Value{raw.ValueEntries}.address(a), n)), byte(len(list)))
	for _, e := range list {
		v = append(append(v, e[0]...), e[1]...)
	}
	return v
}

func Slice(a uint64, n uint32) Value { return le.AppendUint32(Value{raw.ValueSlice}.address(a), n) }

// Elements is a slice of n elements with the first of them.
func Elements(a uint64, n uint32, elements ...Value) Value {
	return Value(le.AppendUint32(Value{raw.ValueElements}.address(a), n)).elements(elements)
}

// Items is an array with the first of its elements.
func Items(elements ...Value) Value { return Value{raw.ValueItems}.elements(elements) }

func (v Value) elements(list []Value) Value {
	v = append(v, byte(len(list)))
	for _, e := range list {
		v = append(v, e...)
	}
	return v
}

// Func is a function whose code is at pc, from the program's code.
func Func(a uint64, pc uint32) Value { return le.AppendUint32(Value{raw.ValueFunc}.address(a), pc) }

// Struct is a struct; more says that fields are left out.
func Struct(more bool, fields ...Value) Value {
	v := Value{raw.ValueStruct}
	for _, f := range fields {
		v = append(v, f...)
	}
	if more {
		v = append(v, raw.ValueMore)
	}
	return v
}

// Pointee is a pointer with what it points to.
func Pointee(a uint64, to Value) Value { return append(Value{raw.ValuePointee}.address(a), to...) }

func Typed(t *raw.Type, v Value) Value {
	return append(le.AppendUint32(Value{raw.ValueType}, t.ID), v...)
}

// Mark is a value without content: raw.ValueArray, raw.ValueLarge, raw.ValueLeftOut.
func Mark(kind byte) Value { return Value{kind} }
