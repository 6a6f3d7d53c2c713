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
	result, err := c.Write(t.Context(), tracefile.Files{Data: &data, Index: &index, Times: &times})
	if err != nil {
		t.Fatal(err)
	}
	return &written{data: data.Bytes(), index: index.Bytes(), times: times.Bytes(), result: result, origin: c.sink.first}, readErr
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
