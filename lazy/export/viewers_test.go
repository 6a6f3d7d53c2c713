package export

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
	"tracex/lazy"
	"tracex/lazy/query"
)

// shownPoint is a point of a tree, as JSON lines tell of it.
type shownPoint struct {
	Kind          string
	Event, Thread int
	Depth         int
	Start         *int64
	Duration      *int64
	Text          string
}

func (p *shownPoint) container() bool {
	return p.Kind == "call" || p.Kind == "loop" || p.Kind == "loop iteration"
}

func (p *shownPoint) read() bool { return strings.HasSuffix(p.Kind, " read") }

// tree returns the points of a job, but reads, in order, by thread.
func tree(t *testing.T, j *Job) map[int][]shownPoint {
	t.Helper()
	all := map[int][]shownPoint{}
	for line := range strings.Lines(string(written(t, j, "jsonl"))) {
		var p shownPoint
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		if p.Kind != "trace" && p.Kind != "thread" && !p.read() {
			all[p.Thread] = append(all[p.Thread], p)
		}
	}
	j.Reads = false // see linesFormat
	return all
}

// drawn is a slice or an instant as a viewer gets it.
type drawn struct {
	name       string
	begin, end int64
	slice      bool
	depth      int
}

// compareDrawn compares what a viewer gets with the tree: the same points in the same order, at the same
// depth, and, where the tree has times, at the same time. What is in something else is within its time.
func compareDrawn(t *testing.T, got map[int][]drawn, want map[int][]shownPoint) {
	t.Helper()
	for thread, points := range want {
		list := got[thread]
		if len(list) != len(points) {
			t.Fatalf("thread %d has %d slices and instants, want %d", thread, len(list), len(points))
		}
		var open []drawn
		for i := range points {
			p, d := &points[i], &list[i]
			if d.slice != p.container() || d.depth >= 0 && d.depth != p.Depth {
				t.Fatalf("thread %d, %d: %+v, want %+v", thread, i, *d, *p)
			}
			if p.Start != nil && p.Duration != nil && (d.begin != *p.Start || d.end != *p.Start+*p.Duration) {
				t.Fatalf("thread %d, %d: from %d to %d, want from %d to %d: %s", thread, i, d.begin, d.end, *p.Start, *p.Start+*p.Duration, p.Text)
			}
			open = open[:p.Depth]
			if p.Depth > 0 && (d.begin < open[p.Depth-1].begin || d.end > open[p.Depth-1].end) {
				t.Fatalf("thread %d, %d: %+v is not within %+v", thread, i, *d, open[p.Depth-1])
			}
			if p.container() {
				open = append(open, *d)
			}
		}
	}
	for thread := range got {
		if want[thread] == nil {
			t.Fatalf("thread %d has nothing in the tree", thread)
		}
	}
}

