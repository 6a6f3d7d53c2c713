package query

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
)

// plainMoment is a Moment.
type plainMoment struct{ Moment }

// plainMoments are all moments of a trace, in order.
type plainMoments struct {
	timeline lazy.Timeline
	list     []plainMoment
}

// known is the begin or the end of a container that ended, as recorded.
type known struct {
	at    int64 // of its header
	end   bool
	depth int
	time  lazy.Time
	timed bool
}

// plainAround lists the moments of all threads.
func plainAround(t *testing.T, r *lazy.LazyTraceReader, raw bool, timeline lazy.Timeline) *plainMoments {
	x := &plainMoments{timeline: timeline}
	recorded := make(map[int32][]known)
	leaves := make(map[lazy.Position]int) // of points: how many of the known are before it
	ends := make(map[lazy.Position]int)
	var note func(n *node)
	note = func(n *node) {
		leaves[n.at] = len(recorded[n.thread])
		whole := n.class.Container() && !n.unended
		k := known{at: n.at.At, depth: n.depth, time: n.time, timed: n.timed}
		if whole {
			recorded[n.thread] = append(recorded[n.thread], k)
		}
		for _, kid := range n.kids {
			note(kid)
		}
		ends[n.at] = len(recorded[n.thread])
		if k.end = true; whole {
			recorded[n.thread] = append(recorded[n.thread], k)
		}
	}
	if timeline == lazy.TimelineTimes {
		for _, n := range forest(t, r, true) {
			note(n)
		}
	}
	begins := make(map[int32]int64)
	if timeline == lazy.TimelineTimes {
		spans, err := timeline.Spans(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range spans {
			begins[s.Thread] = max(0, s.First)
		}
	}
	list := make(map[int32][]plainMoment)
	var walk func(n *node)
	walk = func(n *node) {
		l := list[n.thread]
		m := plainMoment{Moment{Position: n.at, Event: n.event, Class: n.class, Depth: n.depth, From: int64(n.event), To: int64(n.event)}}
		if timeline == lazy.TimelineTimes {
			if m.From, m.To = n.time.Start, n.time.Start; !n.class.Container() || !n.timed {
				m.From, m.To = plainTimes(recorded[n.thread], leaves[n.at], begins[n.thread])
			}
		} else {
			for i := len(l) - 1; i >= 0 && l[i].End && l[i].To == math.MaxInt64; i-- {
				l[i].To = int64(n.event)
			}
		}
		list[n.thread] = append(l, m)
		for _, kid := range n.kids {
			walk(kid)
		}
		if n.class == format.ClassCall && !n.unended {
			l = list[n.thread]
			m.End, m.From, m.To = true, l[len(l)-1].From, math.MaxInt64
			if timeline == lazy.TimelineTimes {
				if m.From, m.To = n.time.End(), n.time.End(); !n.timed {
					m.From, m.To = plainTimes(recorded[n.thread], ends[n.at], begins[n.thread])
				}
			}
			list[n.thread] = append(l, m)
		}
	}
	for _, n := range forest(t, r, raw) {
		walk(n)
	}
	for _, l := range list {
		key := int64(math.MinInt64)
		for i := range l {
			key = max(key, l[i].From)
			l[i].key = key
		}
		x.list = append(x.list, l...)
	}
	slices.SortStableFunc(x.list, func(a, b plainMoment) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.Thread, b.Thread)) })
	return x
}

// plainTimes returns the times before and after the n-th of the known.
func plainTimes(list []known, n int, begin int64) (from, to int64) {
	from, to = begin, math.MaxInt64
	for i := n - 1; i >= 0; i-- { // the last that ended
		if k := list[i]; k.end {
			if k.timed {
				from = max(from, k.time.End())
			}
			break
		}
	}
	for i, open := n-1, 0; i >= 0; i-- { // the innermost around
		if k := list[i]; k.end {
			open++
		} else if open--; open < 0 {
			if k.timed {
				from = max(from, k.time.Start)
			}
			break
		}
	}
	if n < len(list) && list[n].timed {
		if to = list[n].time.Start; list[n].end {
			to = list[n].time.End()
		}
	}
	return from, max(from, to)
}

