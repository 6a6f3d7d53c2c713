package bench

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"tracex/format"
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

// table returns the medians of all rounds.
func (b *bench) table() *Table {
	t := &Table{Run: newRun(len(b.cases[0].rounds)), Sizes: b.sizes}
	floors := make(map[int]float64)
	for _, c := range b.cases {
		row := c.row()
		if c.call == nil {
			floors[c.goroutines] = row.PerCall
			row.Ratio = 1
			t.Floor = append(t.Floor, row)
			continue
		}
		row.Ratio = row.PerCall / floors[c.goroutines]
		t.Rows = append(t.Rows, row)
	}
	return t
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

// packLevel is the compression level at which packed traces are measured.
const packLevel = 6

// size measures the size of a call. The longer the budget, the more calls, up to a
// million: names and headers count less among more calls.
func (b *bench) size(ctx context.Context, call *call) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	s := Size{Call: call.name, Calls: max(firstCalls, min(int(b.Budget.Seconds()*50_000), 1_000_000))}
	path := filepath.Join(b.Dir, "size.bin")
	rec, err := recorder.Start(recorder.Config{Path: path, Overwrite: true})
	if err != nil {
		return err
	}
	call.record(rec.Thread("main"), rec.Method(rec.Class("bench.Subject"), "call", recorder.Type{}), rec.Caller(0), s.Calls)
	if err := rec.Stop(); err != nil {
		return err
	}
	var in format.PackInput
	for suffix, to := range map[string]struct {
		r    *io.Reader
		size *float64
	}{"": {&in.Data, &s.Data}, format.IndexSuffix: {&in.Index, &s.Index}, format.TimesSuffix: {&in.Times, &s.Times}} {
		f, err := os.Open(path + suffix)
		if err != nil {
			return err
		}
		defer f.Close()
		st, err := f.Stat()
		if err != nil {
			return err
		}
		*to.r, *to.size = f, float64(st.Size())/float64(s.Calls)
	}
	packed := byteCount{ctx: ctx}
	if err := format.Pack(&packed, in, packLevel, nil); err != nil {
		return err
	}
	s.Packed = float64(packed.n) / float64(s.Calls)
	b.sizes = append(b.sizes, s)
	return nil
}

// byteCount is a writer that counts bytes until its context is done.
type byteCount struct {
	ctx context.Context
	n   int64
}

func (c *byteCount) Write(b []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	c.n += int64(len(b))
	return len(b), nil
}
