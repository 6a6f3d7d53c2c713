package bench

import (
	"cmp"
	"runtime"
	"slices"
)

// Table is the result of [Record]. Programs rely on the names in JSON: never change one.
type Table struct {
	System string        `json:"system"`
	CPUs   int           `json:"cpus"`
	Go     string        `json:"go"`
	Rounds int           `json:"rounds"`
	Floor  []Measurement `json:"append_40_bytes"`
	Rows   []Measurement `json:"record"`
	Sizes  []Size        `json:"bytes_per_call"`
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
	t := &Table{System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0), Go: runtime.Version(), Sizes: b.sizes}
	floors := make(map[int]float64)
	for _, c := range b.cases {
		t.Rounds = len(c.rounds)
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
