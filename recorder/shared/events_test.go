package shared_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tracex/recorder"
	"tracex/recorder/internal/versiontest"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/shared/sharedtest"
)

// eventTexts returns the texts of the track events of one thread.
func eventTexts(t *testing.T, packets []*messages.TracePacket) (texts []string, thread string, timed bool) {
	t.Helper()
	names, categories, keys := map[uint64]string{}, map[uint64]string{}, map[uint64]string{}
	last := uint64(0)
	for _, p := range packets {
		if d := p.GetTrackDescriptor().GetThread(); d != nil {
			thread = d.GetThreadName()
		}
		for _, n := range p.GetInternedData().GetEventNames() {
			names[n.GetIid()] = n.GetName()
		}
		for _, c := range p.GetInternedData().GetEventCategories() {
			categories[c.GetIid()] = c.GetName()
		}
		for _, k := range p.GetInternedData().GetDebugAnnotationNames() {
			keys[k.GetIid()] = k.GetName()
		}
		e := p.GetTrackEvent()
		if e == nil {
			continue
		}
		if now := p.GetTimestamp(); p.GetTimestampClockId() == uint32(messages.BuiltinClock_BUILTIN_CLOCK_BOOTTIME) {
			if now < last || now > producer.BootTime(time.Now()) {
				t.Errorf("an event is from %d, the one before from %d", now, last)
			}
			last = now
		}
		text := strings.ToLower(strings.TrimPrefix(e.GetType().String(), "TYPE_"))
		if e.GetNameIid() != 0 {
			text += " " + categories[e.GetCategoryIids()[0]] + "." + names[e.GetNameIid()]
		}
		for _, a := range e.GetDebugAnnotations() {
			key := keys[a.GetNameIid()]
			a.NameField = nil
			text += fmt.Sprintf(", %s %s", key, strings.ReplaceAll(a.String(), "  ", " "))
		}
		texts = append(texts, text)
	}
	return texts, thread, last > 0
}

// TestTrackEvents records as track events.
func TestTrackEvents(t *testing.T) { versiontest.EachVersion(t, testTrackEvents) }

func testTrackEvents(t *testing.T) {
	for _, noTimes := range []bool{false, true} {
		g := sharedtest.Start(t, "track_event", 0)
		r := start(t, recorder.Config{TrackEvents: true, NoTimes: noTimes})
		class := r.Class("shop.Order")
		m, v := r.Method(class, "total", recorder.ObjectType("T")), r.Variable("sum", recorder.ObjectType("T"))
		outer := r.Method(class, "pay", recorder.ObjectType("T"))
		loop := r.Caller(0)
		thread := r.Thread("worker")
		thread.Enter(outer, 0, recorder.Object(class, 7), recorder.Int(1), recorder.String("two"), recorder.Bool(true))
		thread.Loop(loop)
		thread.Iteration(loop)
		thread.Enter(m, 0, recorder.Null(), recorder.Float64(0.5), recorder.Char('x'))
		thread.WriteVariable(v, 0, recorder.Int(3))
		thread.Exit(recorder.Int(42))
		thread.EndLoop()
		thread.Panic("errors.errorString")
		if _, err := r.Flush(); err != nil {
			t.Error(err)
		}
		thread.Enter(m, 0, recorder.Null())
		thread.End()
		if err := r.Stop(); err != nil {
			t.Error(err)
		}
		got, name, timed := eventTexts(t, g.Finish())
		if timed == noTimes {
			t.Errorf("without times: %v; events have some: %v", noTimes, timed)
		}
		want := []string{
			`slice_begin shop.Order.pay, this string_value:"Order@7", argument 1 int_value:1, argument 2 string_value:"two", argument 3 bool_value:true`,
			`slice_begin code.loop`,
			`slice_begin code.iteration`,
			`slice_begin shop.Order.total, argument 1 double_value:0.5, argument 2 string_value:"'x'"`,
			`instant code.write variable, text string_value:"sum = 3"`,
			`slice_end, result int_value:42`,
			`slice_end`,
			`slice_end`,
			`slice_end, threw string_value:"errors.errorString"`,
			`slice_begin shop.Order.total`,
			`slice_end`,
		}
		if !slices.Equal(got, want) || name != "worker" {
			t.Errorf("thread %q:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestTrackEventsOfASession flushes a session, and ends it, while the program records: what
// happened before that is in the trace.
func TestTrackEventsOfASession(t *testing.T) { versiontest.EachVersion(t, testTrackEventsOfASession) }

func testTrackEventsOfASession(t *testing.T) {
	g := sharedtest.Start(t, "track_event", 0)
	r := start(t, recorder.Config{TrackEvents: true, FlushInterval: -1})
	defer func() {
		if err := r.Stop(); err != nil {
			t.Error(err)
		}
	}()
	m := r.Method(r.Class("Class"), "method", recorder.ObjectType("T"))
	thread := r.Thread("worker")
	thread.Enter(m, 0, recorder.Null())
	g.Flush()
	before, _, _ := eventTexts(t, g.Read())
	thread.Exit(recorder.Int(1))
	after, _, _ := eventTexts(t, g.Finish())
	if len(before) != 1 || len(after) != 1 {
		t.Errorf("flushed: %q; after it: %q", before, after)
	}
}
