package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"tracex/format"
	"tracex/recorder"
)

// benchSize is how many bytes a call takes on disk, averaged over a trace of
// some calls that one goroutine recorded.
type benchSize struct {
	Call   string  `json:"call"`
	Calls  int     `json:"calls"`
	Data   float64 `json:"data"`
	Index  float64 `json:"index"`
	Times  float64 `json:"times"`
	Packed float64 `json:"packed"` // all three, after pack --level 6
}

// benchSizeLevel is the compression at which packed traces are measured.
const benchSizeLevel = 6

// size measures the size of a call. The longer the budget, the more calls, up to
// a million; names and headers count less among more.
func (b *bench) size(ctx context.Context, call *benchCall) error {
	s := benchSize{Call: call.name, Calls: max(firstCalls, min(int(b.budget.Seconds()*50_000), 1_000_000))}
	path := filepath.Join(b.dir, "size.bin")
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
	}{"": {&in.Data, &s.Data}, ".idx": {&in.Index, &s.Index}, ".tim": {&in.Times, &s.Times}} {
		f, err := os.Open(path + suffix)
		if err != nil {
			return err
		}
		defer f.Close()
		*to.r, *to.size = f, float64(sizeOf(f))/float64(s.Calls)
	}
	var packed sizeOnly
	if err := format.Pack(&untilDone{ctx, &packed}, in, benchSizeLevel, nil); err != nil {
		return err
	}
	s.Packed = float64(packed) / float64(s.Calls)
	b.sizes = append(b.sizes, s)
	return nil
}

// sizeOnly is a writer that counts.
type sizeOnly int64

func (n *sizeOnly) Write(b []byte) (int, error) {
	*n += sizeOnly(len(b))
	return len(b), nil
}

// benchTable is what bench record tells. The names in JSON are for programs:
// they stay.
type benchTable struct {
	System string      `json:"system"`
	CPUs   int         `json:"cpus"`
	Go     string      `json:"go"`
	Rounds int         `json:"rounds"`
	Floor  []benchRow  `json:"append_40_bytes"`
	Rows   []benchRow  `json:"record"`
	Sizes  []benchSize `json:"bytes_per_call"`
}

// benchRow is a case of the table: medians of its rounds.
type benchRow struct {
	Call       string  `json:"call,omitempty"`
	Strategy   string  `json:"strategy,omitempty"`
	Goroutines int     `json:"goroutines"`
	PerCall    float64 `json:"ns_per_call"` // of all goroutines together
	Ratio      float64 `json:"ratio"`       // to the append on as many goroutines
	Allocs     float64 `json:"allocs_per_call"`
	Disk       float64 `json:"mb_per_second,omitempty"` // millions of bytes
	Bytes      float64 `json:"bytes_per_call,omitempty"`
	Lost       float64 `json:"lost"` // share of the calls, 0 to 1
}

// results are the medians of all rounds.
func (b *bench) results() *benchTable {
	t := &benchTable{System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0), Go: runtime.Version(), Sizes: b.sizes}
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

func (c *benchCase) row() benchRow {
	row := benchRow{Goroutines: c.goroutines,
		PerCall: medianOf(c.rounds, func(r benchRound) float64 { return r.perCall() }),
		Allocs:  medianOf(c.rounds, func(r benchRound) float64 { return float64(r.allocs) / float64(r.calls) }),
	}
	if c.call != nil {
		row.Call, row.Strategy = c.call.name, c.strategy.name
		row.Disk = medianOf(c.rounds, func(r benchRound) float64 { return float64(r.bytes) / 1e6 / r.writing.Seconds() })
		row.Bytes = medianOf(c.rounds, func(r benchRound) float64 { return float64(r.bytes) / float64(r.calls) })
		row.Lost = medianOf(c.rounds, func(r benchRound) float64 { return float64(r.lost) / float64(r.calls) })
	}
	return row
}

// medianOf is the median of a figure; that of an even number of rounds is the
// upper of both in the middle.
func medianOf(rounds []benchRound, figure func(benchRound) float64) float64 {
	all := make([]float64, len(rounds))
	for i, r := range rounds {
		all[i] = figure(r)
	}
	slices.SortFunc(all, cmp.Compare[float64])
	return all[len(all)/2]
}

// write tells the results to a person, in lines of less than 80 characters.
func (t *benchTable) write(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s, %d CPUs, %s; medians of %d rounds\n\n", t.System, t.CPUs, t.Go, t.Rounds)
	fmt.Fprintf(&out, "%-37s%9s%9s%8s%7s%8s\n", "", "ns a call", "x append", "allocs", "MB/s", "lost")
	fmt.Fprintln(&out, "append of 40 bytes")
	for _, row := range t.Floor {
		fmt.Fprintf(&out, "  %-35s%s\n", row.goroutines(), row.figures())
	}
	call := ""
	for _, row := range t.Rows {
		if row.Call != call {
			call = row.Call
			fmt.Fprintln(&out, call)
		}
		disk := ""
		if row.Disk > 0 { // else it is not known
			disk = fmt.Sprintf("%.0f", row.Disk)
		}
		fmt.Fprintf(&out, "  %-35s%s%7s%7.1f%%\n", row.Strategy+", "+row.goroutines(), row.figures(), disk, 100*row.Lost)
	}
	fmt.Fprintf(&out, "\n%-37s%9s%9s%8s%7s%8s\n", "bytes a call, of "+grouped(int64(t.Sizes[0].Calls)), "data", "index", "times", "all", "packed")
	for _, s := range t.Sizes {
		fmt.Fprintf(&out, "  %-35s%9.1f%9.1f%8.1f%7.1f%8.1f\n", s.Call, s.Data, s.Index, s.Times, s.Data+s.Index+s.Times, s.Packed)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (r *benchRow) goroutines() string {
	if r.Goroutines == 1 {
		return "1 goroutine"
	}
	return fmt.Sprintf("%d goroutines", r.Goroutines)
}

func (r *benchRow) figures() string {
	return fmt.Sprintf("%9.1f%9.1f%8.3f", r.PerCall, r.Ratio, r.Allocs)
}
