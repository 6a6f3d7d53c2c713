package calltrace_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/recorder/convert/calltrace"
)

// TestThread has one of everything.
func TestThread(t *testing.T) {
	for _, v := range versions {
		w := write(t, calltrace.Options{Version: v})
		anchor := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
		w.SetAnchor(anchor)
		main, idle := w.Thread("main"), w.Thread("idle")
		query := w.Method("Dao", "query")
		place := w.Place("dao.py", "caller", 12, []string{"id", "this", "$x"})
		three, seven, receiver := calltrace.Int(3), calltrace.Int(7), calltrace.Object(w.Class("app.Dao"), 9, nil)
		must(t, main.Begin(100, &calltrace.Call{Method: w.Method("", "start")}))
		must(t, main.Begin(200, &calltrace.Call{Method: query, Place: place, Args: []format.Value{three, calltrace.Bool(true), calltrace.Unquoted("a b")}}))
		must(t, main.Set("n", &three))
		must(t, main.End(1200, &calltrace.End{Result: &seven}))
		if main.Depth() != 1 {
			t.Errorf("%d calls are open", main.Depth())
		}
		must(t, main.Begin(1300, &calltrace.Call{Method: query, Receiver: &receiver}))
		must(t, main.Throw(&receiver, false))
		must(t, main.End(1400, &calltrace.End{Threw: "ValueError"}))
		must(t, main.Throw(&receiver, true))
		must(t, main.Begin(1500, &calltrace.Call{Method: query}))
		must(t, main.End(1501, &calltrace.End{Unknown: true}))
		main.SetName("renamed")
		must(t, main.Begin(1600, &calltrace.Call{Method: query}))
		must(t, idle.Close(1700))
		s := w.finish()
		if s.Threads != 1 || s.Events != 8 || s.Took != 1500 || len(s.LeftOut) != 0 {
			t.Errorf("%+v", s)
		}
		same(t, w.read().text(), lines(
			"thread renamed",
			"  start(): <unfinished method> @100+1500",
			"    Dao.query(id ➜ 3, _this ➜ true, x ➜ a b): 7 @200+1000",
			"      n = 3",
			"    Dao@9.query(): threw ValueError @1300+100",
			"      throw Dao@9",
			"    catch(Dao@9)",
			"    Dao.query(): <unfinished method> @1500+1",
			"    Dao.query(): <unfinished method> @1600+0",
		))
		if o := w.read().origin; o != 0 {
			t.Errorf("the times begin at %d", o)
		}
		opened, err := lazy.Open(w.path, lazy.Options{})
		if err != nil {
			t.Fatal(err)
		}
		must(t, opened.Close())
	}
}

// TestThreadFaults has events that make no sense.
func TestThreadFaults(t *testing.T) {
	w := write(t, calltrace.Options{})
	th, m := w.Thread("t"), w.Method("", "f")
	must(t, th.End(5, &calltrace.End{}))
	must(t, th.Begin(100, &calltrace.Call{Method: m}))
	must(t, th.Begin(90, &calltrace.Call{Method: m}))
	must(t, th.End(80, &calltrace.End{}))
	must(t, th.Close(120))
	must(t, th.Close(130))
	for _, err := range []error{th.Begin(130, &calltrace.Call{Method: m}), th.End(130, &calltrace.End{}), th.Set("x", new(format.Value))} {
		if err == nil {
			t.Error("a closed thread takes events")
		}
	}
	s := w.finish()
	if got := leftOut(s); got != "1 end without a begin; 2 times before those of the events before; moved to them" {
		t.Error(got)
	}
	same(t, w.read().text(), lines("thread t", "  f(): <unfinished method> @100+20", "    f() @100+0"))
	if w.Thread("late").Begin(1, &calltrace.Call{}) == nil || w.Track("late").Instant(1, &calltrace.Call{}) == nil {
		t.Error("a finished trace takes events")
	}
	if _, err := w.Finish(t.Context()); err == nil {
		t.Error("a trace was finished twice")
	}
}

// modelThread is a thread of the model: the lines of its text, and the lines of its open calls.
type modelThread struct {
	name  string
	lines []string
	open  []int
	start []int64
}

func (m *modelThread) end(ns int64, how string) {
	top := len(m.open) - 1
	m.lines[m.open[top]] += fmt.Sprintf("%s @%d+%d", how, m.start[top], ns-m.start[top])
	m.open, m.start = m.open[:top], m.start[:top]
}

// TestRandomThreads interleaves random events of threads. Some seeds have few threads, whose blocks become
// large enough to be written in between.
func TestRandomThreads(t *testing.T) {
	for seed := range int64(4) {
		r := rand.New(rand.NewSource(seed))
		w := write(t, calltrace.Options{Version: versions[seed%2]})
		threads, model, ns := []*calltrace.Thread{}, []*modelThread{}, int64(0)
		many, padding := 20, strings.Repeat("x", 100)
		if seed%3 == 0 {
			many, padding = 3, strings.Repeat("x", 15000)
		}
		for range 3000 {
			ns += int64(r.Intn(10))
			i := r.Intn(many)
			if i >= len(threads) {
				i = len(threads)
				m := &modelThread{name: fmt.Sprintf("thread %d", i)}
				threads, model = append(threads, w.Thread(m.name)), append(model, m)
				must(t, threads[i].Set("first", new(calltrace.Int(int64(i)))))
				m.lines = append(m.lines, fmt.Sprintf("  first = %d", i))
			}
			randomEvent(t, r, w, ns, threads[i], model[i], padding)
		}
		for i, m := range model {
			if r.Intn(2) == 0 {
				must(t, threads[i].Close(ns))
			}
			for len(m.open) > 0 {
				m.end(ns, ": <unfinished method>")
			}
		}
		var want strings.Builder
		for _, m := range model {
			fmt.Fprintf(&want, "thread %s\n%s", m.name, lines(m.lines...))
		}
		same(t, w.text(), want.String())
	}
}

// randomEvent adds an event to a thread and to its model.
func randomEvent(t *testing.T, r *rand.Rand, w *written, ns int64, th *calltrace.Thread, m *modelThread, padding string) {
	indent := strings.Repeat("  ", len(m.open)+1)
	switch k := r.Intn(10); {
	case k < 4:
		n, text := r.Int63n(1000), padding[:r.Intn(len(padding))]
		method := fmt.Sprintf("m%d", r.Intn(50))
		c := calltrace.Call{Method: w.Method("C", method), Args: []format.Value{calltrace.Int(n), calltrace.String(text)}}
		c.Place = w.Place("f", "", r.Intn(9), []string{fmt.Sprintf("a%d", n), "b"})
		must(t, th.Begin(ns, &c))
		m.open, m.start = append(m.open, len(m.lines)), append(m.start, ns)
		m.lines = append(m.lines, fmt.Sprintf("%sC.%s(a%d ➜ %d, b ➜ %q)", indent, method, n, n, text))
	case k < 8 && len(m.open) > 0:
		var e calltrace.End
		how := ""
		switch n := r.Int63n(50); {
		case n < 5:
			e.Threw, how = "E", ": threw E"
		case n < 10:
			e.Unknown, how = true, ": <unfinished method>"
		case n < 30:
			e.Result, how = new(calltrace.Int(n)), fmt.Sprintf(": %d", n)
		}
		must(t, th.End(ns, &e))
		m.end(ns, how)
	default:
		n := r.Int63n(100)
		name := fmt.Sprintf("v%d", n%7)
		must(t, th.Set(name, new(calltrace.Int(n))))
		m.lines = append(m.lines, fmt.Sprintf("%s%s = %d", indent, name, n))
	}
}
