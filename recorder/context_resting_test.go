package recorder

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/recorder/internal/tracetest"
)

// inTurn runs f in so many goroutines, one after the other.
func inTurn(n int, f func(n int)) {
	for i := range n {
		done := make(chan struct{})
		go func() {
			defer close(done)
			f(i)
		}()
		<-done
	}
}

// However many goroutines come and go, few of their threads from contexts are kept, and none is
// refused.
func TestManyGoroutinesInTurn(t *testing.T) {
	goroutines := 100_000
	if !formattest.Exhaustive() || formattest.Race {
		goroutines = 10_000
	}
	for i, c := range []Config{{}, {MaxMemory: 2 << 20}, {FlushInterval: -1, MaxMemory: 1 << 20, BlockSize: 1 << 10}} {
		c.create = toDiscard
		r := start(t, c)
		m := r.Method(r.Class("C"), "m", Type{})
		ctx := NewContext(context.Background(), r.Thread("main"))
		most, kept := r.kept.most, 0
		inTurn(goroutines, func(n int) {
			for range 2 {
				FromContext(ctx).Call(m, 0, Null(), Int(n)).End()
			}
			if n%1000 == 0 {
				kept = max(kept, r.threads.count())
			}
		})
		if rest := r.kept.resting.Load(); rest > most || most > mostResting || kept > int(most)+2 {
			t.Errorf("config %d: of %d that may rest %d do, and %d threads were kept", i, most, rest, kept)
		}
		if u := r.pool.Usage(); u.Used > r.config.MaxMemory || u.Reserved > r.config.MaxMemory/2 {
			t.Errorf("config %d: of %d bytes %d are used, %d of them reserved", i, r.config.MaxMemory, u.Used, u.Reserved)
		}
		saved, err := r.Flush()
		if err != nil || saved.Threads != int64(1+goroutines) || saved.Refused+saved.Dropped != 0 || saved.Misuse != (Misuse{}) {
			t.Errorf("config %d: %+v, %v", i, saved, err)
		}
		if err := r.Stop(); err != nil {
			t.Error(err)
		}
		r.goroutines.Range(func(g, _ any) bool { t.Errorf("goroutine %v is remembered", g); return false })
		if n := r.kept.list.Len() + r.threads.count(); n > 0 {
			t.Errorf("config %d: %d threads are remembered", i, n)
		}
	}
}

// Resting threads do not get in the way: as many others can begin as without them.
func TestRestingThreadsGiveWay(t *testing.T) {
	begun := func(resting int) (n int) {
		c := Config{create: toDiscard, MaxMemory: 512 << 10, BlockSize: 1 << 10, FlushInterval: -1, NoLive: true, OnError: func(error) {}}
		r := start(t, c)
		m := r.Method(r.Class("C"), "m", Type{})
		r.Variable(OriginVariable, Type{})
		ctx := NewContext(context.Background(), r.Thread("main"))
		inTurn(resting, func(int) { FromContext(ctx).Call(m, 0, Null()).End() })
		if rest := r.kept.resting.Load(); resting > 0 && rest < 2 {
			t.Errorf("%d threads rest", rest)
		}
		for t := r.Thread("worker"); t != nil; t = r.Thread("worker") {
			n++
		}
		if rest := r.kept.resting.Load(); rest > 0 {
			t.Errorf("a thread was refused while %d rest", rest)
		}
		_ = r.Stop() // it reports that there was no memory
		return n
	}
	if without, with := begun(0), begun(1000); with < without {
		t.Errorf("%d threads began, %d where others rest", without, with)
	}
}

