package bench

import (
	"cmp"
	"runtime"
	"slices"
	"time"

	"tracex/recorder"
)

// Table is the result of [Record]. Programs rely on the names in JSON: never change one.
type Table struct {
	Run
	Floor []Measurement `json:"append_40_bytes"`
	Rows  []Measurement `json:"record"`
	Sizes []Size        `json:"bytes_per_call"`
}

// Run says where results were measured, and how often.
type Run struct {
	System string `json:"system"`
	CPUs   int    `json:"cpus"`
	Go     string `json:"go"`
	Rounds int    `json:"rounds"`
}

func newRun(rounds int) Run {
	return Run{runtime.GOOS + "/" + runtime.GOARCH, runtime.GOMAXPROCS(0), runtime.Version(), rounds}
}

// Measurement is the result of one case: the medians of its rounds.
type Measurement struct {
	Call       string  `json:"call,omitempty"`
	Strategy   string  `json:"strategy,omitempty"`
	Goroutines int     `json:"goroutines"`
	PerCall    float64 `json:"ns_per_call"` // of all goroutines together
	Ratio      float64 `json:"ratio"`       // to the append with the same number of goroutines
	Allocs     float64 `json:"allocs_per_call"`
	Disk       float64 `json:"mb_per_second,omitempty"` // millions of bytes
	Bytes      float64 `json:"bytes_per_call,omitempty"`
	Lost       float64 `json:"lost"` // share of the calls, 0 to 1
}

func (c *testCase) row() Measurement {
	row := Measurement{Goroutines: c.goroutines,
		PerCall: medianOf(c.rounds, func(r round) float64 { return r.perCall() }),
		Allocs:  medianOf(c.rounds, func(r round) float64 { return float64(r.allocs) / float64(r.calls) }),
	}
	if c.call != nil {
		row.Call, row.Strategy = c.call.name, c.strategy.name
		row.Disk = medianOf(c.rounds, func(r round) float64 { return float64(r.bytes) / 1e6 / r.writing.Seconds() })
		row.Bytes = medianOf(c.rounds, func(r round) float64 { return float64(r.bytes) / float64(r.calls) })
		row.Lost = medianOf(c.rounds, func(r round) float64 { return float64(r.lost) / float64(r.calls) })
	}
	return row
}

// medianOf returns the median of a figure; for an even number of rounds, the upper of the middle two.
func medianOf[T any](rounds []T, figure func(T) float64) float64 {
	all := make([]float64, len(rounds))
	for i, r := range rounds {
		all[i] = figure(r)
	}
	slices.SortFunc(all, cmp.Compare[float64])
	return all[len(all)/2]
}

// Size is the bytes that a call takes on disk, averaged over a trace recorded by one
// goroutine.
type Size struct {
	Call   string  `json:"call"`
	Calls  int     `json:"calls"`
	Data   float64 `json:"data"`
	Index  float64 `json:"index"`
	Times  float64 `json:"times"`
	Packed float64 `json:"packed"` // all three files, after pack --level 6
}

// call is a call that is recorded repeatedly. record does it n times, using only the public
// functions of the recorder.
type call struct {
	name   string
	as     string // the call with the same size in a file; "" to measure it
	record func(t *recorder.Thread, m recorder.Method, at recorder.Location, n int)
}

var calls = []call{
	{"no arguments", "", func(t *recorder.Thread, m recorder.Method, at recorder.Location, n int) {
		for range n {
			t.Enter(m, at, recorder.Null())
			t.Exit(recorder.Void())
		}
	}},
	{"two ints and a string", "", func(t *recorder.Thread, m recorder.Method, at recorder.Location, n int) {
		for i := range n {
			t.Enter(m, at, recorder.Null(), recorder.Int(i), recorder.Int(56789), recorder.String("a string of some length"))
			t.Exit(recorder.Int(42))
		}
	}},
	{"no arguments, defer Call(…).End()", "no arguments", func(t *recorder.Thread, m recorder.Method, at recorder.Location, n int) {
		for range n {
			function0(t, m, at)
		}
	}},
	{"two ints and a string, defer Call(…).End(&result)", "two ints and a string", func(t *recorder.Thread, m recorder.Method, at recorder.Location, n int) {
		for i := range n {
			function2(t, m, at, i, 56789, "a string of some length")
		}
	}},
}

// function0 and function2 record themselves as a program's functions do.

func function0(t *recorder.Thread, m recorder.Method, at recorder.Location) {
	defer t.Call(m, at, recorder.Null()).End()
}

func function2(t *recorder.Thread, m recorder.Method, at recorder.Location, a, b int, s string) (result int) {
	defer t.Call(m, at, recorder.Null(), recorder.Int(a), recorder.Int(b), recorder.String(s)).End(&result)
	return 42
}

// strategy is a way to record; its config has neither path nor producer.
type strategy struct {
	name   string
	config recorder.Config
	most   int  // calls in a round, since they stay in memory; 0 for any number
	usual  bool // the default: all calls are measured with it
}

var strategies = []strategy{
	{"streaming, stall", recorder.Config{}, 0, true},
	{"streaming, drop", recorder.Config{OnFull: recorder.Drop}, 0, false},
	{"collect-and-dump", recorder.Config{Strategy: recorder.CollectAndDump, MaxMemory: 1 << 30}, 1_000_000, false},
	{"shared memory, stall", recorder.Config{Strategy: recorder.SharedMemory}, 0, true},
	{"shared memory, drop", recorder.Config{Strategy: recorder.SharedMemory, OnFull: recorder.Drop}, 0, false},
	{"track events", recorder.Config{Strategy: recorder.SharedMemory, TrackEvents: true}, 0, false},
}

var goroutines = []int{1, 2, 16}

// testCase is a row of the table: a call recorded with a strategy on some
// goroutines, or the floor, which appends 40 bytes to a buffer for each call.
type testCase struct {
	call       *call // nil for the floor
	strategy   *strategy
	goroutines int

	calls  int // of the next round
	rounds []round
}

// round is the result of one round of a case.
type round struct {
	calls   int
	took    time.Duration // from the first call to the end of the last
	writing time.Duration // how long the recorder wrote, including the end of the files
	bytes   int64         // in the files, or in packets
	lost    int64         // calls that were dropped
	allocs  uint64
}

// perCall returns the nanoseconds per call, over all goroutines together.
func (r *round) perCall() float64 { return float64(r.took) / float64(r.calls) }