// chromeDrawn reads a Chrome trace.
func chromeDrawn(t *testing.T, b []byte) map[int][]drawn {
	t.Helper()
	var all struct {
		TraceEvents []struct {
			Ph, Name string
			TID      int
			TS, Dur  json.Number
		}
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	got := map[int][]drawn{}
	open, unnamed := map[int][]int{}, map[int]bool{}
	for _, e := range all.TraceEvents {
		if e.Ph == "M" {
			continue
		}
		if unnamed[e.TID] && (e.Ph != "E" || e.Name != "") {
			t.Fatalf("thread %d: an end without a name is before %+v", e.TID, e)
		}
		list, at := got[e.TID], micros(t, e.TS)
		d := drawn{name: e.Name, begin: at, end: at, slice: e.Ph != "i"}
		stack := open[e.TID]
		if d.depth = len(stack); e.Ph == "X" || len(stack) == 0 {
			d.depth = -1 // that depends on the times alone
		}
		switch e.Ph {
		case "X":
			d.end = at + micros(t, e.Dur)
		case "B":
			d.end = math.MaxInt64
			stack = append(stack, len(list))
		case "E":
			// Some readers pair by names. What never ended is ended at the end of its thread, without one.
			if begun := list[stack[len(stack)-1]].name; e.Name != begun && e.Name != "" {
				t.Fatalf("thread %d: %q ends %q", e.TID, e.Name, begun)
			}
			unnamed[e.TID] = e.Name == ""
			list[stack[len(stack)-1]].end = at
			stack = stack[:len(stack)-1]
			open[e.TID] = stack
			continue
		}
		got[e.TID], open[e.TID] = append(list, d), stack
	}
	for thread, stack := range open {
		for _, i := range stack {
			if got[thread][i].end == math.MaxInt64 {
				t.Errorf("thread %d: %+v has no end", thread, got[thread][i])
			}
		}
	}
	return got
}

// micros reads microseconds with three decimals.
func micros(t *testing.T, n json.Number) int64 {
	if n == "" {
		return 0
	}
	whole, part, ok := strings.Cut(n.String(), ".")
	ns, err := strconv.ParseInt(whole+part, 10, 64)
	if !ok || len(part) != 3 || err != nil {
		t.Fatalf("%s is not in microseconds with three decimals", n)
	}
	return ns
}

// perfettoDrawn reads packets. A slice without an end has that of what is around it, or of the trace.
func perfettoDrawn(t *testing.T, b []byte) map[int][]drawn {
	t.Helper()
	got, open := map[int][]drawn{}, map[int][]int{}
	thread, names := 0, map[uint64]string{}
	fields(t, b, func(_ protowire.Number, _ uint64, p []byte) {
		var at int64
		var kind, name uint64
		event := false
		fields(t, p, func(n protowire.Number, v uint64, body []byte) {
			switch n {
			case pbfield.TracePacket_Timestamp:
				at = int64(v)
			case pbfield.TracePacket_TrackDescriptor:
				fields(t, body, func(n protowire.Number, _ uint64, body []byte) {
					if n == 4 {
						fields(t, body, func(n protowire.Number, v uint64, _ []byte) {
							if n == 2 {
								thread = int(v)
							}
						})
					}
				})
			case pbfield.TracePacket_InternedData:
				fields(t, body, func(n protowire.Number, _ uint64, body []byte) {
					var id uint64
					fields(t, body, func(m protowire.Number, v uint64, text []byte) {
						switch {
						case m == 1:
							id = v
						case m == 2 && n == internedEvents:
							names[id] = string(text)
						}
					})
				})
			case pbfield.TracePacket_TrackEvent:
				event = true
				fields(t, body, func(n protowire.Number, v uint64, _ []byte) {
					switch n {
					case pbfield.TrackEvent_Type:
						kind = v
					case pbfield.TrackEvent_NameIid:
						name = v
					}
				})
			}
		})
		if !event {
			return
		}
		list, stack := got[thread], open[thread]
		if kind == pbfield.TrackEvent_TYPE_SLICE_END {
			list[stack[len(stack)-1]].end = at
			open[thread] = stack[:len(stack)-1]
			return
		}
		if names[name] == "" {
			t.Fatalf("event name %d is not described before it is used", name)
		}
		d := drawn{name: names[name], begin: at, end: at, slice: kind == pbfield.TrackEvent_TYPE_SLICE_BEGIN, depth: len(stack)}
		if d.slice {
			d.end = math.MaxInt64
			open[thread] = append(stack, len(list))
		}
		got[thread] = append(list, d)
	})
	return got
}

// fields calls f with each field of a message.
func fields(t *testing.T, b []byte, f func(n protowire.Number, v uint64, body []byte)) {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			t.Fatal(protowire.ParseError(size))
		}
		b = b[size:]
		switch kind {
		case protowire.VarintType:
			v, size := protowire.ConsumeVarint(b)
			if size < 0 {
				t.Fatal(protowire.ParseError(size))
			}
			f(n, v, nil)
			b = b[size:]
		default:
			size := protowire.ConsumeFieldValue(n, kind, b)
			if size < 0 {
				t.Fatal(protowire.ParseError(size))
			}
			if body, m := protowire.ConsumeBytes(b); kind == protowire.BytesType && m > 0 {
				f(n, 0, body)
			}
			b = b[size:]
		}
	}
}

