package perfetto

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/pbfield"
	"tracex/format/tracefile"
	"tracex/recorder/internal/perfetto/calls"
)

// callsStory builds a trace of parts.
type callsStory struct {
	version  format.Version // of its objects; 0 means 22
	referred uint64         // the time of references; 0 means 1
	trace    []byte
}

// versions are the versions that can be written.
var versions = []format.Version{format.V22, format.V27}

// eachVersion runs a test for recorders of each version.
func eachVersion(t *testing.T, test func(*testing.T, format.Version)) {
	for _, v := range versions {
		t.Run("version "+v.String(), func(t *testing.T) { test(t, v) })
	}
}

// in returns the version of the objects that are added, and its field in the part,
// which version 22 does not need.
func (s *callsStory) in() (v format.Version, field int) {
	if v = cmp.Or(s.version, format.V22); v != format.V22 {
		field = int(v)
	}
	return v, field
}

func (s *callsStory) packet(payload []byte, at uint64) {
	p := protowire.AppendVarint([]byte{pbfield.TracePacket_Timestamp<<3 | varintKey}, at)
	p = protowire.AppendTag(p, pbfield.TracePacket_TracexCalls, protowire.BytesType)
	p = protowire.AppendBytes(p, payload)
	s.trace = protowire.AppendBytes(append(s.trace, 1<<3|bytesKey), p)
}

// part adds a part of recorder 1, thread 2.
func (s *callsStory) part(p calls.Part, at uint64) {
	p.Recorder, p.HasThread, p.Thread, p.Name = 1, true, 2, "worker"
	_, p.Format = s.in()
	s.packet(p.Append(nil), at)
}

