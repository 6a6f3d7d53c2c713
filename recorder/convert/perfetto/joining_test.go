package perfetto

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/pbfield"
	"tracex/format/tracefile"
	"tracex/recorder/internal/perfetto/calls"
)

const (
	joinedOrigin = 1000 // ns: the monotonic clock at the zero of the trace that is begun
	joinedWall   = 70_000
)

// otherTrace is a trace of another conversion, with a thread "main".
type otherTrace struct {
	data, index, times bytes.Buffer
	to                 *tracefile.Writer
	main               *tracefile.Block
}

// newOtherTrace begins a trace with two calls.
func newOtherTrace(t *testing.T, v format.Version, programs ...*tracefile.Program) *otherTrace {
	t.Helper()
	o := &otherTrace{main: &tracefile.Block{Thread: 0, Name: "main", Named: true, Early: true}}
	o.to = tracefile.NewWriter(v, tracefile.Files{Data: &o.data, Index: &o.index, Times: &o.times}, time.Unix(0, joinedWall))
	o.to.Origin, o.to.Threads, o.to.Programs = joinedOrigin, 1, programs
	o.refer(t, &format.ClassDescriptor{Name: "main"}, format.KindClassDescriptor)
	outer, inner := o.method(t, "outer"), o.method(t, "inner")
	at := o.enter(outer)
	o.leave(o.enter(inner), 1, 200, 100)
	o.leave(at, 0, 100, 300)
	o.to.Flush(o.main)
	return o
}

func (o *otherTrace) refer(t *testing.T, object interface {
	Append([]byte, format.Version) ([]byte, error)
}, kind format.Kind) {
	t.Helper()
	b, err := object.Append(nil, o.to.Version())
	if err != nil {
		t.Fatal(err)
	}
	o.main.Reference(b, o.to.Version())
	o.to.IDs[kind]++
}

// method adds a method of class 0.
func (o *otherTrace) method(t *testing.T, name string) (id int32) {
	t.Helper()
	id = o.to.IDs[format.KindMethodDescriptor]
	o.refer(t, &format.MethodDescriptor{ID: id, Name: name, Result: format.Type{Kind: format.TypeVoid}}, format.KindMethodDescriptor)
	return id
}

func (o *otherTrace) enter(method int32) (content int64) {
	o.to.Events++
	return o.main.Header(o.to.Version().AppendCall(o.main.Bytes(), -1, 0, int32(o.to.Events-1), method, 0, nil))
}

func (o *otherTrace) leave(content int64, event int32, start, took int64) {
	o.main.Footer(append(o.main.Bytes(), voidFooter(o.to.Version())...), content, format.TimeCell{ID: event, Start: start, Duration: took})
	o.to.Last = max(o.to.Last, start+took)
}

// more adds a call of a method that is new.
func (o *otherTrace) more(t *testing.T) {
	t.Helper()
	event, start := int32(o.to.Events), o.to.Last
	o.leave(o.enter(o.method(t, "more")), event, start, 5)
	o.to.Flush(o.main)
}

// ended returns the trace with what was added.
func (o *otherTrace) ended(added *Result) *written {
	all := *added
	all.Threads = append([]Thread{{Name: "main"}}, added.Threads...)
	return &written{data: o.data.Bytes(), index: o.index.Bytes(), times: o.times.Bytes(), result: &all}
}

// join adds packets to a trace of another conversion. It returns the trace, ended, and why the packets are
// not in it.
func join(t *testing.T, v format.Version, packets []byte, programs ...*tracefile.Program) (*written, error) {
	t.Helper()
	o := newOtherTrace(t, v, programs...)
	j := NewJoiner(Options{Memory: 1 << 10, TempDir: t.TempDir()}, bytes.NewReader(packets), o.to)
	defer j.Close()
	result, damage, failed := j.Join(t.Context(), int64(len(packets)))
	if damage != nil {
		t.Fatal(damage)
	}
	if failed != nil {
		if err := o.to.End(o.to.Last); err != nil {
			t.Fatal(err)
		}
		return o.ended(&Result{}), failed
	}
	w := o.ended(result)
	whole(t, w)
	return w, nil
}

// joinedPart adds a part of a recorder in a process.
func joinedPart(s *callsStory, pid uint64, name string, at uint64, p calls.Part) {
	p.Recorder, p.HasThread, p.Thread, p.Name = pid, true, 2, name
	_, p.Format = s.in()
	var packet message
	packet.number(pbfield.TracePacket_Timestamp, at)
	packet.bytes(pbfield.TracePacket_TracexCalls, p.Append(nil))
	packet.number(pbfield.TracePacket_TrustedPid, pid)
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
		w, err := join(t, to, events.trace, &tracefile.Program{PID: 50, Name: "shop"}, &tracefile.Program{PID: 52, Name: "other"})
		if err != nil {
			t.Fatal(err)
		}
		// Calls in the version of the trace are added as they come, before all else.
		parts := []string{"\n# shop 50 › worker\n 150+20  Class.m1()\n 155+7     m2()\n 801+9   Class.m0()", "\n# process 51 › T 7\n 805+40  c.A()"}
		if to != v {
			slices.Reverse(parts)
		}
		want := strings.TrimSpace(mainPart) + strings.Join(parts, "")
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
	w, err := join(t, format.V27, s.trace, &tracefile.Program{PID: 50, Name: "shop", Shown: "shop 50"}, &tracefile.Program{PID: 51, Name: "shop", Shown: "shop 51"})
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
	if times := formattest.TimeCells(t, w.times); times[len(times)-1].Start != 400 {
		t.Errorf("it ends at %+v, want 400", times[len(times)-1])
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