// Goroutines that record through a context lose nothing while their threads are evicted.
func TestEvictedMeanwhile(t *testing.T) {
	const goroutines, calls = 8, 300
	for i, c := range ways() {
		c.Path, c.MaxMemory = filepath.Join(t.TempDir(), "trace.bin"), 64<<20
		r := start(t, c)
		r.kept.most = 2
		m, v := r.Method(r.Class("C"), "m", Type{}), r.Variable("v", Type{})
		ctx := NewContext(context.Background(), r.Thread("main"))
		var group sync.WaitGroup
		for g := range goroutines {
			group.Go(func() {
				held := FromContext(ctx)
				for n := range calls {
					th := FromContext(ctx)
					if n%3 == 0 {
						th = held
					} else if n%50 == 1 {
						held = th
					}
					call := th.Call(m, 0, Null(), Int(g), Int(n))
					FromContext(ctx).Enter(m, 0, Null(), Int(g), Int(n))
					FromContext(ctx).Exit(Void())
					runtime.Gosched()
					call.End()
					th.WriteVariable(v, 0, Int(n))
					if n%7 == 0 {
						FromContext(ctx).End()
					}
				}
			})
		}
		group.Wait()
		saved, err := r.Flush()
		if err != nil || saved.Misuse != (Misuse{}) {
			t.Errorf("way %d: %+v, %v", i, saved, err)
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		if saved.Dropped+saved.Refused > 0 {
			continue
		}
		threads, found := map[int32]bool{}, map[string]int{}
		tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(thread *eager.Thread, p *format.Point, depth int) {
			threads[p.Thread] = true
			if p.Class == format.ClassCall {
				found[fmt.Sprint(depth, p.Args)]++
			} else if depth > 0 {
				t.Errorf("way %d: %v is within a call", i, p)
			}
		})
		if int64(len(threads)) != saved.Threads-1 { // the main one is empty
			t.Errorf("way %d: %d threads, %d were begun", i, len(threads), saved.Threads)
		}
		if len(found) != 2*goroutines*calls {
			t.Errorf("way %d: %d calls, want %d", i, len(found), 2*goroutines*calls)
		}
	}
}

// A goroutine that serves several contexts records each time which one it is.
func TestSeveralContexts(t *testing.T) {
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin")}
	r := start(t, c)
	m := r.Method(r.Class("C"), "m", Type{})
	var requests []context.Context
	for _, name := range []string{"first", "second"} {
		th := r.Thread(name)
		th.Enter(m, 0, Null())
		requests = append(requests, NewContext(context.Background(), th))
	}
	inTurn(1, func(int) {
		for n, ctx := range []context.Context{requests[0], requests[0], requests[1], NewContext(requests[1], FromContext(requests[1])), requests[0]} {
			FromContext(ctx).Call(m, 0, Null(), Int(n)).End()
		}
	})
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	lines, names := threadTexts(t, c.Path)
	if want := []string{"<from> = first, event 0", "C.m(0)", "C.m(1)", "<from> = second, event 16", "C.m(2)", "C.m(3)", "<from> = first, event 0", "C.m(4)"}; len(names) != 3 || !slices.Equal(lines[names[2]], want) {
		t.Errorf("recorded %q in %q, want %q", lines[names[2]], names, want)
	}
}

// A goroutine that uses another thread for a while, and whose own was evicted meanwhile, is
// forgotten.
func TestEvictedWhileAnotherIsUsed(t *testing.T) {
	r := start(t, Config{create: toDiscard})
	m := r.Method(r.Class("C"), "m", Type{})
	ctx := NewContext(context.Background(), r.Thread("main"))
	inTurn(1, func(int) {
		FromContext(ctx).Call(m, 0, Null()).End()
		r.Do(context.Background(), "another", func(context.Context) {
			if !r.evict() {
				t.Error("no thread rests")
			}
		})
	})
	r.goroutines.Range(func(g, _ any) bool { t.Errorf("goroutine %v is remembered", g); return true })
}

// The end of a resting thread is when it came to rest.
func TestRestingThreadEnds(t *testing.T) {
	r := start(t, Config{create: toDiscard})
	m := r.Method(r.Class("C"), "m", Type{})
	ctx := NewContext(context.Background(), r.Thread("main"))
	var own *Thread
	var rested uint64
	inTurn(1, func(int) {
		FromContext(ctx).Call(m, 0, Null()).End()
		own = Own(ctx)
		rested = own.now()
	})
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	if own.file.Ended > rested {
		t.Errorf("the thread ended at %d, and rested by %d", own.file.Ended, rested)
	}
}

// BenchmarkPassedOn makes calls in a goroutine through the context of another.
func BenchmarkPassedOn(b *testing.B) {
	for name, n := range map[string]int{"calls": 1, "nested": 10} {
		b.Run(name, func(b *testing.B) {
			r := start(b, Config{create: toDiscard})
			ctx := NewContext(context.Background(), r.Thread("main"))
			m := r.Method(r.Class("C"), "m", Type{})
			done := make(chan struct{})
			b.ReportAllocs()
			go func() {
				defer close(done)
				for range b.N {
					outer := FromContext(ctx).Call(m, 0, Null())
					for range n - 1 {
						FromContext(ctx).Call(m, 0, Null()).End()
					}
					outer.End()
				}
			}()
			<-done
		})
	}
}
