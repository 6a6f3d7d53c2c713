package spans

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
	"tracex/recorder/convert/spool"
)

// written writes the spans of a collector that fill adds to.
func written(t testing.TB, fill func(c *Collector)) (*readback.Trace, *calltrace.Summary) {
	t.Helper()
	var data, index, times bytes.Buffer
	w := calltrace.New(tracefile.Files{Data: &data, Index: &index, Times: &times}, calltrace.Options{})
	defer w.Discard()
	c := New(t.Context(), w, "")
	defer c.Close()
	fill(c)
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	sum, err := w.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	trace, err := readback.Read(data.Bytes(), index.Bytes(), times.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return trace, sum
}

// year is in 2023, in ns.
const year = 1_700_000_000_000_000_000

// simple is a span of trace 1 whose name is its id.
func simple(id, parent SpanID, begin, end int64) Span {
	return Span{Trace: TraceID{15: 1}, ID: id, Parent: parent, Process: -1, Name: strconv.Itoa(int(id)), Start: year + begin, Duration: end - begin}
}

func storyOf(t *testing.T, list ...Span) (string, string) {
	t.Helper()
	trace, sum := written(t, func(c *Collector) {
		for i := range list {
			if err := c.Add(&list[i]); err != nil {
				t.Fatal(err)
			}
		}
	})
	return strings.ReplaceAll(readback.Story(trace), `trace.id ➜ "0000000000000001"`, ""), readback.Left(sum)
}

func TestPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		spans      []Span
		want, left string
	}{
		"as in the package comment": {[]Span{simple(1, 0, 0, 30), simple(2, 1, 2, 12), simple(3, 1, 7, 20), simple(4, 3, 9, 14), simple(5, 1, 13, 17), simple(6, 1, 23, 40)}, `# 1 1
1() @0s +30ns
  2() @2ns +10ns
  5() @13ns +4ns
# 1 1 #2
3(parent ➜ "1") @7ns +13ns
  4() @9ns +5ns
6(parent ➜ "1") @23ns +17ns
`, ""},
		// The parents are added last, and all of the times are those of their children.
		"equal times": {[]Span{simple(3, 2, 5, 9), simple(2, 1, 5, 9), simple(1, 0, 5, 9), simple(4, 3, 9, 9), simple(5, 4, 9, 9)}, `# 1 1
1() @0s +4ns
  2() @0s +4ns
    3() @0s +4ns
      4() @4ns +0s
        5() @4ns +0s
`, ""},
		"neighbors": {[]Span{simple(1, 0, 0, 9), simple(2, 1, 0, 3), simple(3, 1, 3, 6), simple(4, 1, 6, 9)}, "# 1 1\n1() @0s +9ns\n  2() @0s +3ns\n  3() @3ns +3ns\n  4() @6ns +3ns\n", ""},
		"a parent that ended, and one that is not there": {[]Span{simple(1, 0, 0, 2), simple(2, 1, 3, 5), simple(3, 255, 4, 5)}, `# 1 1
1() @0s +2ns
2(parent ➜ "1") @3ns +2ns
# 1 1 #2
3(parent ➜ "00000000000000ff") @4ns +1ns
`, ""},
		"a child that begins before its parent": {[]Span{simple(2, 1, 0, 3), simple(1, 0, 1, 9)}, "# 1 1\n2(parent ➜ \"0000000000000001\") @0s +3ns\n# 1 1 #2\n1() @1ns +8ns\n", ""},
		"a circle of parents":                   {[]Span{simple(1, 2, 0, 9), simple(2, 3, 0, 9), simple(3, 1, 0, 9)}, "# 1 1\n1(parent ➜ \"0000000000000002\") @0s +9ns\n  3() @0s +9ns\n# 1 1 #2\n2(parent ➜ \"0000000000000003\") @0s +9ns\n", ""},
		"its own parent":                        {[]Span{simple(1, 1, 0, 9)}, "# 1 1\n1(parent ➜ \"0000000000000001\") @0s +9ns\n", ""},
		"a client and a server with one id":     {[]Span{simple(1, 0, 0, 9), simple(1, 0, 2, 6), simple(2, 1, 3, 4), simple(3, 1, 7, 8)}, "# 1 1\n1() @0s +9ns\n  1() @2ns +4ns\n    2() @3ns +1ns\n  3() @7ns +1ns\n", ""},
		"the same span twice":                   {[]Span{simple(1, 0, 0, 9), simple(2, 1, 1, 2), simple(2, 1, 1, 2), simple(1, 0, 0, 9)}, "# 1 1\n1() @0s +9ns\n  2() @1ns +1ns\n", "2 spans that are there twice from -1\n"},
		"far times": {[]Span{{Trace: TraceID{15: 1}, ID: 1, Start: -1 << 63, Duration: 1<<63 - 1}, {Trace: TraceID{15: 1}, ID: 2, Start: 1<<63 - 1, Duration: -5}},
			"# unnamed 1\nunnamed() @0s +640511h56m49.213693951s\nunnamed() @1281023h53m38.427387902s +0s\n", ""},
		"events": {[]Span{
			{Trace: TraceID{15: 1}, ID: 1, Name: "1", Start: year, Duration: 9, Events: []Event{{Time: year, Name: "first"}, {Time: year + 3, Name: "during 2"}, {Time: year + 99, Name: "late", Args: []Arg{{"n", calltrace.Int(1)}}}, {Time: 0, Name: "early"}}},
			simple(2, 1, 2, 5), {Trace: TraceID{15: 1}, ID: 3, Parent: 1, Name: "3", Start: year + 6, Unfinished: true, Events: []Event{{Time: year + 8, Threw: &Exception{Class: "Bad", Message: "no", Stack: "a\n b\n"}}}},
		}, `# 1 1
1() @0s +9ns
  event.first() @0s +0s
  event.early() @0s +0s
  2() @2ns +3ns
  event.during 2() @5ns +0s
  3(): unfinished @6ns +2ns
    throw = Bad@0("no")
  event.late(n ➜ 1) @9ns +0s
`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, left := storyOf(t, c.spans...); got != c.want || left != c.left {
				t.Errorf("got\n%swant\n%sleft %q, want %q", got, c.want, left, c.left)
			}
		})
	}
}

