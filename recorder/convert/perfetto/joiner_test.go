package perfetto

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/tracetest"
)

// spooled is a file of packets that grows, beside a trace to which both conversions add.
type spooled struct {
	*otherTrace
	*Joiner
	packets []byte
}

func newSpooled(t *testing.T, v format.Version, o Options) *spooled {
	t.Helper()
	s := &spooled{otherTrace: newOtherTrace(t, v)}
	s.Joiner = NewJoiner(o, s, s.to)
	t.Cleanup(s.Close)
	clocks := &story{}
	clocks.clocksAt(clockBoottime, clockBoottime, joinedOrigin, clockMonotonic, joinedOrigin)
	s.packets = clocks.trace
	return s
}

func (s *spooled) ReadAt(b []byte, at int64) (int, error) {
	return bytes.NewReader(s.packets).ReadAt(b, at)
}

// advance adds the calls in the first bytes of the packets.
func (s *spooled) advance(t *testing.T, calls int) {
	t.Helper()
	if err := s.Advance(t.Context(), int64(calls), int64(len(s.packets))); err != nil {
		t.Fatal(err)
	}
	data := s.data.Bytes()
	if format.Kind(data[len(data)-1]) != format.KindBlockEnd {
		t.Fatalf("the data ends with %d", data[len(data)-1])
	}
}

func (s *spooled) join(t *testing.T) *written {
	t.Helper()
	r, damage, err := s.Join(t.Context(), int64(len(s.packets)))
	if damage != nil || err != nil {
		t.Fatal(damage, err)
	}
	return s.ended(r)
}

// growing returns what a reader finds in the trace now.
func (s *spooled) growing(t *testing.T) string {
	t.Helper()
	var all []string
	ctx := format.NewContext(s.to.Version())
	scan := format.NewBytesScanner(s.data.Bytes())
	for scan.Next() {
		switch o := scan.Object(); {
		case o.Kind.Reference():
			if _, _, err := ctx.Add(o.Bytes); err != nil {
				t.Fatal(err)
			}
		case o.Kind == format.KindTracePoint:
			var p format.Point
			if _, err := scan.Version().DecodePoint(o.Bytes, &p); err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprintf("%d:%s", o.Thread, ctx.MethodName(p.Ref)))
		}
	}
	if err := scan.Err(); err != nil && !errors.Is(err, format.ErrTruncated) {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// TestJoinerAdvances: calls are in the trace while it grows, and so is what the other conversion adds.
// Those after the mark are not: their names may be missing.
func TestJoinerAdvances(t *testing.T) { eachVersion(t, testJoinerAdvances) }

func testJoinerAdvances(t *testing.T, v format.Version) {
	enter, void := enterIn(v), voidFooter(v)
	s := newSpooled(t, v, Options{})
	story := &callsStory{version: v, trace: s.packets}
	shown := func(calls int, want string) {
		t.Helper()
		s.packets = story.trace
		s.advance(t, calls)
		if got := s.growing(t); got != want {
			t.Errorf("it has %s\nwant %s", got, want)
		}
	}
	story.part(calls.Part{Objects: slices.Concat(enter(1), enter(2)), Times: each(2, 3)}, 1500)
	mark := len(story.trace)
	story.refer(t, 1, 3)
	story.part(calls.Part{Number: 1, Objects: slices.Concat(void, enter(0)), Times: each(2, 3)}, 1600)
	shown(mark, "0:outer 0:inner 1:m1 1:m2")
	s.more(t)
	shown(len(story.trace), "0:outer 0:inner 1:m1 1:m2 0:more 1:m0")
	s.more(t)
	w := s.join(t)
	whole(t, w)
	want := "# main\n 100+300 main.outer()\n 200+100   inner()\n 506+5   main.more()\n 606+5   main.more()\n" +
		"# recording › worker\n 503+108 Class.m1(): <unfinished method>\n 506+97    m2()\n 606+5     m0(): <unfinished method>"
	if got := outline(t, w); got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}

// TestJoinerGap has a part that was lost. The next one lists what is open: the calls that were open before are
// found by their recorder's numbers.
func TestJoinerGap(t *testing.T) { eachVersion(t, testJoinerGap) }

func testJoinerGap(t *testing.T, v format.Version) {
	enter, void := enterIn(v), voidFooter(v)
	s := newSpooled(t, v, Options{})
	story := &callsStory{version: v, trace: s.packets}
	story.refer(t, 1, 5)
	story.part(calls.Part{Objects: slices.Concat(enter(1), enter(2), enter(3)), Times: each(3, 1)}, 1500)
	s.packets = story.trace
	s.advance(t, len(s.packets))
	s.more(t)
	story.part(calls.Part{Number: 2, Whole: true, Open: slices.Concat(enter(1), enter(4)), Began: each(1, 1501, 9), Objects: slices.Concat(void, void), Times: each(2, 10)}, 2000)
	story.part(calls.Part{Number: 2, Objects: enter(0), Times: each(1, 10)}, 2000) // again
	s.packets = story.trace
	w := s.join(t)
	whole(t, w)
	want := "# main\n 100+300 main.outer()\n 200+100   inner()\n 503+5   main.more()\n" +
		"# recording › worker\n 501+519 Class.m1()\n   0+-1    m2(): <unfinished method>\n   0+-1      m3(): <unfinished method>\n 510+500   m4()\n" +
		"left out: 1 duplicate packet of recorded calls\nleft out: 1 gap in recorded calls; calls open there end at an unknown time"
	if got := outline(t, w); got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
	unique(t, w)
}

// TestJoinerFlipped has a byte that is changed: the trace can be read.
func TestJoinerFlipped(t *testing.T) {
	data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Random, N: 20, Seed: 1, Options: formattest.Options{Version: format.V27}})
	sound := wrap(t, data, 1).story.trace
	random := rand.New(rand.NewPCG(1, 2))
	for at := 0; at < len(sound); at += 1 + random.IntN(16) {
		s := newSpooled(t, format.V27, Options{})
		s.packets = append(s.packets, sound...)
		s.packets[len(s.packets)-len(sound)+at] ^= byte(1 + random.IntN(255))
		for _, mark := range []int{len(s.packets) / 2, len(s.packets)} {
			s.advance(t, mark)
			s.more(t)
		}
		r, _, err := s.Join(t.Context(), int64(len(s.packets)))
		if err != nil {
			t.Fatalf("byte %d: %v", at, err)
		}
		readable(t, s.ended(r), format.V27)
		s.Close()
	}
}

