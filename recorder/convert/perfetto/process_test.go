package perfetto

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/format/pbfield"
	"tracex/recorder/internal/perfetto/calls"
)

// stamped returns packets with the number of their process.
func stamped(t *testing.T, trace []byte, pid uint64) (all []byte) {
	t.Helper()
	for _, frame := range frames(t, trace) {
		packet, n := protowire.ConsumeBytes(frame[1:])
		if n < 0 {
			t.Fatal("no packet")
		}
		m := message(bytes.Clone(packet))
		m.number(pbfield.TracePacket_TrustedPid, pid)
		all = appendPacket(all, m)
	}
	return all
}

// severalProcesses has calls of recorders in process 50, in the program that it became later, and in
// process 51, which has an event, too.
func severalProcesses(t *testing.T) []byte {
	t.Helper()
	clocks := &story{}
	clocks.clocksAt(clockBoottime, clockBoottime, 11_000, clockMonotonic, 1000, clockRealtime, joinedWall)
	all := clocks.trace
	for i, c := range []struct{ pid, at uint64 }{{50, 11_100}, {50, 12_100}, {51, 11_100}} {
		s := &callsStory{version: format.V27, referred: c.at - 50}
		s.refer(t, uint64(i+1), 4)
		p := calls.Part{Recorder: uint64(i + 1), HasThread: true, Thread: 2, Name: "main", Format: int(format.V27),
			Objects: slices.Concat(enterIn(format.V27)(int32(i+1)), voidFooter(format.V27)), Times: each(2, 3)}
		s.packet(p.Append(nil), c.at)
		all = append(all, stamped(t, s.trace, c.pid)...)
	}
	events := &story{}
	events.track(10, 0, "", ofThreadOf(51, 7, "T"))
	events.on(2, 10)
	events.begin(11_200, "A")
	events.end(11_205)
	return append(all, stamped(t, events.trace, 51)...)
}

// TestProcess joins the packets of one process to the trace of its calls.
func TestProcess(t *testing.T) {
	trace := severalProcesses(t)
	for _, c := range []struct {
		Process
		want string
	}{
		{Process{50, math.MinInt64, 2000}, "\n# process 50 › main\n 103+3   Class.m1()"},
		{Process{50, 2000, math.MaxInt64}, "\n# process 50 › main\n1103+3   Class.m2()"},
		{Process{50, math.MinInt64, math.MaxInt64}, "\n# process 50 › main\n 103+3   Class.m1()\n# process 50 #2 › main\n1103+3   Class.m2()"},
		{Process{51, math.MinInt64, 1150}, "\n# process 51 › main\n 103+3   Class.m3()"},
		{Process{51, 1150, math.MaxInt64}, "\n# process 51 › T 7\n 200+5   c.A()"},
		{Process{52, math.MinInt64, math.MaxInt64}, ""},
	} {
		for _, v := range versions { // the calls of a recorder in another version are joined in the end
			o := newOtherTrace(t, v)
			j := NewJoiner(Options{Process: &c.Process}, bytes.NewReader(trace), o.to)
			defer j.Close()
			r, damage, err := j.Join(t.Context(), int64(len(trace)))
			if damage != nil || err != nil {
				t.Fatal(damage, err)
			}
			if got := outline(t, o.ended(r)); got != strings.TrimSpace(mainPart)+c.want {
				t.Errorf("%+v in version %d: it is\n%s\nwant%s", c.Process, v, got, c.want)
			}
		}
		w, err := convertBytes(t, trace, Options{Process: &c.Process, FormatVersion: format.V27})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(c.want, "()"); w.result.Events != int64(n) {
			t.Errorf("%+v alone has %d events, want %d", c.Process, w.result.Events, n)
		}
	}
}

func TestProcessesOfPackets(t *testing.T) {
	trace := severalProcesses(t)
	for name, b := range map[string][]byte{"whole": trace, "damaged": append(slices.Clone(trace), 0xff)} {
		all, err := Processes(t.Context(), bytes.NewReader(b))
		if got := slices.Sorted(maps.Keys(all)); err != nil || !slices.Equal(got, []int32{50, 51}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	names := &callsStory{version: format.V27}
	names.refer(t, 1, 2)
	if all, err := Processes(t.Context(), bytes.NewReader(names.trace)); err != nil || len(all) > 0 {
		t.Errorf("names alone: %v, %v", all, err)
	}
}
