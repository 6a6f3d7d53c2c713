package perfetto

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/tracefile"
)

// slice is a slice in a form that is the same for trace_processor's and ours:
// numbers of its own tables are replaced by the values.
type slice struct {
	thread         string // tid and name; "" for a track without a thread
	depth          int
	start, dur     int64 // ns; -1 if it did not end
	name, category string
	args           string
	parent         string // name and start of the slice around it
	id             int32  // of our thread, for slices that were read back
}

func (s slice) String() string {
	return fmt.Sprintf("%s|%d|%d|%d|%s|%s|%s|in %s", s.thread, s.depth, s.start, s.dur, s.name, s.category, s.args, s.parent)
}

const null = "[NULL]"

// expectedSlices reads the slices that trace_processor found.
func expectedSlices(t *testing.T, table []byte) (all []slice) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	byID := make(map[string]slice)
	for _, r := range rows[1:] {
		s := slice{name: r[5], category: r[6], args: sortedArgs(r[9])}
		if r[7] != null {
			s.thread = r[7] + " " + r[8]
		}
		s.depth, s.start, s.dur = number[int](t, r[2]), number[int64](t, r[3]), number[int64](t, r[4])
		if up, ok := byID[r[1]]; ok {
			s.parent = fmt.Sprintf("%s %d", up.name, up.start)
		} else if r[1] != null {
			t.Fatalf("slice %s stands before its parent %s", r[0], r[1])
		}
		byID[r[0]] = s
		all = append(all, s)
	}
	return all
}

func number[T int | int64](t *testing.T, text string) T {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return T(n)
}

func sortedArgs(text string) string {
	if text == null {
		return ""
	}
	parts := strings.Split(text, ";")
	slices.Sort(parts)
	return strings.Join(parts, ";")
}

// written is a written trace, and its input.
type written struct {
	data, index, times []byte
	result             *Result
	origin             int64
	before             []slice // the slices before they were written
}

// convertBytes converts a trace in memory.
func convertBytes(t testing.TB, trace []byte, o Options) (*written, error) {
	t.Helper()
	if o.Memory > 0 {
		o.TempDir = t.TempDir()
	}
	c := New(o)
	defer c.Close()
	readErr := c.Read(t.Context(), bytes.NewReader(trace))
	var data, index, times bytes.Buffer
	seen := &slicesSeen{c: c, open: make(map[*thread][]int)}
	result, err := c.write(t.Context(), tracefile.Files{Data: &data, Index: &index, Times: &times}, seen)
	if err != nil {
		t.Fatal(err)
	}
	w := &written{data: data.Bytes(), index: index.Bytes(), times: times.Bytes(), result: result, origin: c.sink.first}
	w.before = seen.resolve(t, w)
	return w, readErr
}

// slicesSeen collects slices as they are written.
type slicesSeen struct {
	c       *Converter
	all     []slice
	threads []int32
	methods []int32
	places  []int32 // -1 if none
	values  [][]byte
	open    map[*thread][]int
}

func (s *slicesSeen) began(t *thread, _ int32, r *record) {
	now := slice{depth: len(s.open[t]), start: t.stack[len(t.stack)-1].start, dur: -1}
	place := int32(-1)
	if r.place {
		place = r.location
	}
	s.open[t] = append(s.open[t], len(s.all))
	s.all = append(s.all, now)
	s.threads = append(s.threads, t.Thread)
	s.methods, s.places = append(s.methods, r.method), append(s.places, place)
	s.values = append(s.values, bytes.Clone(r.values))
}

func (s *slicesSeen) ended(t *thread, o *open, end int64) {
	stack := s.open[t]
	last := stack[len(stack)-1]
	if s.open[t] = stack[:len(stack)-1]; o.duration >= 0 {
		s.all[last].dur = end - o.start
	}
}

// resolve sets the names of the slices, from the written trace.
func (s *slicesSeen) resolve(t testing.TB, w *written) []slice {
	ctx := contextOf(t, w.data)
	var parents []int
	last := make(map[int32][]int)
	for i := range s.all {
		id := s.threads[i]
		parents = append(last[id][:min(s.all[i].depth, len(last[id]))], i)
		last[id] = parents
		d := describer{t, ctx, w.result.Threads[id]}
		d.describe(&s.all[i], s.methods[i], s.places[i], d.values(s.values[i]))
		if n := len(parents); n > 1 {
			up := s.all[parents[n-2]]
			s.all[i].parent = fmt.Sprintf("%s %d", up.name, up.start)
		}
	}
	return s.all
}

// compareSlices expects the same slices, in any order.
func compareSlices(t *testing.T, got, want []slice) {
	t.Helper()
	for _, list := range [][]slice{got, want} {
		slices.SortFunc(list, func(a, b slice) int {
			if a.start != b.start {
				return cmp.Compare(a.start, b.start)
			}
			return cmp.Compare(a.String(), b.String())
		})
	}
	bad := 0
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if g.id, w.id = 0, 0; g != w {
			t.Errorf("slice %d:\n got %.300s\nwant %.300s", i, g, w)
			if bad++; bad == 5 {
				break
			}
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d slices, want %d", len(got), len(want))
	}
}

// versionIn returns the version of a data file.
func versionIn(t testing.TB, data []byte) format.Version {
	t.Helper()
	v, err := format.CheckDataHeader(data)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func contextOf(t testing.TB, data []byte) *format.Context {
	ctx := format.NewContext(versionIn(t, data))
	s := format.NewBytesScanner(data)
	for s.Next() {
		if o := s.Object(); o.Kind.Reference() {
			if _, _, err := ctx.Add(o.Bytes); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return ctx
}
