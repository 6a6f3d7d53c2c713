package producer

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
)

// sequenceReader describes the events of one sequence, given its state.
type sequenceReader struct {
	names, categories, keys map[uint64]string
	home, clock, now        uint64
	boot                    uint64
	valid                   bool
}

// eventReader reads the packets of a trace.
type eventReader struct {
	t         testing.TB
	sequences map[uint32]*sequenceReader
	tracks    map[uint64]*messages.TrackDescriptor
	resets    int
	skipped   int // unreadable events
	last      uint64
}

func newEventReader(t testing.TB) *eventReader {
	return &eventReader{t: t, sequences: map[uint32]*sequenceReader{}, tracks: map[uint64]*messages.TrackDescriptor{}}
}

// read returns the events of packets as text, each as: track, kind, category:name,
// arguments.
func (r *eventReader) read(packets []*messages.TracePacket) (events []string) {
	for _, p := range packets {
		s := r.sequences[p.GetTrustedPacketSequenceId()]
		if s == nil {
			s = &sequenceReader{}
			r.sequences[p.GetTrustedPacketSequenceId()] = s
		}
		if p.GetPreviousPacketDropped() != 0 {
			s.valid = false
		}
		if p.GetSequenceFlags()&stateCleared != 0 {
			r.resets++
			s.begin(p)
		}
		if d := p.GetTrackDescriptor(); d != nil {
			r.tracks[d.GetUuid()] = d
		}
		s.intern(p.GetInternedData())
		if s.clock == clockIncremental {
			s.now += p.GetTimestamp()
		} else {
			s.now = p.GetTimestamp()
		}
		if e := p.GetTrackEvent(); e != nil {
			if !s.valid {
				r.skipped++
				continue
			}
			r.last = s.now
			events = append(events, r.text(s, e))
		}
	}
	return events
}

func (s *sequenceReader) begin(p *messages.TracePacket) {
	*s = sequenceReader{
		names: map[uint64]string{}, categories: map[uint64]string{}, keys: map[uint64]string{},
		home:  p.GetTracePacketDefaults().GetTrackEventDefaults().GetTrackUuid(),
		clock: uint64(p.GetTracePacketDefaults().GetTimestampClockId()), valid: true,
	}
	for _, c := range p.GetClockSnapshot().GetClocks() {
		if uint64(c.GetClockId()) == s.clock {
			s.now = c.GetTimestamp()
		} else {
			s.boot = c.GetTimestamp()
		}
	}
}

func (s *sequenceReader) intern(m *messages.InternedData) {
	for _, c := range m.GetEventCategories() {
		s.categories[c.GetIid()] = c.GetName()
	}
	for _, n := range m.GetEventNames() {
		s.names[n.GetIid()] = n.GetName()
	}
	for _, k := range m.GetDebugAnnotationNames() {
		s.keys[k.GetIid()] = k.GetName()
	}
}

func (r *eventReader) text(s *sequenceReader, e *messages.TrackEvent) string {
	track := s.home
	if e.TrackUuid != nil {
		track = e.GetTrackUuid()
	}
	var b strings.Builder
	d := r.tracks[track]
	if d == nil {
		r.t.Errorf("an event on track %d, of which nothing is known", track)
	}
	fmt.Fprint(&b, d.GetName(), d.GetThread().GetThreadName(), d.GetProcess().GetProcessName())
	fmt.Fprint(&b, " ", strings.ToLower(strings.TrimPrefix(e.GetType().String(), "TYPE_")))
	if e.GetNameIid() != 0 {
		fmt.Fprintf(&b, " %s:%s", s.categories[e.GetCategoryIids()[0]], s.names[e.GetNameIid()])
	}
	for _, a := range e.GetDebugAnnotations() {
		key := s.keys[a.GetNameIid()]
		a.NameField = nil
		fmt.Fprintf(&b, " %s=%s", key, strings.ReplaceAll(a.String(), "  ", " "))
	}
	if e.CounterValueField != nil {
		fmt.Fprint(&b, " ", e.GetCounterValue(), e.GetDoubleCounterValue())
	}
	for _, f := range e.GetFlowIds() {
		fmt.Fprint(&b, " flow ", f)
	}
	for _, f := range e.GetTerminatingFlowIds() {
		fmt.Fprint(&b, " end ", f)
	}
	return b.String()
}