// TestJoinerRandom adds the calls of two recorders at random moments. In the end the trace has what the
// packets of each recorder become alone, with numbers that nothing else has.
func TestJoinerRandom(t *testing.T) {
	for _, shape := range []formattest.Shape{formattest.Calls, formattest.Deep, formattest.Threads, formattest.Random} {
		for _, v := range versions {
			for seed := range uint64(4) {
				t.Run(fmt.Sprint(shape, " ", v, " ", seed), func(t *testing.T) { testJoinerRandom(t, shape, v, seed) })
			}
		}
	}
}

func testJoinerRandom(t *testing.T, shape formattest.Shape, v format.Version, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 2))
	s := newSpooled(t, v, Options{BlockSize: 1 << 10})
	var want []string
	var queues [2][][]byte
	for i := range queues {
		data, _ := formattest.Bytes(t, formattest.Spec{Shape: shape, N: 400, Seed: seed + uint64(i), Options: formattest.Options{Version: v}})
		all := frames(t, wrap(t, data, uint64(1+i)).story.trace)
		if last := len(all) - 1; seed%2 == 0 { // names are in the last one
			all = slices.Concat(all[last:], all[:last])
		}
		queues[i] = all
		alone, err := convertBytes(t, slices.Concat(s.packets, slices.Concat(all...)), Options{FormatVersion: v})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, threadTexts(t, alone)...)
	}
	mark, others := 0, 0
	for len(queues[0])+len(queues[1]) > 0 {
		if q := &queues[random.IntN(2)]; len(*q) > 0 {
			s.packets = append(s.packets, (*q)[0]...)
			*q = (*q)[1:]
		}
		switch random.IntN(6) {
		case 0:
			mark = len(s.packets)
		case 1:
			s.advance(t, mark)
		case 2:
			s.more(t)
			others++
		}
	}
	w := s.join(t)
	if seed%2 == 0 {
		whole(t, w)
	}
	got := threadTexts(t, w)[1:]
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("it is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if s.to.Events != w.result.Events+2+int64(others) {
		t.Errorf("%d events, of which %d were added to %d", s.to.Events, w.result.Events, 2+others)
	}
	unique(t, w)
}

// threadTexts returns the text of each thread without its name. It checks the index.
func threadTexts(t *testing.T, w *written) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.bin")
	for suffix, b := range map[string][]byte{"": w.data, format.IndexSuffix: w.index, format.TimesSuffix: w.times} {
		if err := os.WriteFile(path+suffix, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	forest := tracetest.Load(t, path)
	if _, err := lazy.VerifyIndex(t.Context(), path, "", nil); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := forest.Print(&text, lazy.PrintOptions{}); err != nil {
		t.Fatal(err)
	}
	all := strings.Split("\n"+text.String(), "\n# ")[1:]
	for i := range all {
		_, all[i], _ = strings.Cut(strings.TrimSpace(all[i]), "\n")
	}
	return all
}

// unique fails the test if two events or two names have the same number.
func unique(t *testing.T, w *written) {
	t.Helper()
	events, names := map[int32]bool{}, map[reference]string{}
	s := format.NewBytesScanner(w.data)
	for s.Next() {
		switch o := s.Object(); {
		case o.Kind == format.KindTracePoint:
			event := format.EventOf(o.Bytes)
			if events[event] {
				t.Fatalf("two events have the number %d", event)
			}
			events[event] = true
		case o.Kind.Reference() && o.Kind != format.KindThreadName:
			name := reference{o.Kind, s.Version().ReferenceID(o.Bytes)}
			if before, met := names[name]; met && before != string(o.Bytes) {
				t.Fatalf("%v is %q and %q", name, before, o.Bytes)
			}
			names[name] = string(o.Bytes)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
}
