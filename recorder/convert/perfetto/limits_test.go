package perfetto

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
	"tracex/recorder/convert/fit"
)

// TestGreedy has small events that would take much memory.
func TestGreedy(t *testing.T) {
	const many = 1 << 16
	s := simple()
	s.time = 100
	s.add(func(p *message) {
		p.bytes(pbfield.TracePacket_TrackEvent, nested(func(e *message) {
			e.number(pbfield.TrackEvent_Type, pbfield.TrackEvent_TYPE_INSTANT)
			e.text(pbfield.TrackEvent_Name, "lists")
			ones := message(bytes.Repeat([]byte{1}, many))
			e.bytes(pbfield.TrackEvent_CategoryIids, ones)
			e.bytes(pbfield.TrackEvent_ExtraCounterTrackUuids, ones)
			e.bytes(pbfield.TrackEvent_FlowIdsOld, ones)
			for range many {
				e.number(pbfield.TrackEvent_CategoryIids, 1)
				e.bytes(pbfield.TrackEvent_Categories, nil)
				e.bytes(pbfield.TrackEvent_DebugAnnotations, nil)
			}
		}))
	})
	c := New(Options{})
	defer c.Close()
	if err := c.Read(t.Context(), bytes.NewReader(s.trace)); err != nil {
		t.Fatal(err)
	}
	e := &c.events.event
	for what, n := range map[string]int{
		"numbers of categories": cap(e.categoryIIDs), "categories": cap(e.categories), "annotations": cap(e.annotations),
		"tracks": cap(e.extraTracks), "flows": cap(e.oldFlows),
	} {
		if n == 0 || n > 2*maxNumbers {
			t.Errorf("room for %d %s", n, what)
		}
	}
	if want := int64(many + maxNumbers - maxArguments); c.events.arguments.left != want {
		t.Errorf("%d arguments are left out, want %d", c.events.arguments.left, want)
	}
}

// TestGreedyState has one packet whose interned texts take more memory than allowed
// for all sequences.
func TestGreedyState(t *testing.T) {
	s := simple()
	entry := func(in *message, iid uint64) {
		in.bytes(pbfield.InternedData_EventNames, nested(func(n *message) { n.number(1, iid) }))
	}
	s.add(func(p *message) {
		var in message
		for iid := range uint64(2 * knownState / internedCost) {
			entry(&in, iid+1)
		}
		p.bytes(pbfield.TracePacket_InternedData, in)
	})
	c := New(Options{})
	defer c.Close()
	if err := c.Read(t.Context(), bytes.NewReader(s.trace)); err != nil {
		t.Fatal(err)
	}
	if q := c.sequences.get(2); q.valid || q.bytes > 0 || c.sequences.forgotten != 1 {
		t.Errorf("a state of %d bytes, valid: %v; %d are forgotten", q.bytes, q.valid, c.sequences.forgotten)
	}
	var in interned
	var b message
	for iid := range uint64(2 * knownState / internedCost) {
		entry(&b, iid+1)
	}
	if in.read(b) || in.bytes > knownState+1<<10 {
		t.Errorf("%d bytes are kept of one packet", in.bytes)
	}
}

// TestGreedyNames has names that are too long.
func TestGreedyNames(t *testing.T) {
	long := strings.Repeat("é", 1<<15)
	s := simple()
	s.track(20, 0, "", ofThreadOf(1, 6, long))
	s.track(21, 0, long)
	s.track(22, 0, "", ofProcessOf(2, long))
	for i := range uint64(3) {
		s.instant(100, "A", onTrack(20+i))
	}
	s.instant(100, long, onTrack(40))
	s.instant(101, "deep", annotate(long, func(a *message) {
		for range 100 {
			a.bytes(pbfield.DebugAnnotation_DictEntries, nested(func(a *message) {
				a.text(pbfield.DebugAnnotation_Name, long)
				a.number(pbfield.DebugAnnotation_IntValue, 1)
			}))
		}
	}), annotate("json", func(a *message) { a.text(pbfield.DebugAnnotation_LegacyJsonValue, `{"`+long+`":{"`+long+`":1}}`) }))
	w, err := convertBytes(t, s.trace, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.result.Threads) != 4 { // two names are cut to the same one
		t.Errorf("%d threads", len(w.result.Threads))
	}
	for _, l := range w.result.Threads {
		if len(l.Name) > 3*fit.MaxName {
			t.Errorf("a name of %d bytes", len(l.Name))
		}
	}
	for _, c := range slicesIn(t, w) {
		for _, a := range strings.Split(c.args, ";") {
			if len(a) > maxPath+100 {
				t.Errorf("an argument with a name of %d bytes", len(a))
			}
		}
	}
	if got := fit.Name([]byte(strings.Repeat("x", fit.MaxName-1) + "é")); got != strings.Repeat("x", fit.MaxName-1)+"…" {
		t.Errorf("%q", got[fit.MaxName-3:])
	}
	if got := fit.Name(protowire.AppendString(nil, "short")); got != "\x05short" {
		t.Errorf("%q", got)
	}
}

// TestTallyAdd: what two conversions of one recording left out is told in one line a reason.
func TestTallyAdd(t *testing.T) {
	var a, b fit.Tally
	kinds := unknownKinds{}
	a.Count(damaged, 1, 7)
	a.Count(kinds.reason(300), 1, 9)
	b.Count(damaged, 2, 1)
	b.Count(withoutTime, 1, 40)
	b.Count(kinds.reason(300), 1, 2)
	b.Count(kinds.reason(301), 1, 4)
	a.Add(&b)
	want := []LeftOut{
		{What: "damaged packets", Count: 3, First: 7}, {What: "packets of kind 300 (unknown)", Count: 2, First: 9},
		{What: "event without a time", Count: 1, First: 40}, {What: "packet of kind 301 (unknown)", Count: 1, First: 4},
	}
	if got := a.List(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if a.Add(new(fit.Tally)); !slices.Equal(a.List(), want) {
		t.Errorf("after nothing was added: %v", a.List())
	}
}