func newEvents(t testing.TB, p *Producer, o EventsOptions) *Events {
	t.Helper()
	e, err := p.Events(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestEvents records events of every kind.
func TestEvents(t *testing.T) {
	dir := ipctest.Directory(t)
	serve(t, dir)
	p := begin(t, dir, Options{Name: "some/prog"})
	e := newEvents(t, p, EventsOptions{Categories: []Category{{Name: "slow", Tags: []string{"slow"}}}})
	settle(t, p)
	worker, thread := e.Goroutine("worker"), e.Thread("thread", 0)
	outer, inner, slow := e.Name("work", "Outer"), e.Name("work", "Inner"), e.Name("slow", "never")
	key, text := e.Key("i"), e.Key("text")
	requests := e.Counter("work", "requests", CounterOptions{Unit: "r"})
	worker.Begin(outer) // no session wants it
	c := consume(t, dir)
	c.enable(session(1024, trackEvent))
	awaitInstance(t, e.source)
	if !e.Enabled(outer) || e.Enabled(slow) {
		t.Error("what is wanted is not enabled, or what is slow is")
	}
	before := e.clock.now()
	worker.Begin(outer, Int(key, -3), String(text, "abc"))
	slice := worker.Slice(inner, Flow(0xabc))
	worker.Instant(slow)
	thread.Instant(inner, Bool(key, true), Uint(key, 1<<63), Float(text, 0.5), Pointer(key, 0x10))
	requests.Set(worker, 12)
	requests.SetFloat(thread, 1.5)
	slice.End(Int(key, 4))
	worker.End(outer)
	below := worker.Track("below")
	below.Begin(e.Name("new", strings.Repeat("long", 50)), FlowEnd(0xabc))
	e.Process().Instant(inner)
	var none *Track
	none.Slice(outer).End()
	none.Track("none").Instant(inner)
	after := e.clock.now()
	r := newEventReader(t)
	got := r.read(c.finish())
	want := []string{
		`worker slice_begin work:Outer i=int_value:-3 text=string_value:"abc"`,
		`worker slice_begin work:Inner flow 2748`,
		`thread instant work:Inner i=bool_value:true i=uint_value:9223372036854775808 text=double_value:0.5 i=pointer_value:16`,
		`requests counter 12 0`,
		`requests counter 0 1.5`,
		`worker slice_end i=int_value:4`,
		`worker slice_end`,
		`below slice_begin new:` + strings.Repeat("long", 50) + ` end 2748`,
		`prog instant work:Inner`,
	}
	slices.Sort(got) // each track may have its own sequence
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if r.skipped != 0 || r.last < before || r.last > after {
		t.Errorf("%d events make no sense; the last was at %d, recorded from %d to %d", r.skipped, r.last, before, after)
	}
	for _, d := range r.tracks {
		if d.GetThread() != nil && (d.GetThread().GetTid() <= noThread || d.GetParentUuid() != e.process.uuid) {
			t.Errorf("a thread is described as %v", d)
		}
	}
	worker.Begin(outer) // no session wants it now
}

// TestEventSettings has sessions with different settings for events.
func TestEventSettings(t *testing.T) {
	dir := ipctest.Directory(t)
	serve(t, dir)
	p := begin(t, dir, Options{})
	e := newEvents(t, p, EventsOptions{})
	settle(t, p)
	a, b := e.Name("a", "A"), e.Name("b", "B")
	key := e.Key("k")
	track := e.Goroutine("g")
	first, second := consume(t, dir), consume(t, dir)
	config := session(1024, trackEvent)
	config.DataSources[0].Config.TrackEventConfig = &messages.TrackEventConfig{
		DisabledCategories: []string{"*"}, EnabledCategories: []string{"b"},
		DisableIncrementalTimestamps: proto.Bool(true), TimestampUnitMultiplier: proto.Uint64(1000),
		FilterDebugAnnotations: proto.Bool(true),
	}
	first.enable(config)
	second.enable(session(1024, trackEvent))
	for len(e.source.Instances()) < 2 {
		awaitInstance(t, e.source)
	}
	before := e.clock.now() / 1000
	track.Begin(a, Int(key, 1))
	track.Begin(b, Int(key, 2))
	track.End(b)
	track.End(a)
	after := e.clock.now() / 1000
	r := newEventReader(t)
	if got, want := r.read(first.finish()), []string{"g slice_begin b:B", "g slice_end"}; !slices.Equal(got, want) {
		t.Errorf("the first session has %q, want %q", got, want)
	}
	if r.last < before || r.last > after {
		t.Errorf("the last event was at %d, recorded from %d to %d", r.last, before, after)
	}
	want := []string{"g slice_begin a:A k=int_value:1", "g slice_begin b:B k=int_value:2", "g slice_end", "g slice_end"}
	if got := newEventReader(t).read(second.finish()); !slices.Equal(got, want) {
		t.Errorf("the second session has %q, want %q", got, want)
	}
}

// TestWanted checks which categories sessions want.
func TestWanted(t *testing.T) {
	slow := Category{Name: "net.slow", Tags: []string{"slow", "io"}}
	for _, c := range []struct {
		config *messages.TrackEventConfig
		of     Category
		want   bool
	}{
		{nil, Category{Name: "net"}, true},
		{nil, slow, false},
		{nil, Category{Name: "disabled-by-default-x"}, false},
		{&messages.TrackEventConfig{EnabledTags: []string{"io"}}, slow, true},
		{&messages.TrackEventConfig{EnabledCategories: []string{"net.*"}}, slow, false}, // its tag matches exactly
		{&messages.TrackEventConfig{EnabledCategories: []string{"net.*"}, DisabledTags: []string{"other"}}, slow, true},
		{&messages.TrackEventConfig{DisabledCategories: []string{"ne*"}}, Category{Name: "net"}, false},
		{&messages.TrackEventConfig{DisabledCategories: []string{"net"}, EnabledCategories: []string{"*"}}, Category{Name: "net"}, false},
		{&messages.TrackEventConfig{DisabledCategories: []string{"*"}, EnabledCategories: []string{"net"}}, Category{Name: "net"}, true},
		{&messages.TrackEventConfig{DisabledCategories: []string{"*"}, EnabledCategories: []string{"ne*"}}, Category{Name: "net"}, true},
		{&messages.TrackEventConfig{DisabledCategories: []string{"ne*"}, EnabledCategories: []string{"*"}}, Category{Name: "net"}, false},
		{&messages.TrackEventConfig{DisabledCategories: []string{"ne*"}, EnabledCategories: []string{"n*"}}, Category{Name: "net"}, true},
		{&messages.TrackEventConfig{EnabledCategories: []string{"*"}}, slow, false},
		{&messages.TrackEventConfig{EnabledTags: []string{"other"}}, slow, true}, // the session has settings for tags
		{&messages.TrackEventConfig{EnabledTags: []string{"io"}, DisabledCategories: []string{"net.slow"}}, slow, false},
		{&messages.TrackEventConfig{EnabledTags: []string{"io"}, DisabledCategories: []string{"net*"}}, slow, true},
		{&messages.TrackEventConfig{EnabledTags: []string{"io"}, DisabledTags: []string{"slow"}}, slow, false},
		{&messages.TrackEventConfig{EnabledTags: []string{"io"}, DisabledTags: []string{"*"}}, slow, true},
		{&messages.TrackEventConfig{DisabledTags: []string{"*"}}, Category{Name: "net"}, true},
	} {
		if got := wanted(c.config, &c.of); got != c.want {
			t.Errorf("%v wants %v: %v", c.config, c.of, got)
		}
	}
}

// TestEventsOfMany has many goroutines record at the same time.
func TestEventsOfMany(t *testing.T) {
	dir := ipctest.Directory(t)
	serve(t, dir)
	p := begin(t, dir, Options{})
	e := newEvents(t, p, EventsOptions{Policy: smb.Stall})
	settle(t, p)
	c := consume(t, dir)
	c.enable(session(16<<10, trackEvent))
	awaitInstance(t, e.source)
	const goroutines, each = 100, 200
	n, k := e.Name("work", "step"), e.Key("i")
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			track := e.Goroutine(fmt.Sprint("g", g))
			for i := range each {
				track.Begin(n, Int(k, int64(i)))
				track.End(n)
			}
		})
	}
	all.Wait()
	r := newEventReader(t)
	byTrack := map[string]int{}
	for _, event := range r.read(c.finish()) {
		track, rest, _ := strings.Cut(event, " ")
		want := "slice_end"
		if i := byTrack[track]; i%2 == 0 {
			want = fmt.Sprintf("slice_begin work:step i=int_value:%d", i/2)
		}
		if rest != want {
			t.Fatalf("event %d of %s is %q, want %q", byTrack[track], track, rest, want)
		}
		byTrack[track]++
	}
	for track, n := range byTrack {
		if n != 2*each {
			t.Errorf("%d events on %s, want %d", n, track, 2*each)
		}
	}
	if len(byTrack) != goroutines {
		t.Errorf("%d tracks, want %d", len(byTrack), goroutines)
	}
}
