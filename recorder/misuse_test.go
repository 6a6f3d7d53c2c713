package recorder

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tracex/format"
	"tracex/lazy/eager"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// ways are configs that differ in which goroutine writes what, and when.
func ways() []Config {
	return []Config{
		{}, {BlockSize: 1 << 10}, {FlushInterval: 50 * time.Microsecond}, {BlockSize: 1 << 10, MaxMemory: 256 << 10},
		{OnFull: Drop}, {OnFull: Drop, BlockSize: 1 << 10, MaxMemory: 256 << 10}, {NoTimes: true}, {plain: true},
		{Strategy: CollectAndDump}, {Strategy: CollectAndDump, BlockSize: 1 << 10},
	}
}

// Values not made by Start or Thread do nothing.
func TestZeroValues(t *testing.T) {
	for _, r := range []*Recorder{nil, new(Recorder)} {
		class := r.Class("C")
		if r.Thread("t") != nil || r.Method(class, "m", Type{}) != 0 || r.Field(class, "f", FieldInfo{}) != 0 ||
			r.Variable("v", Type{}) != 0 || r.Location(CodeLocation{Line: 1}) != 0 || r.Path(Local(0)) != 0 || r.Caller(0) != 0 ||
			r.ClassOf(t) != 0 || r.Capture(t) != Null() {
			t.Error("something was registered")
		}
		if saved, err := r.Flush(); saved != (Saved{}) || err != nil {
			t.Errorf("Flush: %+v, %v", saved, err)
		}
		if err := errors.Join(r.Stop(), r.Dump()); err != nil {
			t.Error(err)
		}
	}
	for _, th := range []*Thread{nil, new(Thread)} {
		everything(th)
		th.End()
		everything(th)
	}
}

// everything calls all methods of a thread, in an order that makes no sense.
func everything(th *Thread) {
	for range 3 {
		th.EndLoop()
		th.Exit(Void())
		th.Iteration(0)
		th.Panic("")
		th.Enter(0, 0, Value{})
		th.Loop(0)
		th.Loop(0)
		th.EndLoop()
		th.Iteration(0)
		th.Enter(0, 0, Null(), Null(), Value{}, String(""))
		th.ReadVariable(0, 0, Value{})
		th.WriteVariable(0, 0, Void())
		th.ReadField(0, 0, Null(), Null())
		th.WriteField(0, 0, Null(), Null())
		th.ReadElement(Null(), 0, 0, Null())
		th.WriteElement(Null(), 0, 0, Null())
		th.Throw(Null(), 0)
		th.Catch(Null(), 0)
		th.Loop(0)
		th.Exit(Void())
	}
}

// Arguments that make no sense are recorded as they are, and the trace can be read.
func TestOddArguments(t *testing.T) {
	huge := strings.Repeat("漢\x00\xff", 100_000)
	for _, c := range ways() {
		c.Path, c.MaxString, c.MaxMemory = filepath.Join(t.TempDir(), "trace.bin"), math.MaxInt, 64<<20
		r := start(t, c)
		th := r.Thread(huge)
		everything(th)
		th.Enter(-5, -7, Object(-3, -3), Object(math.MinInt32, 0), String(huge), Raw(huge), TypeName(huge), Char(-1), Char(math.MaxInt32))
		th.WriteVariable(-1, math.MaxInt32, Pointer[int](99, nil))
		th.WriteField(math.MaxInt32, math.MinInt32, Uint(math.MaxUint64), Int(math.MinInt))
		th.WriteElement(Value{}, math.MaxInt, 0, Object(12345, math.MinInt32))
		th.Panic(huge)
		type16 := Type{Kind: 99, Dims: 255, Class: huge}
		class := r.Class(huge)
		th.Enter(r.Method(class, huge, type16, make([]Type, 70_000)...), 0, Null())
		th.Enter(r.Method(-1, "", Type{Kind: format.TypeObject}, type16), 0, Null())
		th.WriteField(r.Field(class, huge, FieldInfo{Type: type16}), 0, Null(), Null())
		th.WriteVariable(r.Variable(huge, type16), 0, Null())
		path := r.Path(make([]PathStep, 1000)...)
		th.Loop(r.Location(CodeLocation{File: huge, Class: huge, Method: huge, Line: math.MinInt, Path: path, Args: []Path{path, 77, -3}}))
		th.Iteration(r.Location(CodeLocation{Path: -5}))
		if r.Path() == 0 || r.Path(PathStep{}, Element(-1), ElementBy(-1)) != 0 || r.Caller(-5) < 0 || r.Caller(math.MaxInt-2) != 0 {
			t.Error("a path or a place is not what it should be")
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		n := 0
		tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(*eager.Thread, *format.Point, int) { n++ })
		if n < 30 {
			t.Errorf("%d points", n)
		}
	}
}

// All goroutines may call all methods at once, whatever happens to the recording meanwhile.
func TestEverythingAtOnce(t *testing.T) { versiontest.EachVersion(t, testEverythingAtOnce) }

func testEverythingAtOnce(t *testing.T) {
	for _, c := range ways() {
		c.Path = filepath.Join(t.TempDir(), "trace.bin")
		c.OnError = func(error) {}
		r := start(t, c)
		var group sync.WaitGroup
		var done atomic.Int64
		for g := range 6 {
			group.Go(func() {
				for i := 0; r.on(); i++ {
					th := r.Thread(fmt.Sprint("goroutine ", g))
					everything(th)
					_ = r.Capture(struct {
						a, b any
					}{r.Class(fmt.Sprint("C", i%50)), []any{g, "x", &i}})
					if i%7 == 0 {
						_, _ = r.Flush()
					}
					if i%3 == 0 {
						th.End()
					}
					if done.Add(1) == 300 {
						go func() { _ = r.Stop() }()
					}
				}
				_ = r.Stop()
			})
		}
		group.Wait()
		if err := r.Stop(); err != nil && !errors.Is(err, ErrMemory) {
			t.Fatal(err)
		}
		tracetest.LoadChecked(t, c.Path)
	}
}