// random makes the spans of some traces. Parents are known, but times are not always within theirs.
func random(r *rand.Rand) (list []Span) {
	for trace := range 5 {
		var own []Span
		for i := range 1 + r.Intn(60) {
			s := Span{Trace: TraceID{0: byte(trace + 1)}, ID: SpanID(i + 1), Name: fmt.Sprintf("%d-%d", trace, i+1), Start: year + r.Int63n(100), Duration: 1 + r.Int63n(100)}
			if i > 0 && r.Intn(20) > 0 {
				p := own[r.Intn(i)]
				s.Parent = p.ID
				if r.Intn(3) > 0 {
					s.Start = p.Start + r.Int63n(max(p.Duration, 1))
					s.Duration = r.Int63n(p.Start + p.Duration - s.Start + 1)
				}
			}
			own = append(own, s)
		}
		list = append(list, own...)
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// TestRandom: each span is there once, with its times, and inside nothing but its parent; it is inside that if it
// is so in time, and no other child of it is at the same time. It makes no difference where spans wait.
func TestRandom(t *testing.T) {
	for seed := range int64(20) {
		t.Log("seed", seed)
		list := random(rand.New(rand.NewSource(seed)))
		spans := map[string]*Span{}
		for i := range list {
			spans[list[i].Name] = &list[i]
		}
		fill := func(limit int64) func(c *Collector) {
			return func(c *Collector) {
				c.spool = spool.New(t.TempDir(), limit)
				c.stream = c.spool.Stream()
				for i := range list {
					if err := c.Add(&list[i]); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		trace, sum := written(t, fill(1<<20))
		seen := 0
		for _, thread := range trace.Threads {
			seen += check(t, trace.Anchor.UnixNano(), spans, nil, thread.Roots)
		}
		if seen != len(list) || len(sum.LeftOut) > 0 {
			t.Errorf("seed %d: %d of %d spans, left %v", seed, seen, len(list), sum.LeftOut)
		}
		if spilled, _ := written(t, fill(0)); readback.Story(trace) != readback.Story(spilled) {
			t.Errorf("seed %d: other calls, if all wait in a file", seed)
		}
	}
}

// check compares calls, whose times count from anchor, with their spans, and returns how many there are.
func check(t *testing.T, anchor int64, spans map[string]*Span, parent *Span, calls []*readback.Point) (n int) {
	for _, call := range calls {
		s := spans[call.Name]
		if s == nil || call.Start+anchor != s.Start || call.Dur != s.Duration {
			t.Fatalf("%v at %d for %d is %+v", call, call.Start, call.Dur, s)
		}
		if parent != nil && (parent.Trace != s.Trace || parent.ID != s.Parent || parent.Start > s.Start || parent.Start+parent.Duration < s.Start+s.Duration) {
			t.Errorf("%v is inside %v", s, parent)
		}
		if parent == nil && s.Parent != 0 && alone(spans, s) {
			t.Errorf("%v is not inside its parent", s)
		}
		n += 1 + check(t, anchor, spans, s, call.Children)
	}
	return n
}

// alone reports whether a span is within its parent, and at another time than the others that are.
func alone(spans map[string]*Span, s *Span) bool {
	p := (*Span)(nil)
	for _, o := range spans {
		if o.Trace == s.Trace && o.ID == s.Parent {
			p = o
		}
	}
	if p.Start > s.Start || p.Start+p.Duration < s.Start+s.Duration || s.Duration == 0 || p.Duration == 0 {
		return false
	}
	for _, o := range spans {
		if o != s && o.Trace == s.Trace && o.Parent == s.Parent && o.Start <= s.Start+s.Duration && s.Start <= o.Start+o.Duration {
			return false
		}
	}
	return true
}

// TestManyTraces: traces are closed when many others have begun after them, and those that are open are not.
func TestManyTraces(t *testing.T) {
	const many = 2*keptTraces + 100
	id := func(i int) TraceID { return TraceID{0: 1, 14: byte(i >> 8), 15: byte(i)} }
	trace, sum := written(t, func(c *Collector) {
		for i := range many {
			s := Span{Trace: id(i), ID: 1, Name: "a", Start: year + int64(i), Duration: 1}
			if i == 0 {
				s.Duration = 2 * many
			}
			if err := c.Add(&s); err != nil {
				t.Fatal(err)
			}
		}
		for _, i := range []int{0, 1, many - 1} { // the first is open, the second forgotten, the last known
			s := Span{Trace: id(i), ID: 2, Parent: 1, Name: "b", Start: year + many, Duration: 1}
			if err := c.Add(&s); err != nil {
				t.Fatal(err)
			}
		}
	})
	inside, alone := 0, 0
	for _, thread := range trace.Threads {
		thread.Walk(func(p *readback.Point, depth int) {
			if p.Name == "b" {
				inside += depth
				alone += len(thread.Roots) % 2
			}
		})
	}
	if len(trace.Threads) != many+1 || inside != 1 || alone != 2 || len(sum.LeftOut) > 0 {
		t.Errorf("%d threads, %d inside, %d alone, left %v", len(trace.Threads), inside, alone, sum.LeftOut)
	}
}

// TestRecords: what waits is what was added.
func TestRecords(t *testing.T) {
	message := "m"
	nested := format.Value{Kind: format.ValueObject, ClassID: 3, Bits: -7, Captured: &format.Captured{Fields: []format.CapturedField{
		{Name: "f", Value: format.Value{Kind: format.ValueArray, Captured: &format.Captured{Elements: []format.Value{calltrace.Float(1.5), calltrace.String("é")}}}}}}}
	s := Span{Trace: TraceID{1, 2, 15: 3}, ID: 1 << 63, Parent: 5, Process: -1, Entry: true, Unfinished: true, Name: "n", Duration: 77, File: "f.go", Function: "run", Line: 9,
		Threw: "x", Class: "c", Thread: "t", Receiver: &nested, Result: &nested, Args: []Arg{{"a", nested}, {"", calltrace.Null()}}}
	var w writer
	w.span(&s, true)
	var got Span
	r := reader{w.b}
	if r.span(&got); fmt.Sprintf("%+v", got.Args[0].Value.Captured.Fields[0].Value.Captured) != fmt.Sprintf("%+v", nested.Captured.Fields[0].Value.Captured) || len(r.b) > 0 {
		t.Errorf("%+v", got)
	}
	if got.Result.Captured.Fields[0].Name != "f" || got.Receiver.ClassID != 3 {
		t.Errorf("%+v %+v", got.Receiver, got.Result)
	}
	got.Args, got.Receiver, got.Result, s.Args, s.Receiver, s.Result = nil, nil, nil, nil, nil, nil
	if fmt.Sprint(got) != fmt.Sprint(s) || traceOf(w.b) != s.Trace || idOf(w.b) != s.ID || parentOf(w.b) != s.Parent {
		t.Errorf("%+v\n%+v", got, s)
	}
	e := Event{Name: "e", Threw: &Exception{"c", message, "s", true}}
	w.event(&s, &e)
	var back Event
	r = reader{w.b}
	if r.event(&back); back.Name != e.Name || *back.Threw != *e.Threw || len(r.b) > 0 {
		t.Errorf("%+v", back)
	}
}

func TestIDs(t *testing.T) {
	for text, want := range map[string]string{
		"0123456789ABCDEFabcdef0123456789": "0123456789abcdefabcdef0123456789", "abc": "0000000000000abc", "": "0000000000000000", "0": "0000000000000000",
		"ASNFZ4mrze8BI0VniavN7w==": "0123456789abcdef0123456789abcdef", "AAAAAAAAAAAAAAAAAAAAAQ==": "0000000000000001",
		"0x0123456789ABCDEFabcdef0123456789": "0123456789abcdefabcdef0123456789", "0Xabc": "0000000000000abc", "01234567-89ab-CDEF-0123-456789abcdef": "0123456789abcdef0123456789abcdef",
		"_____________________w==": "ffffffffffffffffffffffffffffffff", "/////////////////////w==": "ffffffffffffffffffffffffffffffff",
	} {
		if id, ok := ParseTraceID([]byte(text)); id.String() != want || ok != (strings.Trim(want, "0") != "") {
			t.Errorf("%q is %v %v, want %s", text, id, ok, want)
		}
	}
	var others []TraceID
	for _, text := range []string{"x", "y", "0123456789abcdef0123456789abcdef0", "01234567-89ab-cdef-0123-456789abcdef", "é"} {
		id, ok := ParseTraceID([]byte(text))
		if !ok || slices.Contains(others, id) {
			t.Errorf("%q is %v", text, id)
		}
		others = append(others, id)
	}
	if id, ok := ParseSpanID([]byte("AAAAAAAAAAI=")); id != 2 || !ok || id.String() != "0000000000000002" {
		t.Error(id)
	}
}

func BenchmarkCollector(b *testing.B) {
	for range b.N {
		written(b, func(c *Collector) {
			for trace := range 1000 {
				for i := range 100 {
					s := simple(SpanID(i+1), SpanID(i), int64(trace*1000+i), int64(trace*1000+500-i))
					s.Trace[0] = byte(trace >> 8)
					s.Trace[1] = byte(trace)
					if err := c.Add(&s); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// TestTooMany: a trace has a limited number of threads, and what has no place is counted.
func TestTooMany(t *testing.T) {
	trace, sum := written(t, func(c *Collector) {
		for i := range traceLanes + 10 {
			s := simple(SpanID(i+1), 0, 0, 9)
			if err := c.Add(&s); err != nil {
				t.Fatal(err)
			}
		}
		late := simple(1<<20, 0, 10, 11)
		if err := c.Add(&late); err != nil {
			t.Fatal(err)
		}
	})
	if left := readback.Left(sum); len(trace.Threads) != traceLanes || left != "10 spans at the same time as too many others from -1\n" {
		t.Errorf("%d threads, left %s", len(trace.Threads), left)
	}
}

// FuzzCollector: whatever spans there are, each is inside nothing but its parent, and none is lost but those that are there twice.
func FuzzCollector(f *testing.F) {
	f.Add([]byte("\x01\x01\x00\x00\x09\x01\x02\x01\x01\x03\x01\x03\x01\x02\x03"))
	f.Add([]byte("\x01\x01\x02\x05\x04\x01\x02\x01\x05\x04\x01\x02\x02\x05\x04\x02\x01\x00\x07\xf0"))
	f.Add([]byte("\x01\x01\x00\x00\x3f\x01\x02\x01\x01\xff\x01\x03\x02\x02\x03\x01\x02\x01\x01\x09"))
	f.Fuzz(func(t *testing.T, data []byte) {
		names := map[string]*Span{}
		var list []Span
		for i := 0; len(data) >= 5; i++ {
			s := Span{Trace: TraceID{15: data[0]}, ID: SpanID(data[1]), Parent: SpanID(data[2] % 16), Name: strconv.Itoa(i), Start: int64(data[3]), Duration: int64(data[4] % 64), Unfinished: data[2] > 200}
			if data[4]%64 == 63 {
				s.Duration = -1
			}
			if data[4] > 200 {
				s.Events = []Event{{Time: int64(data[4]), Name: "e"}, {Time: int64(data[1]), Threw: &Exception{}}}
			}
			list = append(list, s)
			data = data[5:]
		}
		for i := range list {
			names[list[i].Name] = &list[i]
		}
		trace, _ := written(t, func(c *Collector) {
			for i := range list {
				if err := c.Add(&list[i]); err != nil {
					t.Fatal(err)
				}
			}
		})
		seen := 0
		for _, thread := range trace.Threads {
			thread.Walk(func(p *readback.Point, _ int) {
				if names[p.Name] == nil {
					return // an event
				}
				seen++
				for _, child := range p.Children {
					c, s := names[child.Name], names[p.Name]
					if c != nil && (c.Trace != s.Trace || c.Parent != s.ID && c.ID != s.ID || child.Start < p.Start || child.Start+child.Dur > p.Start+p.Dur) {
						t.Errorf("%+v is inside %+v", c, s)
					}
				}
			})
		}
		if seen != len(list) {
			t.Errorf("%d of %d spans", seen, len(list))
		}
	})
}
