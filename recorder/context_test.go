package recorder

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"tracex/format"
	"tracex/lazy/eager"
	"tracex/recorder/internal/tracetest"
)

// threadTexts returns the lines of each thread of a trace by its name, and the names in the
// order of the threads' ids.
func threadTexts(t *testing.T, path string) (lines map[string][]string, names []string) {
	t.Helper()
	forest := tracetest.LoadChecked(t, path)
	lines = map[string][]string{}
	tracetest.Points(t, forest, func(thread *eager.Thread, p *format.Point, depth int) {
		if !slices.Contains(names, thread.Name) {
			names = append(names, thread.Name)
		}
		text := strings.Repeat(" ", depth) + string(forest.Context.AppendText(nil, p, nil, format.Parent{}, false))
		lines[thread.Name] = append(lines[thread.Name], text)
	})
	return lines, names
}

// A context may be passed to any goroutine: what that one records through it is in its own
// thread, which says where it came from.
func TestContextIsPassedOn(t *testing.T) {
	const goroutines, rounds = 20, 5
	for i, c := range ways() {
		c.Path = t.TempDir() + "/trace.bin"
		c.MaxMemory = 64 << 20
		r := start(t, c)
		m, v := r.Method(r.Class("C"), "m", Type{}), r.Variable("v", Type{})
		th := r.Thread("main")
		call := th.Call(m, 0, Null(), String("request"))
		ctx := NewContext(context.Background(), th)
		event := th.open.innermost().event()
		inner := func(ctx context.Context, n int) {
			defer FromContext(ctx).Call(m, 0, Null(), Int(n)).End()
			FromContext(ctx).WriteVariable(v, 0, Int(n))
		}
		var mu sync.Mutex
		numbers := map[string]bool{}
		var group sync.WaitGroup
		for range goroutines {
			group.Go(func() {
				mu.Lock()
				numbers[fmt.Sprint(goroutine())] = true
				mu.Unlock()
				kept := FromContext(ctx) // before there is a thread
				kept.EndLoop()
				kept.Exit(Void())
				kept.WriteVariable(v, 0, Int(-1))
				kept.Exit(Void())
				for n := range rounds {
					func() {
						defer kept.Call(m, 0, Null(), Int(n)).End()
						inner(ctx, 10+n)
						kept.Loop(0)
						kept.Iteration(0)
						kept.Enter(m, 0, Null(), Int(20+n))
						kept.Exit(Void())
						kept.EndLoop()
						if Own(ctx) == nil || Own(ctx) == th {
							t.Error("the goroutine has not a thread of its own")
						}
					}()
					FromContext(ctx).Exit(Void())
				}
			})
			th.WriteVariable(v, 0, Int(7)) // while the goroutines record
		}
		group.Wait()
		inner(ctx, 1)
		call.End()
		saved, err := r.Flush()
		if err != nil || saved.Misuse != (Misuse{Exits: goroutines * (2 + rounds)}) {
			t.Errorf("way %d: %+v, %v", i, saved, err)
		}
		if saved.Threads != 1+goroutines {
			t.Errorf("way %d: %d threads", i, saved.Threads)
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		if saved.Dropped > 0 {
			continue // with Drop there may be a note anywhere
		}
		lines, names := threadTexts(t, c.Path)
		if len(lines["main"]) != 1+goroutines+2 {
			t.Errorf("way %d: main has %q", i, lines["main"])
		}
		begun := 1
		for _, name := range names[1:] {
			number, ok := strings.CutPrefix(name, "main, goroutine ")
			from := fmt.Sprintf("<from> = main, event %d", event)
			before := len(lines[name])
			got := slices.DeleteFunc(lines[name], func(line string) bool { return line == from })
			begun += before - len(got)
			want := []string{"v = -1"}
			for n := range rounds {
				want = append(want, fmt.Sprintf("C.m(%d)", n), fmt.Sprintf(" C.m(%d)", 10+n),
					fmt.Sprintf("  v = %d", 10+n), " loop", "  <iteration 1>", fmt.Sprintf("   C.m(%d)", 20+n))
			}
			if !ok || !numbers[number] || !slices.EqualFunc(got, want, strings.HasPrefix) {
				t.Fatalf("way %d: thread %q has %q, want %q", i, name, got, want)
			}
		}
		if int64(begun) != saved.Threads {
			t.Errorf("way %d: %d threads, %d of which say where they came from", i, saved.Threads, begun-1)
		}
	}
}

// A goroutine with its own thread records into that, whatever context it is given; and a
// context of a thread that has ended still gives one.
func TestContextOfAnother(t *testing.T) {
	c := Config{Path: t.TempDir() + "/trace.bin"}
	r := start(t, c)
	m := r.Method(r.Class("C"), "m", Type{})
	request := r.Thread("request")
	job := NewContext(context.Background(), request)
	request.End()
	done := make(chan struct{})
	r.Go(context.Background(), "worker", func(ctx context.Context) {
		defer close(done)
		defer FromContext(ctx).Call(m, 0, Null(), Int(1)).End()
		FromContext(job).Call(m, 0, Null(), Int(2)).End()
	})
	<-done
	done = make(chan struct{})
	go func() {
		defer close(done)
		t := FromContext(job)
		defer t.Call(m, 0, Null(), Int(3)).End()
		FromContext(NewContext(job, FromContext(job))).Call(m, 0, Null(), Int(4)).End()
	}()
	<-done
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	lines, names := threadTexts(t, c.Path)
	if len(names) != 2 || !slices.Equal(lines["worker"], []string{"C.m(1)", " C.m(2)"}) ||
		!slices.Equal(lines[names[1]], []string{"<from> = request", "C.m(3)", " C.m(4)"}) {
		t.Errorf("recorded %q", lines)
	}
	FromContext(job).Call(m, 0, Null()).End() // of a recording that has ended
}

// The number of a goroutine is the one that the runtime writes.
func TestGoroutine(t *testing.T) {
	t.Logf("asked: %v", canAsk())
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() {
			runtime.Gosched()
			if goroutine() != writtenGoroutine() {
				t.Error("a goroutine has another number")
			}
		})
	}
	group.Wait()
}

func BenchmarkContext(b *testing.B) {
	r := start(b, Config{create: toDiscard})
	th := r.Thread("main")
	ctx := NewContext(context.Background(), th)
	b.Run("NewContext", func(b *testing.B) {
		for b.Loop() {
			NewContext(ctx, th)
		}
	})
	b.Run("Own", func(b *testing.B) {
		for b.Loop() {
			Own(ctx)
		}
	})
}
