package chrome_test

import (
	"fmt"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"testing"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
)

// TestPairing has begins and ends that are not one in the other.
func TestPairing(t *testing.T) {
	for _, c := range []struct{ name, events, want string }{
		{"overlap", "B vsync 352, B frame 530, B build 669, E frame 700, E vsync 30019, E build 66947",
			"# thread 1\nvsync() @0s +29.667ms\n  frame() @178µs +170µs\n# thread 1 #2\nbuild() @317µs +66.278ms\n"},
		{"overlap by a microsecond", "B a 1, B b 2, E a 3, E b 4", "# thread 1\na() @0s +2µs\n# thread 1 #2\nb() @1µs +2µs\n"},
		{"ends at one time", "B a 0, B b 5, E a 10, E b 10", "# thread 1\na() @0s +10µs\n  b() @5µs +5µs\n"},
		{"an end of another name", "B a 0, B b 1, E c 2, E b 9, E a 10",
			"# thread 1\na() @0s +10µs\n  b() @1µs +8µs\n1 end without a begin from -1\n"},
		{"before its begin, at one time", "B a 0, E b 5, B b 5, E a 10", "# thread 1\na() @0s +10µs\n  b() @5µs +0s\n"},
		{"of the call before, at one time", "E b 5, B b 5, E b 9", "# thread 1\nb() @0s +4µs\n1 end without a begin from -1\n"},
		{"no time at an end", "B a 0, B x 3, B b 5, B c 5, E c 5, E b 5, E a 5, B d 5, E d 5, E x 6",
			"# thread 1\na() @0s +5µs\n  b() @5µs +0s\n    c() @5µs +0s\nd() @5µs +0s\n# thread 1 #2\nx() @3µs +3µs\n"},
		{"without an end", "B a 0, B b 1, E a 5", "# thread 1\na() @0s +5µs\n  b(): unfinished @1µs +4µs\n"},
		{"without names", "B a 0, B b 1, E  5, E  6", "# thread 1\na() @0s +6µs\n  b() @1µs +4µs\n"},
		{"ends without categories", "B x:a 0, B y:a 1, B y:b 2, E a 3, E a 4, E b 5", "# thread 1\nx.a() @0s +4µs\n  y.a() @1µs +2µs\n# thread 1 #2\ny.b() @2µs +3µs\n"},
		{"ends with categories", "B a 0, B y:a 1, E x:a 2, E z:b 3, E y:a 4", "# thread 1\na() @0s +2µs\n# thread 1 #2\ny.a() @1µs +3µs\n1 end without a begin from -1\n"},
	} {
		for _, more := range []string{"", `{"ph":"X","name":"c","ts":1,"dur":0,"pid":2,"tid":2},`} { // of another thread
			var text strings.Builder
			text.WriteString("[" + more)
			for _, e := range strings.Split(c.events, ", ") {
				phase, rest, _ := strings.Cut(e, " ")
				name, ts, _ := strings.Cut(rest, " ")
				category, short, ok := strings.Cut(name, ":")
				if !ok {
					category, short = "", name
				}
				fmt.Fprintf(&text, `{"ph":%q,"name":%q,"cat":%q,"ts":%s,"pid":1,"tid":1},`, phase, short, category, ts)
			}
			trace, sum, err := convert(t, text.String()+"]", calltrace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if more != "" {
				trace.Threads = slices.DeleteFunc(trace.Threads, func(t *readback.Thread) bool { return strings.HasSuffix(t.Name, " 2") })
			}
			got := strings.ReplaceAll(readback.Story(trace)+readback.Left(sum), "process 1 › ", "")
			if got != c.want {
				t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
			}
		}
	}
}

// begun is an event of the reference.
type begun struct {
	phase, category, name string
	ts                    int
}

// pairUp is the reference: each end ends the last call before it that has its name, and its category if both
// have one, one that has the same category first. It returns the calls, and how many ends are left.
func pairUp(events []begun) (calls []string, left int) {
	events = slices.Clone(events)
	sort.SliceStable(events, func(i, j int) bool { return events[i].ts < events[j].ts })
	ended := make([]bool, len(events))
	var surplus []int
	for n, e := range events {
		if e.phase != "E" {
			continue
		}
		found := -1
		for _, suits := range []func(b begun) bool{
			func(b begun) bool {
				return e.name == "" || b.name == e.name && (e.category == "" || b.category == e.category)
			},
			func(b begun) bool { return b.name == e.name && b.category == "" },
		} {
			for i := n - 1; i >= 0 && found < 0; i-- {
				if b := events[i]; b.phase == "B" && !ended[i] && suits(b) {
					found = i
				}
			}
		}
		if found < 0 {
			surplus = append(surplus, n)
			continue
		}
		ended[found] = true
		calls = append(calls, fmt.Sprint(events[found].name, " ", events[found].ts, " ", e.ts-events[found].ts))
	}
	for n, b := range events {
		if b.phase != "B" || ended[n] {
			continue
		}
		length := "unfinished"
		for i, s := range surplus { // of the same time, before it
			if e := events[s]; s < n && e.ts == b.ts && e.name == b.name && (e.category == "" || b.category == "" || e.category == b.category) {
				surplus = slices.Delete(surplus, i, i+1)
				length = "0"
				break
			}
		}
		calls = append(calls, fmt.Sprint(b.name, " ", b.ts, " ", length))
	}
	slices.Sort(calls)
	return calls, len(surplus)
}

// TestRandomPairs compares threads and asynchronous operations of random files with the reference.
func TestRandomPairs(t *testing.T) {
	for seed := range int64(200) {
		r := rand.New(rand.NewSource(seed))
		span, names := 1+r.Intn(400), 1+r.Intn(60)
		threads := make([][]begun, 4) // two of them are asynchronous
		var text []string
		for range r.Intn(600) {
			n := r.Intn(len(threads))
			e := begun{phase: "B", name: fmt.Sprint("n", r.Intn(names)), ts: 1000 + r.Intn(span)}
			if r.Intn(2) == 0 {
				e.phase = "E"
			}
			if n < 2 && seed%2 == 0 {
				e.category = []string{"", "x", "y"}[r.Intn(3)]
			}
			if e.phase == "E" && r.Intn(40) == 0 {
				e.name = ""
			}
			threads[n] = append(threads[n], e)
			phase, id := e.phase, fmt.Sprintf(`"tid":%d`, n)
			if n >= 2 {
				phase, id = strings.ToLower(phase), fmt.Sprintf(`"id":"0x%d"`, n)
			}
			text = append(text, fmt.Sprintf(`{"ph":%q,"name":%q,"cat":%q,"ts":%d,"pid":1,%s}`, phase, e.name, e.category, e.ts, id))
		}
		trace, sum, err := convert(t, "["+strings.Join(text, ",")+"]", calltrace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := make([][]string, len(threads))
		first := firstOf(threads)
		for _, thread := range trace.Threads {
			var n int
			if _, err := fmt.Sscanf(strings.TrimPrefix(strings.TrimPrefix(thread.Name, "thread "), "async 0x"), "%d", &n); err != nil {
				t.Fatal(thread.Name, err)
			}
			thread.Walk(func(p *readback.Point, _ int) {
				length := fmt.Sprint(p.Dur / 1000)
				if p.Unfinished {
					length = "unfinished"
				}
				name := p.Name[strings.LastIndexByte(p.Name, '.')+1:]
				got[n] = append(got[n], fmt.Sprint(name, " ", int(p.Start/1000)+first, " ", length))
			})
		}
		left := 0
		for n, events := range threads {
			want, surplus := pairUp(events)
			left += surplus
			slices.Sort(got[n])
			if !slices.Equal(got[n], want) {
				t.Fatalf("seed %d, thread %d: got\n%q\nwant\n%q\nof\n%v", seed, n, got[n], want, events)
			}
		}
		want := ""
		switch left {
		case 0:
		case 1:
			want = "1 end without a begin from -1\n"
		default:
			want = fmt.Sprintf("%d ends without a begin from -1\n", left)
		}
		if got := readback.Left(sum); got != want {
			t.Fatalf("seed %d: %q, want %q", seed, got, want)
		}
	}
}

// firstOf returns the time of the first event.
func firstOf(threads [][]begun) int {
	first := 1 << 30
	for _, events := range threads {
		for _, e := range events {
			first = min(first, e.ts)
		}
	}
	return first
}
