package perfetto

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/format/pbfield"
)

// story builds a trace packet by packet, for tests.
type story struct {
	trace    []byte
	sequence uint64
	time     uint64
}

// add adds a packet of the sequence, at the time; fill makes its fields.
func (s *story) add(fill func(p *message)) {
	var p message
	if s.time != 0 {
		p.number(pbfield.TracePacket_Timestamp, s.time)
	}
	fill(&p)
	if s.sequence != 0 {
		p.number(pbfield.TracePacket_TrustedPacketSequenceId, s.sequence)
	}
	s.trace = appendPacket(s.trace, p)
}

// on continues in a sequence whose state is reset, with a default track for its
// events.
func (s *story) on(sequence, track uint64) {
	s.sequence = sequence
	s.add(func(p *message) {
		p.number(pbfield.TracePacket_SequenceFlags, flagCleared)
		p.bytes(pbfield.TracePacket_TracePacketDefaults, nested(func(d *message) {
			d.bytes(pbfield.TracePacketDefaults_TrackEventDefaults, nested(func(e *message) { e.number(pbfield.TrackEventDefaults_TrackUuid, track) }))
		}))
	})
}

// event adds an event, of category "c" if it begins a slice.
func (s *story) event(time, kind uint64, name string, more ...func(e *message)) {
	s.time = time
	s.add(func(p *message) {
		p.bytes(pbfield.TracePacket_TrackEvent, nested(func(e *message) {
			e.number(pbfield.TrackEvent_Type, kind)
			if kind != pbfield.TrackEvent_TYPE_SLICE_END {
				e.text(pbfield.TrackEvent_Categories, "c")
			}
			if name != "" {
				e.text(pbfield.TrackEvent_Name, name)
			}
			for _, f := range more {
				f(e)
			}
		}))
	})
}

func (s *story) begin(time uint64, name string, more ...func(e *message)) {
	s.event(time, pbfield.TrackEvent_TYPE_SLICE_BEGIN, name, more...)
}
func (s *story) end(time uint64, more ...func(e *message)) {
	s.event(time, pbfield.TrackEvent_TYPE_SLICE_END, "", more...)
}
func (s *story) instant(time uint64, name string, more ...func(e *message)) {
	s.event(time, pbfield.TrackEvent_TYPE_INSTANT, name, more...)
}

// track adds a description of a track.
func (s *story) track(uuid, parent uint64, name string, more ...func(d *message)) {
	s.add(func(p *message) {
		p.bytes(pbfield.TracePacket_TrackDescriptor, nested(func(d *message) {
			d.number(pbfield.TrackDescriptor_Uuid, uuid)
			if parent != 0 {
				d.number(pbfield.TrackDescriptor_ParentUuid, parent)
			}
			if name != "" {
				d.text(pbfield.TrackDescriptor_Name, name)
			}
			for _, f := range more {
				f(d)
			}
		}))
	})
}

func nested(fill func(m *message)) message {
	var m message
	fill(&m)
	return m
}

func onTrack(uuid uint64) func(*message) {
	return func(e *message) { e.number(pbfield.TrackEvent_TrackUuid, uuid) }
}

func field(number protowire.Number, b message) func(*message) {
	return func(m *message) { m.bytes(number, b) }
}

func ofThreadOf(pid, tid uint64, name string) func(*message) {
	return field(pbfield.TrackDescriptor_Thread, nested(func(m *message) {
		m.number(1, pid)
		m.number(2, tid)
		m.text(5, name)
	}))
}

func ofProcessOf(pid uint64, name string) func(*message) {
	return field(pbfield.TrackDescriptor_Process, nested(func(m *message) {
		m.number(1, pid)
		m.text(6, name)
	}))
}

// annotate adds a debug annotation.
func annotate(name string, fill func(a *message)) func(*message) {
	return field(pbfield.TrackEvent_DebugAnnotations, nested(func(a *message) {
		a.text(pbfield.DebugAnnotation_Name, name)
		fill(a)
	}))
}

func intValue(n uint64) func(*message) {
	return func(a *message) { a.number(pbfield.DebugAnnotation_IntValue, n) }
}

// simple begins a story of one thread.
func simple() *story {
	s := &story{}
	s.on(2, 10)
	s.track(10, 0, "", ofThreadOf(1, 5, "main"))
	return s
}

// tells converts the story and compares the result with the expected text, in each
// version: for each thread its name, and for each point its time and its text; lines
// that begin with "left out" list what is left out.
func (s *story) tells(t *testing.T, want string) (w *written) {
	t.Helper()
	want = strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(want, "\n\t", "\n"), "\n\t", "\n"))
	for _, v := range []format.Version{format.V22, 0} {
		var err error
		if w, err = convertBytes(t, s.trace, Options{FormatVersion: v}); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(outline(t, w)); got != want {
			t.Errorf("version %d of the trace is\n%s\nwant\n%s", w.result.Version, got, want)
		}
	}
	return w
}

// outline returns a trace as text, with times.
func outline(t *testing.T, w *written) string {
	t.Helper()
	ctx, times := contextOf(t, w.data), containerTimes(t, w)
	type level struct{ line, method int32 }
	lines := make(map[int32][]string)
	open := make(map[int32][]level)
	texts := make(map[int32][]format.Point)
	s := format.NewBytesScanner(w.data)
	for s.Next() {
		o := s.Object()
		switch o.Kind {
		case format.KindTracePoint:
			var p format.Point
			if _, err := s.Version().DecodePoint(o.Bytes, &p); err != nil {
				t.Fatal(err)
			}
			parent := format.Parent{}
			if stack := open[o.Thread]; len(stack) > 0 {
				parent = format.Parent{Call: true, Method: stack[len(stack)-1].method}
			}
			at := "        "
			if o.Class == format.ClassCall {
				cell := times[p.Event]
				at = fmt.Sprintf("%4d+%-3d", w.origin+cell.Start, cell.Duration)
				open[o.Thread] = append(open[o.Thread], level{int32(len(lines[o.Thread])), p.Ref})
			}
			text := string(ctx.AppendText(nil, &p, nil, parent, false))
			if l := ctx.Location(p.Location); l != nil && l.Line > 0 {
				text = string(ctx.AppendText(nil, &p, nil, parent, true))
			}
			lines[o.Thread] = append(lines[o.Thread], at+" "+strings.Repeat("  ", o.Depth)+text)
			texts[o.Thread] = append(texts[o.Thread], p)
		case format.KindFooter:
			stack := open[o.Thread]
			top := stack[len(stack)-1]
			open[o.Thread] = stack[:len(stack)-1]
			var f format.Footer
			if _, err := s.Version().DecodeFooter(o.Bytes, o.Class, &f); err != nil {
				t.Fatal(err)
			}
			if f.Result.Kind != format.ValueVoid {
				lines[o.Thread][top.line] += ": " + string(ctx.AppendValueText(nil, &f.Result))
			}
		}
	}
	var out []string
	for _, l := range w.result.Threads {
		out = append(append(out, "# "+l.Name), lines[l.ID]...)
	}
	for _, l := range w.result.LeftOut {
		out = append(out, fmt.Sprintf("left out: %d %s", l.Count, l.What))
	}
	return strings.Join(slices.Compact(out), "\n")
}