// TestDrawn: viewers get the tree that is shown.
func TestDrawn(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		check := func(s query.Scope) {
			t.Helper()
			for _, share := range shares {
				j := job(t, r, Options{Scope: s, Force: true})
				j.share = shareOf(r, share)
				want := tree(t, j)
				compareDrawn(t, chromeDrawn(t, written(t, j, "chrome")), want)
				compareDrawn(t, perfettoDrawn(t, written(t, j, "perfetto")), want)
			}
		}
		check(query.Scope{})
		check(query.Scope{Raw: true})
		check(edited(t, r, query.Scope{}, query.Merge, "depth>1"))
		if _, timed := r.Times(); timed {
			check(edited(t, r, query.Scope{}, query.Drop, "dur<400ns"))
		}
		if length := lastEvent(t, r); length > 100 {
			if _, timed := r.Times(); !timed {
				check(edited(t, r, query.Scope{}, query.Range, "#40..#"+strconv.Itoa(length/2)))
			}
		}
	})
}

// lastEvent returns the highest number of an event.
func lastEvent(t *testing.T, r *lazy.LazyTraceReader) (last int) {
	for _, points := range tree(t, job(t, r, Options{Scope: query.Scope{Raw: true}})) {
		for i := range points {
			last = max(last, points[i].Event)
		}
	}
	return last
}

// TestRange: an export of a span of time has what overlaps it, cut at its ends.
func TestRange(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		if _, timed := r.Times(); !timed {
			t.Skip("it has no times")
		}
		const from, to = 3000, 90000
		s := edited(t, r, query.Scope{Raw: true}, query.Range, "3us..90us")
		got := perfettoDrawn(t, written(t, job(t, r, Options{Scope: s}), "perfetto"))
		whole := tree(t, job(t, r, Options{Scope: query.Scope{Raw: true}}))
		for thread, points := range whole {
			var want []shownPoint
			for _, p := range points {
				if p.container() && p.Start != nil && *p.Start < to && (*p.Start+*p.Duration > from || *p.Start == from) {
					want = append(want, p)
				}
			}
			n := 0
			for _, d := range got[thread] {
				if d.begin < from || d.slice && d.end > to && d.end != math.MaxInt64 {
					t.Fatalf("thread %d: %+v is not in the span", thread, d)
				}
				if !d.slice || n == len(want) {
					continue
				}
				if begin := max(*want[n].Start, from); d.begin == begin && d.end == min(*want[n].Start+*want[n].Duration, to) {
					n++
				}
			}
			if n != len(want) {
				t.Fatalf("thread %d: %d of %d are missing, the first %+v", thread, len(want)-n, len(want), want[n])
			}
		}
	})
}

// TestTooLarge: what a viewer cannot load is refused before it is written, with a way to make it smaller.
func TestTooLarge(t *testing.T) {
	r := opened(t, formattestFile(t))
	f := chromeFormat
	f.Limit = 40_000
	var b strings.Builder
	j := job(t, r, Options{})
	j.share = 2000
	_, err := j.Write(t.Context(), &f, &b, nil)
	large, ok := err.(*TooLargeError)
	if !ok {
		t.Fatalf("%v", err)
	}
	whole := int64(len(written(t, j, "chrome")))
	if large.Size < f.Limit || large.Size > 3*whole || large.Limit != f.Limit {
		t.Errorf("%+v, of %d bytes", large, whole)
	}
	if large.MinDur > 0 && large.Then > f.Limit {
		t.Errorf("%+v would not be small enough", large)
	}
	j.Force = true
	if _, err := j.Write(t.Context(), &f, &b, nil); err != nil {
		t.Error(err)
	}
}