// near returns what is around a moment, of those that pass.
func (x *plainMoments) near(at lazy.Position, n int, pass func(*Moment) bool) (list []Moment, middle int) {
	i := slices.IndexFunc(x.list, func(m plainMoment) bool { return m.Position == at && !m.End })
	side := func(step int) (out []Moment) {
		for k, points := i+step, 0; k >= 0 && k < len(x.list) && points < n; k += step {
			if m := x.list[k].Moment; pass(&m) || m.Position == at && pass(&Moment{Position: at, Event: math.MaxInt32, Class: format.ClassCall}) {
				if out = append(out, m); !m.End {
					points++
				}
			}
		}
		return out
	}
	before := side(-1)
	slices.Reverse(before)
	return append(append(before, x.list[i].Moment), side(1)...), len(before)
}

// plainUnsure is unsure, for all pairs.
func plainUnsure(list []Moment, timeline lazy.Timeline) []bool {
	out := make([]bool, len(list))
	near := int64(1)
	if timeline == lazy.TimelineTimes {
		near = 100
	}
	for i := range list {
		for k := range list {
			a, b := &list[i], &list[k]
			if a.Thread == b.Thread || a.From == a.To && b.From != b.To {
				continue
			}
			if (b.To == math.MaxInt64 || a.From-b.To < near) && (a.To == math.MaxInt64 || b.From-a.To < near) {
				out[i] = true
			}
		}
	}
	return out
}

func compareAround(t *testing.T, r *lazy.LazyTraceReader, x *plainMoments, at lazy.Position, o AroundOptions, pass func(*Moment) bool) {
	t.Helper()
	got, err := findAround(t.Context(), r, at, o, x.timeline)
	if err != nil {
		t.Fatal(err)
	}
	want, middle := x.near(at, o.N, pass)
	told := func(m *Moment) string {
		return fmt.Sprintf("@%d+%d #%d %v depth %d end %v: %d..%d", m.Thread, m.At, m.Event, m.Class, m.Depth, m.End, m.From, m.To)
	}
	for i := range max(len(got.Moments), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got.Moments) {
			g = told(&got.Moments[i])
		}
		if i < len(want) {
			w = told(&want[i])
		}
		if g != w {
			t.Fatalf("around @%d+%d, %d points, %v: moment %d of %d is %s, not %s", at.Thread, at.At, o.N, o.Where, i-middle, len(want), g, w)
		}
	}
	if got.Middle != middle {
		t.Fatalf("the middle is %d, not %d", got.Middle, middle)
	}
	if unsure := plainUnsure(want, x.timeline); !slices.Equal(got.unsure(), unsure) {
		t.Fatalf("around @%d+%d: unsure are\n%v, not\n%v", at.Thread, at.At, got.unsure(), unsure)
	}
	if got.Unread != 0 {
		t.Fatalf("%d threads were not read", got.Unread)
	}
}

func TestAround(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		if long(r) {
			return
		}
		timelines := []lazy.Timeline{lazy.TimelineEvents}
		if _, timed := r.Times(); timed {
			timelines = append(timelines, lazy.TimelineTimes)
		}
		for _, raw := range []bool{false, true} {
			for _, timeline := range timelines {
				x := plainAround(t, r, raw, timeline)
				if timeline == lazy.TimelineEvents && !rises(x.list) {
					continue
				}
				random := rand.New(rand.NewPCG(1, 2))
				threads := map[int32]bool{}
				for i := range x.list {
					threads[x.list[i].Thread] = true
				}
				for k := range 8 {
					at := x.list[random.IntN(len(x.list))].Position
					o := AroundOptions{Raw: raw, N: []int{0, 1, 7, 40, 400}[random.IntN(5)]}
					pass := func(*Moment) bool { return true }
					switch k % 4 {
					case 1:
						where, _ := filter.Parse("kind=call")
						o.Where, pass = where, func(m *Moment) bool { return m.Class == format.ClassCall }
					case 2:
						for id := range threads {
							if id%2 == 0 {
								o.Threads = append(o.Threads, id)
							}
						}
						pass = func(m *Moment) bool { return m.Thread%2 == 0 }
					case 3:
						where, _ := filter.Parse(fmt.Sprintf("event=%d..%d or event=7", x.list[len(x.list)/2].Event, 1<<30))
						o.Where, pass = where, func(m *Moment) bool { return m.Event >= x.list[len(x.list)/2].Event || m.Event == 7 }
					}
					if k%4 == 2 && len(o.Threads) == 0 {
						continue
					}
					compareAround(t, r, x, at, o, pass)
				}
			}
		}
	})
}

