package lazy

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"tracex/format/formattest"
	"tracex/recorder"
)

// TestTimeline: the numbers of Lincheck are one order, those of the recorder of this module are not.
func TestTimeline(t *testing.T) {
	for _, name := range []string{"threads.stream.bin", "threads.dump.bin", "threads.v27.stream.bin", "kotlin.stream.bin", "kotlin.v27.stream.bin",
		"blocks.stream.bin", "crash.stream.bin", "gson.stream.bin"} {
		r := waited(t, formattest.Unpack(t, name))
		if got, err := TimelineOf(t.Context(), r); got != TimelineEvents || err != nil {
			t.Errorf("%s: %d, %v", name, got, err)
		}
	}
	for _, noTimes := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "trace.bin")
		p := startProgram(t, recorder.Config{Path: path, NoTimes: noTimes}, 5)
		p.run(4000, rand.New(rand.NewPCG(1, 2)))
		p.end()
		if err := p.rec.Stop(); err != nil {
			t.Fatal(err)
		}
		want := TimelineTimes
		if noTimes {
			want = TimelineNone
		}
		r := waited(t, path)
		if got, err := TimelineOf(t.Context(), r); got != want || err != nil {
			t.Errorf("without times %v: %d, %v", noTimes, got, err)
		}
	}
}

func waited(t *testing.T, path string) *LazyTraceReader {
	t.Helper()
	r := open(t, path, Options{NoWrite: true})
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReach: all points before the offset have smaller keys, and with numbers all others do not.
func TestReach(t *testing.T) {
	for _, spec := range []formattest.Spec{
		{Shape: formattest.Random, N: 900, Seed: 1, Options: formattest.Options{BlockSize: 2000}},
		{Shape: formattest.Calls, N: 900, Seed: 2, Timed: true, Threads: 3, Options: formattest.Options{BlockSize: 2000}},
		{Shape: formattest.Goroutines, N: 300, Seed: 3, Timed: true},
		{Shape: formattest.Random, N: 900, Seed: 7, Timed: true, Crash: formattest.CrashPartial, Options: formattest.Options{BlockSize: 4096}},
	} {
		r := waited(t, formattest.File(t, spec))
		timelines := []Timeline{TimelineEvents}
		if spec.Timed {
			timelines = append(timelines, TimelineTimes)
		}
		for _, timeline := range timelines {
			c := &keysOf{timeline: timeline}
			if err := r.Pass(t.Context(), Pass{Raw: true, Collect: []Collector{c}}); err != nil {
				t.Fatal(err)
			}
			spans, err := timeline.Spans(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			within := func(thread int32, key int64) bool {
				for _, s := range spans {
					if s.Thread == thread && s.First <= key && key <= s.Last {
						return true
					}
				}
				return false
			}
			random := rand.New(rand.NewPCG(1, 2))
			for thread, list := range c.keys {
				for _, k := range list {
					if !within(thread, k.key) {
						t.Fatalf("%s: no span of thread %d has %d", spec.Name(), thread, k.key)
					}
				}
				for range 1 + 300/len(c.keys) {
					key := list[random.IntN(len(list))].key + random.Int64N(3) - 1
					at, err := timeline.Reach(t.Context(), r, thread, key)
					if err != nil {
						t.Fatal(err)
					}
					for _, k := range list {
						if k.at < at && k.key >= key || k.at >= at && k.key < key && timeline == TimelineEvents {
							t.Fatalf("%s: thread %d reaches %d at %d; %d is at %d", spec.Name(), thread, key, at, k.key, k.at)
						}
					}
				}
			}
		}
	}
}

// keysOf collects the keys of the points of each thread. It is a Collector and its visitor.
type keysOf struct {
	timeline Timeline
	keys     map[int32][]keyAt
}

type keyAt struct{ at, key int64 }

func (c *keysOf) Visitor() Visitor         { return &keysOf{timeline: c.timeline, keys: map[int32][]keyAt{}} }
func (c *keysOf) Reset()                   { c.keys = map[int32][]keyAt{} }
func (c *keysOf) Begin(int32, []PassFrame) {}
func (c *keysOf) Exit(*PassPoint)          {}
func (c *keysOf) Enter(p *PassPoint)       { c.Leaf(p) }
func (c *keysOf) Merge(v Visitor) error {
	for thread, list := range v.(*keysOf).keys {
		c.keys[thread] = append(c.keys[thread], list...)
	}
	return nil
}

func (c *keysOf) Leaf(p *PassPoint) {
	key := int64(p.Event)
	if c.timeline == TimelineTimes {
		key, _, _ = p.When()
	}
	c.keys[p.Thread] = append(c.keys[p.Thread], keyAt{p.At, key})
}

// TestTimelineOfGoroutines: numbers that were given when a recording was converted tell no order, however near they are.
func TestTimelineOfGoroutines(t *testing.T) {
	for name, want := range map[string]Timeline{"worker": TimelineEvents, "goroutine 18 main.work ← 1 main.main main.go:7": TimelineNone, "shop › goroutine 18 main.work": TimelineNone} {
		w := formattest.NewBuilder(t)
		m := w.Method("main", "work", formattest.IntType)
		w.Name("main")
		w.Call(-1, m, nil)
		w.Thread(1)
		w.Name(name)
		w.Call(-1, m, nil)
		got, err := TimelineOf(t.Context(), ready(t, w.File(), Options{NoWrite: true}))
		if err != nil || got != want {
			t.Errorf("%s: %v, not %v; %v", name, got, want, err)
		}
	}
}
