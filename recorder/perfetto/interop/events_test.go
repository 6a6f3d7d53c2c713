package interop

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"tracex/recorder/perfetto/messages"
)

// expectedRounds returns the events that one thread writes in the given number of
// rounds: the same as in the program's events.rs. The library writes the category
// where it writes the name.
func expectedRounds(thread, rounds int) (list []string) {
	for n := range rounds {
		flow := uint64(thread)<<32 | uint64(n)
		value := fmt.Sprint(n)
		if thread%2 != 0 {
			value = fmt.Sprint(float64(n) + 0.5)
		}
		list = append(list,
			fmt.Sprintf("begin work.outer on worker %d thread=%d round=%d text=round %d even=%v half=%v place=%#x flow=%d",
				thread, thread, -n, n, n%2 == 0, float64(n)/2, 4096+n, flow),
			fmt.Sprintf("instant work.mark on worker %d end of flow=%d at src/events.rs:%d", thread, flow, n),
			fmt.Sprintf("counter . on done by %d %s", thread, value),
			fmt.Sprintf("begin work.inner on worker %d", thread),
			"begin work.waiting on queue",
			fmt.Sprintf("end . on worker %d", thread),
			"end . on queue",
			fmt.Sprintf("end . on worker %d left=%d", thread, n),
		)
	}
	return list
}

// interned is the interned data of a sequence.
type interned struct {
	categories, names, arguments map[uint64]string
	track                        uint64
}

func newInterned() *interned {
	return &interned{make(map[uint64]string), make(map[uint64]string), make(map[uint64]string), 0}
}

func (i *interned) learn(p *messages.TracePacket) {
	d := p.GetInternedData()
	for _, c := range d.GetEventCategories() {
		i.categories[c.GetIid()] = c.GetName()
	}
	for _, n := range d.GetEventNames() {
		i.names[n.GetIid()] = n.GetName()
	}
	for _, n := range d.GetDebugAnnotationNames() {
		i.arguments[n.GetIid()] = n.GetName()
	}
	if e := p.GetTracePacketDefaults().GetTrackEventDefaults(); e != nil {
		i.track = e.GetTrackUuid()
	}
}

// lossMark precedes an event that follows a loss.
const lossMark = "(loss) "

// eventsOf returns the events of each sequence as text, in order. An event before
// its names fails the test.
func eventsOf(t testing.TB, packets []*messages.TracePacket) map[uint32][]string {
	t.Helper()
	tracks := make(map[uint64]string)
	for _, p := range packets {
		d := p.GetTrackDescriptor()
		name := d.GetName() + d.GetStaticName()
		if th := d.GetThread(); th != nil {
			name = th.GetThreadName()
		}
		if d != nil {
			tracks[d.GetUuid()] = name
		}
	}
	states, events := make(map[uint32]*interned), make(map[uint32][]string)
	lost := make(map[uint32]bool)
	for _, p := range packets {
		seq := p.GetTrustedPacketSequenceId()
		if p.GetSequenceFlags()&uint32(messages.TracePacket_SEQ_INCREMENTAL_STATE_CLEARED) != 0 {
			states[seq] = newInterned()
		}
		e := p.GetTrackEvent()
		if e != nil && states[seq] == nil {
			t.Fatalf("sequence %d does not begin at its beginning", seq)
		}
		if states[seq] == nil {
			continue
		}
		states[seq].learn(p)
		// The first packet of each sequence has the mark.
		lost[seq] = lost[seq] || p.GetPreviousPacketDropped() != 0 && len(events[seq]) > 0
		if e != nil {
			text := states[seq].tell(e, tracks)
			if lost[seq] {
				text = lossMark + text
			}
			lost[seq] = false
			events[seq] = append(events[seq], text)
		}
	}
	return events
}

// tell returns an event as text.
func (i *interned) tell(e *messages.TrackEvent, tracks map[uint64]string) string {
	var b strings.Builder
	kind := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(e.GetType().String(), "TYPE_"), "SLICE_"))
	categories := slices.Clone(e.Categories)
	for _, iid := range e.CategoryIids {
		categories = append(categories, i.categories[iid])
	}
	track := i.track
	if e.TrackUuid != nil {
		track = e.GetTrackUuid()
	}
	fmt.Fprintf(&b, "%s %s.%s on %s", kind, strings.Join(categories, ","), e.GetName()+i.names[e.GetNameIid()], tracks[track])
	switch v := e.CounterValueField.(type) {
	case *messages.TrackEvent_CounterValue:
		fmt.Fprint(&b, " ", v.CounterValue)
	case *messages.TrackEvent_DoubleCounterValue:
		fmt.Fprint(&b, " ", v.DoubleCounterValue)
	}
	for _, a := range e.DebugAnnotations {
		fmt.Fprintf(&b, " %s=%s", a.GetName()+i.arguments[a.GetNameIid()], value(a))
	}
	for _, f := range e.FlowIds {
		fmt.Fprintf(&b, " flow=%d", f)
	}
	for _, f := range e.TerminatingFlowIds {
		fmt.Fprintf(&b, " end of flow=%d", f)
	}
	if l := e.GetSourceLocation(); l != nil {
		fmt.Fprintf(&b, " at %s:%d", l.GetFileName(), l.GetLineNumber())
	}
	return b.String()
}

func value(a *messages.DebugAnnotation) string {
	switch v := a.Value.(type) {
	case *messages.DebugAnnotation_BoolValue:
		return fmt.Sprint(v.BoolValue)
	case *messages.DebugAnnotation_UintValue:
		return fmt.Sprint(v.UintValue)
	case *messages.DebugAnnotation_IntValue:
		return fmt.Sprint(v.IntValue)
	case *messages.DebugAnnotation_DoubleValue:
		return fmt.Sprint(v.DoubleValue)
	case *messages.DebugAnnotation_StringValue:
		return v.StringValue
	case *messages.DebugAnnotation_PointerValue:
		return fmt.Sprintf("%#x", v.PointerValue)
	}
	return fmt.Sprintf("%T", a.Value)
}

// checkEvents fails unless the trace has the rounds of threads 0 to threads-1, each
// on its own sequence, and nothing else.
func checkEvents(t testing.TB, packets []*messages.TracePacket, threads, rounds int) {
	t.Helper()
	sequences := slices.Collect(maps.Values(eventsOf(t, packets)))
	if len(sequences) != threads {
		t.Fatalf("%d sequences have events, want %d", len(sequences), threads)
	}
	seen := make(map[string]bool)
	for _, events := range sequences {
		var thread int
		if _, err := fmt.Sscanf(events[0], "begin work.outer on worker %d ", &thread); err != nil {
			t.Fatalf("a sequence begins with %q", events[0])
		}
		sameEvents(t, thread, events, expectedRounds(thread, rounds))
		if seen[events[0]] {
			t.Fatalf("thread %d is there twice", thread)
		}
		seen[events[0]] = true
	}
}

// sameEvents compares the events of a thread.
func sameEvents(t testing.TB, thread int, events, want []string) {
	t.Helper()
	for n := range max(len(want), len(events)) {
		switch {
		case n >= len(events):
			t.Fatalf("thread %d ends after %d events, want %d", thread, n, len(want))
		case n >= len(want):
			t.Fatalf("thread %d has %d events, want %d; the first that is too many is %q", thread, len(events), n, events[n])
		case events[n] != want[n]:
			t.Fatalf("thread %d, event %d is\n%q, want\n%q", thread, n, events[n], want[n])
		}
	}
}