// long reports whether a trace takes a plain calculation long. Others of its kind are tested.
func long(r *lazy.LazyTraceReader) bool {
	data, _ := r.Size()
	return data > 1<<20
}

// rises reports whether numbers of events rise in each thread, and are not given twice.
func rises(list []plainMoment) bool {
	last := map[int32]int64{}
	seen := map[int32]bool{}
	for i := range list {
		m := &list[i]
		if m.End {
			continue
		}
		if was, ok := last[m.Thread]; ok && was >= int64(m.Event) || seen[m.Event] {
			return false
		}
		last[m.Thread], seen[m.Event] = int64(m.Event), true
	}
	return true
}

// TestAroundPrinted: for each thread, the rows around a point are the lines of the text that the reference
// printed of it, with each call that has an end cut in two.
func TestAroundPrinted(t *testing.T) {
	for _, name := range []string{"threads.stream", "threads.v27.stream", "kotlin.stream", "kotlin.v27.stream", "blocks.stream"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := opened(t, formattest.Small(t, formattest.Unpack(t, name+".bin")))
			lines := make(map[int32][]string)
			thread := int32(-1)
			for line := range strings.Lines(string(formattest.Recorded(t, name+".raw.txt"))) {
				line = strings.TrimRight(line, "\n")
				var n int32
				if _, err := fmt.Sscanf(line, "# Thread %d", &n); err == nil {
					thread = n - 1
				} else {
					lines[thread] = append(lines[thread], line)
				}
			}
			at, _, err := r.Find(t.Context(), lazy.EventHandle(100))
			if err != nil {
				t.Fatal(err)
			}
			a, err := FindAround(t.Context(), r, at, AroundOptions{Raw: true, N: MostAround})
			if err != nil {
				t.Fatal(err)
			}
			texts, err := a.read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			open := make(map[lazy.Position]string)
			last, ends := int64(-1), 0
			for _, row := range a.Rows() {
				text := texts[row.Position]
				if row.End {
					if open[row.Position] != text.begin.Text+text.end.Text {
						t.Fatalf("#%d began as %q and ended as %q", row.Event, open[row.Position], text.end.Text)
					}
					ends++
					continue
				}
				rest := lines[row.Thread]
				if len(rest) == 0 {
					t.Fatalf("#%d has no line", row.Event)
				}
				line := strings.Repeat("  ", row.Depth) + text.whole.Text
				if line != rest[0] {
					t.Fatalf("#%d is %q, not %q", row.Event, line, rest[0])
				}
				lines[row.Thread] = rest[1:]
				open[row.Position] = text.whole.Text
				if row.From != last+1 {
					t.Fatalf("#%d follows #%d", row.From, last)
				}
				last = row.From
			}
			if ends == 0 || last < 300 {
				t.Errorf("%d ends; up to #%d", ends, last)
			}
		})
	}
}

// TestAroundScreens draws real traces at several widths.
func TestAroundScreens(t *testing.T) {
	var out bytes.Buffer
	draw := func(r *lazy.LazyTraceReader, event int32, n int, where string, ascii bool) {
		at, _, err := r.Find(t.Context(), lazy.EventHandle(event))
		if err != nil {
			t.Fatal(err)
		}
		e, err := filter.Parse(where)
		if err != nil {
			t.Fatal(err)
		}
		a, err := FindAround(t.Context(), r, at, AroundOptions{N: n, Where: e})
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{60, 100, 160} {
			g := &display.Unicode
			if ascii {
				g = &display.ASCII
			}
			shown, err := a.Table(t.Context(), AroundView{Width: width, G: g})
			if err != nil {
				t.Fatal(err)
			}
			if err := table.WriteText(&out, shown, table.Options{Width: width, Glyphs: g}); err != nil {
				t.Fatal(err)
			}
			out.WriteByte('\n')
		}
	}
	threads := opened(t, formattest.Unpack(t, "threads.stream.bin"))
	draw(threads, 41, 12, "", false)
	draw(threads, 1010, 10, "field=shared", false)
	draw(kotlin(t), 9500, 8, "kind=call", true)
	draw(opened(t, shop(t)), 30, 6, "", false)
	golden(t, "around.txt", out.Bytes())
}
