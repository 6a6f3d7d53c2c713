package recorder

import (
	"testing"

	"tracex/format/formattest"
	"tracex/recorder/internal/versiontest"
)

// The most frequent methods allocate nothing, whatever the sink.
func TestNoAllocations(t *testing.T) { versiontest.EachVersion(t, testNoAllocations) }

func testNoAllocations(t *testing.T) {
	if formattest.Race {
		t.Skip("the race detector allocates")
	}
	for _, c := range []Config{
		{create: toDiscard},
		{create: toDiscard, OnFull: Drop},
		{create: toDiscard, BlockSize: 1 << 12},
	} {
		r := start(t, c)
		th := r.Thread("main")
		class := r.Class("C")
		m, f, v := r.Method(class, "m", Type{}), r.Field(class, "f", FieldInfo{}), r.Variable("v", Type{})
		at := r.Caller(0)
		subject := new(int)
		all := func() {
			th.Enter(m, at, Pointer(class, subject), Int(1), Float64(2.5), String("text"), Bool(true))
			th.ReadField(f, at, Pointer(class, subject), Int64(1<<40))
			th.WriteVariable(v, at, String("漢字, and so on, for more than the fifty characters that are kept"[:0]))
			th.Loop(at)
			for range 3 {
				th.Iteration(at)
				th.WriteElement(Pointer(class, subject), 1, at, Char('x'))
			}
			th.EndLoop()
			th.Throw(Object(class, 7), at)
			th.Exit(Int(3))
			th.Enter(m, at, Null())
			th.Panic("errors.errorString")
		}
		for range 10_000 {
			all() // until the buffer has its final size
		}
		if n := testing.AllocsPerRun(10_000, all); n != 0 {
			t.Errorf("%v, %v: %v allocations", c.Strategy, c.OnFull, n)
		}
	}
}

// When recording is off, everything does nothing and costs nothing.
func TestOff(t *testing.T) {
	var r *Recorder
	class := r.Class("C")
	m, f, v := r.Method(class, "m", Type{}), r.Field(class, "f", FieldInfo{}), r.Variable("v", Type{})
	at := r.Location(CodeLocation{File: "x.go"})
	if r.Path(Local(v), Member(f)) != 0 || r.Caller(0) != 0 {
		t.Error("a recorder that is off knows a place")
	}
	n := testing.AllocsPerRun(100, func() {
		th := r.Thread("main")
		th.Enter(m, at, Null(), Int(1), String("text"))
		th.Loop(at)
		th.Iteration(at)
		th.ReadVariable(v, at, Null())
		th.WriteVariable(v, at, Null())
		th.ReadField(f, at, Null(), Null())
		th.WriteField(f, at, Null(), Null())
		th.ReadElement(Null(), 0, at, Null())
		th.WriteElement(Null(), 0, at, Null())
		th.Throw(Null(), at)
		th.Catch(Null(), at)
		th.EndLoop()
		th.Panic("p")
		th.Exit(Void())
		th.End()
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
	if _, err := r.Flush(); err != nil {
		t.Error(err)
	}
	if err := r.Stop(); err != nil {
		t.Error(err)
	}
}

func BenchmarkOff(b *testing.B) {
	var t *Thread
	for b.Loop() {
		t.Enter(1, 1, Null())
		t.Exit(Void())
	}
}
