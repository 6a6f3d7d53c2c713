package gotrace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	rtrace "runtime/trace"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/exp/trace"

	names "tracex/lazy/query/goroutines"
	"tracex/recorder/convert/readback"
)

// recorded records what f does.
func recorded(t testing.TB, f func()) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := rtrace.Start(&b); err != nil {
		t.Skip("the test itself is being traced: ", err)
	}
	f()
	rtrace.Stop()
	return b.Bytes()
}

// busy does a bit of everything that a trace shows.
func busy(t testing.TB) {
	file := filepath.Join(t.TempDir(), "file")
	ctx, order := rtrace.NewTask(context.Background(), "order")
	defer order.End()
	var wg sync.WaitGroup
	var mu sync.Mutex
	jobs, results := make(chan int), make(chan int)
	for n := range 3 {
		wg.Go(func() {
			for job := range jobs {
				ctx, task := rtrace.NewTask(ctx, "job "+strconv.Itoa(n))
				rtrace.WithRegion(ctx, "outer", func() {
					defer rtrace.StartRegion(context.Background(), "inner").End()
					rtrace.Logf(ctx, "job", "%d", job)
					mu.Lock()
					if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
						t.Error(err)
					}
					runtime.Gosched()
					mu.Unlock()
					results <- job
				})
				task.End()
			}
		})
	}
	go func() {
		for job := range 20 {
			select {
			case jobs <- job:
			case <-ctx.Done():
			}
		}
		close(jobs)
		wg.Wait()
		close(results)
	}()
	region := rtrace.StartRegion(ctx, "sum")
	sum := 0
	for n := range results {
		sum += n
	}
	region.End()
	next, stop := iter.Pull(slices.Values([]int{1, 2}))
	_, _ = next()
	stop()
	runtime.GC()
	if sum != 190 {
		t.Errorf("sum %d", sum)
	}
}

// step is the begin or the end of something, or an instant, in a goroutine or a task.
type step struct {
	ns   int64
	text string
}

func (s step) String() string { return fmt.Sprintf("%d %s", s.ns, s.text) }

// plainReader reads a trace with package trace, in a way that is as simple as can be, and with no nesting:
// a list of steps for each goroutine, and each task.
type plainReader struct {
	origin     trace.Time
	goroutines map[int64][]step
	tasks      map[uint64][]step
	states     map[int64]string // that has begun
	makers     map[int64]int64  // of goroutines
}

var stateTexts = map[trace.GoState]string{trace.GoRunnable: "waiting", trace.GoWaiting: "blocked", trace.GoSyscall: "syscall"}

func readPlainly(t testing.TB, b []byte) *plainReader {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	p := &plainReader{origin: -1, goroutines: map[int64][]step{}, tasks: map[uint64][]step{}, states: map[int64]string{},
		makers: map[int64]int64{}}
	for {
		e, err := r.ReadEvent()
		if err == io.EOF {
			return p
		}
		if err != nil {
			t.Fatal(err)
		}
		if p.origin < 0 {
			p.origin = e.Time()
		}
		p.event(&e)
	}
}

func (p *plainReader) event(e *trace.Event) {
	ns, g := int64(e.Time()-p.origin), int64(e.Goroutine())
	add := func(g int64, text string) { p.goroutines[g] = append(p.goroutines[g], step{ns, text}) }
	switch e.Kind() {
	case trace.EventRegionBegin:
		add(g, fmt.Sprintf("begin %s of %d", e.Region().Type, e.Region().Task))
	case trace.EventRegionEnd:
		add(g, "end "+e.Region().Type)
	case trace.EventLog:
		add(g, fmt.Sprintf("log %s %s", e.Log().Category, e.Log().Message))
	case trace.EventRangeBegin, trace.EventRangeEnd:
		if e.Range().Scope.Kind != trace.ResourceNone && g >= 0 {
			add(g, map[trace.EventKind]string{trace.EventRangeBegin: "begin ", trace.EventRangeEnd: "end "}[e.Kind()]+e.Range().Name)
		}
	case trace.EventTaskBegin:
		k := e.Task()
		p.tasks[uint64(k.ID)] = append(p.tasks[uint64(k.ID)], step{ns, fmt.Sprintf("begin %s below %d", k.Type, int64(k.Parent))})
	case trace.EventTaskEnd:
		k := e.Task()
		p.tasks[uint64(k.ID)] = append(p.tasks[uint64(k.ID)], step{ns, "end " + k.Type})
	case trace.EventStateTransition:
		s := e.StateTransition()
		if s.Resource.Kind != trace.ResourceGoroutine {
			return
		}
		id := int64(s.Resource.Goroutine())
		from, to := s.Goroutine()
		if from == trace.GoNotExist && g >= 0 {
			add(g, fmt.Sprintf("go %d", id))
			p.makers[id] = g
		}
		if from == trace.GoUndetermined {
			ns = 0
		}
		if from == to {
			return
		}
		if text := p.states[id]; text != "" {
			add(id, "end "+text)
		}
		if p.states[id] = stateTexts[to]; p.states[id] != "" {
			add(id, "begin "+p.states[id])
		}
	}
}

