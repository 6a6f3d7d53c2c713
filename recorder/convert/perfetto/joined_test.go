package perfetto

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/internal/perfetto/calls"
)

const (
	joinedOrigin = 1000 // ns: the monotonic clock at the zero of the trace that is begun
	joinedWall   = 70_000
)

// join adds packets to a trace of another conversion, with a thread "main" and two calls. It returns
// the trace, ended, and why the packets are not in it.
func join(t *testing.T, v format.Version, packets []byte, programs ...Program) (*written, error) {
	t.Helper()
	var data, index, times bytes.Buffer
	to := tracefile.NewWriter(v, tracefile.Files{Data: &data, Index: &index, Times: &times}, time.Unix(0, joinedWall))
	b := &tracefile.Block{Thread: 0, Name: "main", Named: true, Early: true}
	class, err := (&format.ClassDescriptor{Name: "main"}).Append(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	b.Reference(class, v)
	for id, name := range []string{"outer", "inner"} {
		method, err := (&format.MethodDescriptor{ID: int32(id), Name: name, Result: format.Type{Kind: format.TypeVoid}}).Append(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		b.Reference(method, v)
	}
	outer := b.Header(v.AppendCall(b.Bytes(), -1, 0, 0, 0, 0, nil))
	inner := b.Header(v.AppendCall(b.Bytes(), -1, 0, 1, 1, 0, nil))
	b.Footer(append(b.Bytes(), voidFooter(v)...), inner, format.TimeCell{ID: 1, Start: 200, Duration: 100})
	b.Footer(append(b.Bytes(), voidFooter(v)...), outer, format.TimeCell{ID: 0, Start: 100, Duration: 300})
	to.EndThread(b)
	begun := &Begun{To: to, Origin: joinedOrigin, Wall: time.Unix(0, joinedWall), Last: 400, Thread: 1, Events: 2, Programs: programs}
	begun.IDs[format.KindClassDescriptor], begun.IDs[format.KindMethodDescriptor] = 1, 2
	c := NewJoining(Options{Memory: 1 << 10, TempDir: t.TempDir()}, begun)
	defer c.Close()
	if err := c.Read(t.Context(), bytes.NewReader(packets)); err != nil && len(packets) > 0 {
		t.Fatal(err)
	}
	result, failed := c.Join(t.Context())
	if failed != nil {
		result = &Result{}
		if err := to.End(begun.Last); err != nil {
			t.Fatal(err)
		}
	}
	all := *result
	all.Threads = append([]Thread{{Name: "main"}}, result.Threads...)
	w := &written{data: data.Bytes(), index: index.Bytes(), times: times.Bytes(), result: &all}
	if failed == nil {
		whole(t, w)
	}
	return w, failed
}

// joinedPart adds a part of a recorder in a process.
func joinedPart(s *callsStory, pid uint64, name string, at uint64, p calls.Part) {
	p.Recorder, p.HasThread, p.Thread, p.Name = pid, true, 2, name
	_, p.Format = s.in()
	var packet message
	packet.number(packetTimestamp, at)
	packet.bytes(packetCalls, p.Append(nil))
	packet.number(packetTrustedPID, pid)
	s.trace = appendPacket(s.trace, packet)
}

const mainPart = "# main\n 100+300 main.outer()\n 200+100   inner()\n"

// TestJoin adds calls and track events to a trace. Their numbers follow those in it, and their times
// count from its beginning, also where the machine slept.
func TestJoin(t *testing.T) { eachVersion(t, testJoin) }

func testJoin(t *testing.T, v format.Version) {
	enter, void := enterIn(v), voidFooter(v)
	clocks := &story{}
	clocks.clocksAt(clockBoottime, clockBoottime, 11_000, clockMonotonic, 1000, clockRealtime, joinedWall)
	slept := &story{}
	slept.clocksAt(clockBoottime, clockBoottime, 61_000, clockMonotonic, 1800, clockRealtime, joinedWall+50_000)
	s := &callsStory{version: v, referred: 11_050, trace: clocks.trace}
	s.refer(t, 50, 3)
	joinedPart(s, 50, "worker", 11_150, calls.Part{Objects: slices.Concat(enter(1), enter(2), void, void), Times: each(1, 0, 5, 7, 8)})
	s.trace = append(s.trace, slept.trace...)
	joinedPart(s, 50, "worker", 61_001, calls.Part{Number: 1, Objects: slices.Concat(enter(0), void), Times: each(1, 0, 9)})
	events := &story{trace: s.trace}
	events.track(10, 0, "", ofThreadOf(51, 7, "T"))
	events.on(2, 10)
	events.begin(61_005, "A")
	events.end(61_045)

	for _, to := range versions {
		w, err := join(t, to, events.trace, Program{PID: 50, Name: "shop"}, Program{PID: 52, Name: "other"})
		if err != nil {
			t.Fatal(err)
		}
		want := mainPart + "# process 51 › T 7\n 805+40  c.A()\n# shop 50 › worker\n 150+20  Class.m1()\n 155+7     m2()\n 801+9   Class.m0()"
		if got := outline(t, w); got != want {
			t.Errorf("in version %d it is\n%s\nwant\n%s", to, got, want)
		}
		if r := w.result; r.Events != 4 || len(r.Threads) != 3 || len(r.LeftOut) > 0 || r.Version != to {
			t.Errorf("%+v", r)
		}
		seen := map[int32]bool{}
		for id := range containerTimes(t, w) {
			seen[id] = true
		}
		if len(seen) != 6 {
			t.Errorf("events %v", seen)
		}
	}
}

// TestJoinNames has recorders in processes whose threads have a name like that of theirs.
func TestJoinNames(t *testing.T) {
	clocks := &story{}
	clocks.clocksAt(clockBoottime, clockBoottime, 11_000, clockMonotonic, 1000)
	s := &callsStory{referred: 11_050, trace: clocks.trace}
	for _, pid := range []uint64{50, 51, 53} {
		s.refer(t, pid, 1)
		joinedPart(s, pid, "main", 11_100, calls.Part{Objects: slices.Concat(enterIn(format.V22)(0), voidFooter(format.V22)), Times: each(2, 1)})
	}
	w, err := join(t, format.V27, s.trace, Program{PID: 50, Name: "shop", Shown: "shop 50"}, Program{PID: 51, Name: "shop", Shown: "shop 51"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, thread := range w.result.Threads {
		names = append(names, thread.Name)
	}
	if want := []string{"main", "shop 50 #2 › main", "shop 51 #2 › main", "process 53 › main"}; !slices.Equal(names, want) {
		t.Errorf("threads %q, want %q", names, want)
	}
}

// TestJoinEarly has a call from before the trace's zero: it begins there.
func TestJoinEarly(t *testing.T) {
	clocks := &story{}
	clocks.clocksAt(clockBoottime, clockBoottime, 11_000, clockMonotonic, 1000)
	s := &callsStory{referred: 11_050, trace: clocks.trace}
	s.refer(t, 50, 1)
	joinedPart(s, 50, "main", 10_990, calls.Part{Objects: slices.Concat(enterIn(format.V22)(0), voidFooter(format.V22)), Times: each(1, 0, 30)})
	w, err := join(t, format.V27, s.trace)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := outline(t, w), mainPart+"# process 50 › main\n   0+20  Class.m0()\nleft out: 1 recorded call from before the recording; it begins with it"; got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}

// TestJoinClock has packets on the clock that a snapshot declares.
func TestJoinClock(t *testing.T) {
	clocks := &story{}
	clocks.clocksAt(clockMonotonic, clockBoottime, 11_000, clockMonotonic, 1000)
	s := &callsStory{referred: 1100, trace: clocks.trace}
	s.refer(t, 50, 1)
	joinedPart(s, 50, "main", 1110, calls.Part{Objects: slices.Concat(enterIn(format.V22)(0), voidFooter(format.V22)), Times: each(1, 0, 30)})
	w, err := join(t, format.V27, s.trace)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := outline(t, w), mainPart+"# process 50 › main\n 110+30  Class.m0()"; got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
	if end := format.DecodeTimeCell(w.times[len(w.times)-format.TimeCellSize:]); end.Start != 400 {
		t.Errorf("it ends at %+v, want 400", end)
	}
}

// TestJoinWithoutClock does not guess: the trace stays as it was.
func TestJoinWithoutClock(t *testing.T) {
	for name, c := range map[string]struct {
		clocks []uint64
		why    string // "" if there is nothing to add
	}{
		"none":            {nil, "has both"},
		"other clocks":    {[]uint64{clockBoottime, 11_000, clockRealtime, joinedWall}, "has both"},
		"another machine": {[]uint64{clockBoottime, 11_000, clockMonotonic, 1000, clockRealtime, joinedWall + 3_601e9}, "more than an hour"},
		"nothing to add":  {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			first := &story{}
			if c.clocks != nil {
				first.clocksAt(clockBoottime, c.clocks...)
			}
			s := &callsStory{referred: 11_050, trace: first.trace}
			if c.why != "" {
				s.refer(t, 50, 1)
				joinedPart(s, 50, "main", 11_100, calls.Part{Objects: slices.Concat(enterIn(format.V22)(0), voidFooter(format.V22)), Times: each(2, 1)})
			}
			w, err := join(t, format.V27, s.trace)
			if c.why == "" {
				if err != nil || w.result.Events != 0 {
					t.Errorf("%d events, %v", w.result.Events, err)
				}
			} else if !errors.Is(err, ErrClocks) || !strings.Contains(err.Error(), c.why) {
				t.Errorf("the error is %v", err)
			}
			if got := outline(t, w); got != strings.TrimSpace(mainPart) {
				t.Errorf("the trace is %s", got)
			}
			if text := pointsText(t, w); text != "(m0(m1))" {
				t.Errorf("it has %s", text)
			}
		})
	}
}