// refer adds class 0 and its methods, "m0" and so on.
func (s *callsStory) refer(t *testing.T, recorder uint64, methods int32) {
	t.Helper()
	v, field := s.in()
	b, err := (&format.ClassDescriptor{Name: "Class"}).Append(nil, v)
	for i := range methods {
		m := format.MethodDescriptor{ID: i, Name: fmt.Sprint("m", i), Result: format.Type{Kind: format.TypeVoid}}
		if err == nil {
			b, err = m.Append(b, v)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	p := calls.Part{Recorder: recorder, Format: field, References: b}
	s.packet(p.Append(nil), cmp.Or(s.referred, 1))
}

// enterIn makes headers of calls of method n, whose event ids are 10 * n.
func enterIn(v format.Version) func(n int32) []byte {
	return func(n int32) []byte { return v.AppendCall(nil, -1, 2, 10*n, n, 0, nil) }
}

func each(n int, ns ...uint64) (b []byte) {
	for range n {
		for _, d := range ns {
			b = protowire.AppendVarint(b, d)
		}
	}
	return b
}

// callsText writes a trace and returns its points as text: "(m1" begins, ")" ends,
// "?" ends an unfinished call. The text is the same in all versions.
func callsText(t *testing.T, trace []byte) (text string, w *written) {
	t.Helper()
	w, err := convertBytes(t, trace, Options{Memory: 1 << 10})
	if err != nil {
		t.Fatal(err)
	}
	text = pointsText(t, w)
	sameLive(t, trace)
	for _, v := range versions {
		other, err := convertBytes(t, trace, Options{Memory: 1 << 10, FormatVersion: v})
		if err != nil {
			t.Fatal(err)
		}
		if got := versionIn(t, other.data); got != v || other.result.Version != v {
			t.Errorf("version %d was written, %d is said, %d was wanted", got, other.result.Version, v)
		}
		if got := pointsText(t, other); got != text {
			t.Errorf("in version %d it is %s, else %s", v, got, text)
		}
		if got, want := leftOf(other), leftOf(w); !slices.Equal(got, want) {
			t.Errorf("in version %d %q was left out, else %q", v, got, want)
		}
	}
	return text, w
}

func pointsText(t *testing.T, w *written) string {
	t.Helper()
	s := format.NewBytesScanner(w.data)
	var p format.Point
	var f format.Footer
	var b strings.Builder
	for s.Next() {
		o := s.Object()
		switch o.Kind {
		case format.KindTracePoint:
			if _, err := s.Version().DecodePoint(o.Bytes, &p); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "(m%d", p.Ref)
		case format.KindFooter:
			if _, err := s.Version().DecodeFooter(o.Bytes, format.ClassCall, &f); err != nil {
				t.Fatal(err)
			}
			if f.Result.Kind == format.ValueVoid {
				b.WriteString(")")
			} else {
				b.WriteString("?")
			}
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func leftOf(w *written) (all []string) {
	for _, l := range w.result.LeftOut {
		all = append(all, fmt.Sprint(l.Count, " ", strings.SplitN(l.What, ";", 2)[0]))
	}
	slices.Sort(all)
	return all
}

// TestCallsLost has parts with gaps.
func TestCallsLost(t *testing.T) { eachVersion(t, testCallsLost) }

func testCallsLost(t *testing.T, v format.Version) {
	enter, void := enterIn(v), voidFooter(v)
	join := func(all ...[]byte) []byte { return bytes.Join(all, nil) }
	const lost, begin = "1 gap in recorded calls", "1 slice end without a begin"
	first := calls.Part{Objects: join(enter(1), enter(2), enter(3)), Times: each(3, 10)}
	for _, c := range []struct {
		name string
		then []calls.Part
		text string
		left []string
	}{
		{"nothing is lost", []calls.Part{
			{Number: 1, Objects: join(void, void, void), Times: each(3, 1), Last: true},
		}, "(m1(m2(m3)))", nil},
		{"unfinished", nil, "(m1(m2(m3???", nil},
		{"others are open", []calls.Part{
			{Number: 2, Whole: true, Open: join(enter(1), enter(4)), Began: each(1, 1000, 50), Objects: join(void, void), Times: each(2, 1)},
		}, "(m1(m2(m3??(m4))", []string{lost}},
		{"outer ones are skipped", []calls.Part{
			{Number: 2, Whole: true, Skipped: 2, Open: enter(5), Began: each(1, 1005), Objects: join(void, void, void), Times: each(3, 1)},
		}, "(m1(m2(m3?(m5)))", []string{lost}},
		{"more are skipped than known", []calls.Part{
			{Number: 2, Whole: true, Skipped: 4, Open: enter(5), Began: each(1, 1005), Objects: join(void, void), Times: each(2, 1)},
		}, "(m1(m2(m3???(m5)", []string{lost, begin}},
		{"nothing is open", []calls.Part{
			{Number: 2, Whole: true, Objects: join(enter(6), void), Times: each(2, 1)},
		}, "(m1(m2(m3???(m6)", []string{lost}},
		{"no packet says what is open", []calls.Part{
			{Number: 2, Objects: join(void, enter(6), void), Times: each(3, 1)},
		}, "(m1(m2(m3???(m6)", []string{lost, begin}},
		{"a part comes twice", []calls.Part{first,
			{Number: 1, Objects: void, Times: each(1, 1)},
		}, "(m1(m2(m3)??", []string{"1 duplicate packet of recorded calls"}},
		{"objects make no sense", []calls.Part{
			{Number: 1, Objects: join(void, []byte{77}, void), Times: each(3, 1)},
			{Number: 2, Whole: true, Open: enter(1), Began: each(1, 1000), Objects: void, Times: each(1, 1)},
		}, "(m1(m2(m3)?)", []string{"1 damaged packet"}},
		{"what is open makes no sense", []calls.Part{
			{Number: 2, Whole: true, Open: void, Objects: void, Times: each(1, 1)},
		}, "(m1(m2(m3???", []string{"1 damaged packet", lost}},
		{"times are missing", []calls.Part{
			{Number: 1, Objects: join(void, void), Times: each(1, 1)},
		}, "(m1(m2(m3)??", []string{"1 damaged packet"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &callsStory{version: v}
			s.refer(t, 1, 7)
			s.part(first, 1000)
			for i, p := range c.then {
				s.part(p, 2000+100*uint64(i))
			}
			text, w := callsText(t, s.trace)
			if text != c.text {
				t.Errorf("%s, want %s", text, c.text)
			}
			if left := leftOf(w); !slices.Equal(left, c.left) {
				t.Errorf("left out: %q, want %q", left, c.left)
			}
			if len(w.result.Threads) != 1 || w.result.Threads[0] != (Thread{ID: 2, Name: "worker", Thread: "worker"}) {
				t.Errorf("threads: %+v", w.result.Threads)
			}
			w.check(t)
		})
	}
}

// check fails the test if a time differs from that of its cell, or is invalid.
func (w *written) check(t *testing.T) {
	t.Helper()
	for id, c := range containerTimes(t, w) {
		if c.Known() && (c.Start < 0 || c.Duration > int64(w.result.Took)) {
			t.Errorf("event %d: %+v in %v", id, c, w.result.Took)
		}
	}
}

// TestCallsTimes compares times of calls with those of the parts.
func TestCallsTimes(t *testing.T) { eachVersion(t, testCallsTimes) }

func testCallsTimes(t *testing.T, v format.Version) {
	enter, void := enterIn(v), voidFooter(v)
	s := &callsStory{version: v}
	s.refer(t, 1, 3)
	s.part(calls.Part{Objects: slices.Concat(enter(1), enter(2), void), Times: each(1, 0, 5, 7), Last: true, Ended: 100}, 1000)
	_, w := callsText(t, s.trace)
	times := containerTimes(t, w)
	for id, want := range map[int32]format.TimeCell{
		10: {ID: 10, Start: 0, Duration: 112}, 20: {ID: 20, Start: 5, Duration: 7},
	} {
		if times[id] != want {
			t.Errorf("event %d: %+v, want %+v", id, times[id], want)
		}
	}
	if w.origin != 1000 || w.result.Took != 112 || w.result.Events != 2 {
		t.Errorf("from %d: %+v", w.origin, w.result)
	}
}

// TestCallsBesideTracks has recorded calls in a trace of track events: their ids do
// not collide.
func TestCallsBesideTracks(t *testing.T) { eachVersion(t, testCallsBesideTracks) }

func testCallsBesideTracks(t *testing.T, v format.Version) {
	enter, void := enterIn(v), voidFooter(v)
	events := simple()
	events.begin(100, "A")
	s := &callsStory{version: v, trace: events.trace}
	s.refer(t, 1, 2)
	s.part(calls.Part{Objects: slices.Concat(enter(1), void), Times: each(2, 1)}, 1000)
	_, w := callsText(t, s.trace)
	whole(t, w)
	if r := w.result; r.Version != format.Newest || r.Events != 2 || len(r.Threads) != 2 || r.Threads[1].ID <= r.Threads[0].ID || len(r.LeftOut) > 0 {
		t.Errorf("%+v", r)
	}
}

// TestCallsOfSeveral has calls of several recorders: threads are distinguished by
// their processes, and by their ids.
func TestCallsOfSeveral(t *testing.T) { eachVersion(t, testCallsOfSeveral) }

func testCallsOfSeveral(t *testing.T, v format.Version) {
	enter, void := enterIn(v), voidFooter(v)
	s := &callsStory{version: v}
	for recorder, pid := range []uint64{100, 200, 100, 0} {
		s.refer(t, uint64(recorder+1), 2)
		p := calls.Part{Recorder: uint64(recorder + 1), Format: int(v), HasThread: true, Thread: 2, Name: "main",
			Objects: slices.Concat(enter(1), void), Times: each(2, 1)}
		var packet message
		packet.number(pbfield.TracePacket_Timestamp, 1000)
		packet.bytes(pbfield.TracePacket_TracexCalls, p.Append(nil))
		packet.number(pbfield.TracePacket_TrustedPacketSequenceId, uint64(recorder+2))
		if pid != 0 {
			packet.number(pbfield.TracePacket_TrustedPid, pid)
		}
		s.trace = appendPacket(s.trace, packet)
	}
	named := &story{}
	named.track(7, 0, "", ofProcessOf(200, "server"))
	s.trace = append(s.trace, named.trace...)
	_, w := callsText(t, s.trace)
	whole(t, w)
	ctx := format.NewContext(w.result.Version)
	written, ids := make(map[int32]string), make(map[int32]bool)
	scan := format.NewBytesScanner(w.data)
	for scan.Next() {
		switch o := scan.Object(); o.Kind {
		case format.KindThreadName:
			id, _, err := ctx.Add(o.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			written[id] = ctx.Thread(id).Name
		case format.KindTracePoint:
			var p format.Point
			if _, err := scan.Version().DecodePoint(o.Bytes, &p); err != nil || ids[p.Event] {
				t.Errorf("event %d: %v", p.Event, err)
			}
			ids[p.Event] = true
		}
	}
	for i, want := range []Thread{
		{Name: "process 100 › main", PID: 100}, {Name: "server 200 › main", PID: 200, Process: "server"},
		{Name: "process 100 #2 › main", PID: 100}, {Name: "recording › main"},
	} {
		got := w.result.Threads[i]
		if want.ID, want.Thread = got.ID, "main"; got != want || written[got.ID] != want.Name {
			t.Errorf("%+v, written as %q, want %+v", got, written[got.ID], want)
		}
	}
	if len(ids) != 4 || len(written) != 4 {
		t.Errorf("%d events, %d threads", len(ids), len(written))
	}
}

// TestCallsDamaged changes one byte, anywhere in packets of calls.
func TestCallsDamaged(t *testing.T) { eachVersion(t, testCallsDamaged) }

func testCallsDamaged(t *testing.T, v format.Version) {
	enter, void := enterIn(v), voidFooter(v)
	s := &callsStory{version: v}
	s.refer(t, 1, 3)
	s.refer(t, 2, 2)
	s.part(calls.Part{Objects: slices.Concat(enter(1), enter(2), void), Times: each(3, 4)}, 1000)
	s.part(calls.Part{Number: 2, Whole: true, Skipped: 1, Open: enter(2), Began: each(1, 1010),
		Objects: slices.Concat(void, enter(1)), Times: each(2, 4), Last: true, Ended: 3}, 2000)
	r := rand.New(rand.NewPCG(3, 4))
	for at := range s.trace {
		for _, to := range []format.Version{0, format.V22, format.V27} {
			damagedCalls(t, s.trace, at, byte(1+r.IntN(255)), to)
		}
	}
	// A trace with all kinds of points and values, at some offsets.
	data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Random, N: 60, Seed: 6, Options: formattest.Options{Version: v}})
	trace := wrap(t, data, 1).story.trace
	for i := range 400 {
		damagedCalls(t, trace, r.IntN(len(trace)), byte(1+r.IntN(255)), versions[i%2])
	}
}

// damagedCalls converts a trace in which one byte is changed.
func damagedCalls(t *testing.T, trace []byte, at int, by byte, to format.Version) {
	t.Helper()
	damaged := bytes.Clone(trace)
	damaged[at] ^= by
	c := New(Options{FormatVersion: to})
	defer c.Close()
	_ = c.Read(t.Context(), bytes.NewReader(damaged)) // it may report damage
	var data bytes.Buffer
	if _, err := c.Write(t.Context(), tracefile.Files{Data: &data, Index: new(bytes.Buffer), Times: new(bytes.Buffer)}); err != nil {
		t.Fatalf("byte %d: %v", at, err)
	}
	scan := format.NewBytesScanner(data.Bytes())
	for scan.Next() {
	}
	if err := scan.Err(); err != nil {
		t.Fatalf("byte %d became %d: %v", at, damaged[at], err)
	}
}