// stepsOf returns the same of a converted thread, in the order of its tree.
func stepsOf(th *readback.Thread) (steps []step) {
	var walk func(list []*readback.Point)
	walk = func(list []*readback.Point) {
		for _, p := range list {
			name, ends := p.Name, true
			switch {
			case p.Variable:
				continue
			case strings.HasPrefix(name, "go "):
				id, _, _ := names.Made(p.Result.Text)
				steps = append(steps, step{p.Start, fmt.Sprintf("go %d", id)})
				ends = false
			case name == "log":
				steps = append(steps, step{p.Start, "log " + p.Args[0].Text + " " + p.Args[1].Text})
				ends = false
			case name == "waiting to run":
				name = "waiting"
			case strings.HasPrefix(name, "blocked"):
				name = "blocked"
			case strings.HasPrefix(name, "system call"):
				name = "syscall"
			}
			if !ends {
				continue
			}
			begin := "begin " + name
			if slices.Contains([]string{"outer", "inner", "sum"}, name) {
				begin += " of " + cmpOr(p.Arg("task"), "0")
			}
			steps = append(steps, step{p.Start, begin})
			walk(p.Children)
			if !p.Unfinished {
				steps = append(steps, step{p.Start + p.Dur, "end " + name})
			}
		}
	}
	for _, root := range th.Roots {
		walk(root.Children)
	}
	return steps
}

func cmpOr(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// TestLive records what this program does, and compares the converted trace with what package trace reads:
// everything that is in goroutines, in order, with its times; and the tasks.
func TestLive(t *testing.T) {
	data := recorded(t, func() { busy(t) })
	got, _, fault := converted(t, data)
	if fault != nil {
		t.Fatal(fault)
	}
	want := readPlainly(t, data)
	goroutines, tasks := 0, 0
	for _, th := range got.Threads {
		if id, ok := goroutineOf(th.Name); ok {
			goroutines++
			// The explorer shows which goroutine started which by these names.
			if n, ok := names.Parse(th.Name); !ok || n.Number != id || n.Parent != want.makers[id] || n.Start == "" && n.Parent != 0 {
				t.Errorf("%q is read as %+v, want the parent %d", th.Name, n, want.makers[id])
			}
			compareSteps(t, th.Name, stepsOf(th), want.goroutines[id])
			continue
		}
		if !strings.HasPrefix(th.Name, "task ") {
			continue
		}
		tasks++
		p := th.Roots[0]
		id, _ := strconv.ParseUint(p.Arg("id"), 10, 64)
		parent := p.Arg("parent")
		if parent = parent[strings.LastIndexByte(parent, ' ')+1:]; parent == "" {
			parent = "-1"
		}
		steps := []step{{p.Start, "begin " + p.Name + " below " + parent}}
		if !p.Unfinished {
			steps = append(steps, step{p.Start + p.Dur, "end " + p.Name})
		}
		compareSteps(t, th.Name, steps, want.tasks[id])
	}
	if tasks != len(want.tasks) || tasks != 21 {
		t.Errorf("%d tasks, want %d", tasks, len(want.tasks))
	}
	for id := range want.goroutines {
		if len(want.goroutines[id]) > 0 {
			goroutines--
		}
	}
	if goroutines < 0 {
		t.Errorf("%d goroutines are missing", -goroutines)
	}
}

// goroutineOf returns the number of the goroutine of a thread.
func goroutineOf(name string) (id int64, ok bool) {
	if name == "main" {
		return 1, true
	}
	name, ok = strings.CutPrefix(name, "goroutine ")
	if !ok {
		return 0, false
	}
	name, _, _ = strings.Cut(name, " ")
	id, err := strconv.ParseInt(name, 10, 64)
	return id, err == nil
}

func compareSteps(t *testing.T, name string, got, want []step) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i].String()
		}
		if i < len(want) {
			w = want[i].String()
		}
		if g != w {
			t.Errorf("%s: step %d of %d is %s, want %s", name, i, len(want), g, w)
			return
		}
	}
}

// TestForgotten converts a trace of many goroutines and tasks, of which few are there at once: no others
// are in memory.
func TestForgotten(t *testing.T) {
	const many = 2000
	data := recorded(t, func() {
		for range many {
			ctx, task := rtrace.NewTask(context.Background(), "task")
			done := make(chan int)
			go func() {
				defer close(done)
				defer rtrace.StartRegion(ctx, "region").End()
			}()
			<-done
			task.End()
		}
	})
	w := discarding()
	defer w.Discard()
	minor, head, err := readHeader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(bytes.NewReader(data[headSize:]), minor, head, w)
	c := newConverter(r, "", w)
	seen, most := 0, 0
	for err = r.next(); err == nil; err = r.next() {
		if err := c.event(&r.last); err != nil {
			t.Fatal(err)
		}
		if r.last.kind == trace.EventTaskBegin {
			seen++
		}
		most = max(most, len(c.goroutines)+len(c.tasks))
	}
	if err != io.EOF || seen != many || most > many/10 {
		t.Errorf("%v after %d tasks; %d goroutines and tasks at once", err, seen, most)
	}
}

// TestFlightRecorder converts what the flight recorder has: a trace that begins in the middle of the program.
func TestFlightRecorder(t *testing.T) {
	f := rtrace.NewFlightRecorder(rtrace.FlightRecorderConfig{})
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	defer f.Stop()
	busy(t)
	var b bytes.Buffer
	if _, err := f.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	got, _, fault := converted(t, b.Bytes())
	if fault != nil {
		t.Fatal(fault)
	}
	want := readPlainly(t, b.Bytes())
	for _, th := range got.Threads {
		if id, ok := goroutineOf(th.Name); ok {
			compareSteps(t, th.Name, stepsOf(th), want.goroutines[id])
		}
	}
	if got.Anchor.Year() < 2020 || len(want.tasks) != 21 {
		t.Errorf("%d tasks since %v", len(want.tasks), got.Anchor)
	}
}
