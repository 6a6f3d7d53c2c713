package perfetto

import (
	"testing"

	"tracex/format/pbfield"
)

// TestSlices: nested slices.
func TestSlices(t *testing.T) {
	s := simple()
	s.begin(100, "A")
	s.begin(110, "B")
	s.end(120)
	s.instant(130, "I")
	s.end(140)
	s.begin(150, "C")
	s.end(151)
	s.tells(t, `
	# process 1 › main 5
	 100+40  c.A()
	 110+10    B()
	 130+0     I()
	 150+1   c.C()
	`)
}

// TestUnmatched: ends without begins and begins without ends.
func TestUnmatched(t *testing.T) {
	s := simple()
	s.end(90)
	s.begin(100, "A")
	s.begin(110, "B")
	s.instant(150, "I")
	s.tells(t, `
	# process 1 › main 5
	 100+50  c.A(): <unfinished method>
	 110+40    B(): <unfinished method>
	 150+0       I()
	left out: 1 slice end without a begin
	`)
}

// TestNamedEnd: an end that names its slice.
func TestNamedEnd(t *testing.T) {
	s := simple()
	s.begin(100, "A")
	s.begin(110, "B")
	s.event(120, pbfield.TrackEvent_TYPE_SLICE_END, "A")
	s.begin(130, "C") // B ended with A, without its own end
	s.end(140)
	s.tells(t, `
	# process 1 › main 5
	 100+20  c.A()
	 110+10    B()
	 130+10  c.C()
	`)
}

// TestOtherName: an end of another name.
func TestOtherName(t *testing.T) {
	s := simple()
	s.begin(100, "A")
	s.event(120, pbfield.TrackEvent_TYPE_SLICE_END, "B")
	s.end(140)
	s.tells(t, `
	# process 1 › main 5
	 100+40  c.A()
	left out: 1 slice end without a begin
	`)
}

// TestEndsTogether: an inner end at the moment of the outer one.
func TestEndsTogether(t *testing.T) {
	s := simple()
	s.begin(100, "A")
	s.begin(110, "B")
	s.event(120, pbfield.TrackEvent_TYPE_SLICE_END, "A")
	s.event(120, pbfield.TrackEvent_TYPE_SLICE_END, "B")
	s.begin(120, "C")
	s.end(130)
	s.tells(t, `
	# process 1 › main 5
	 100+20  c.A()
	 110+10    B()
	 120+10  c.C()
	`)
}

// TestMoment: instants at the same time are nested.
func TestMoment(t *testing.T) {
	s := simple()
	s.instant(100, "I")
	s.instant(100, "J")
	s.begin(100, "A")
	s.end(100)
	s.instant(100, "K")
	s.tells(t, `
	# process 1 › main 5
	 100+0   c.I()
	 100+0     J()
	 100+0   c.A()
	 100+0   c.K()
	`)
}

// TestWhole: complete slices.
func TestWhole(t *testing.T) {
	s := simple()
	whole := func(duration uint64) func(*message) {
		return field(pbfield.TrackEvent_LegacyEvent, nested(func(m *message) {
			m.number(pbfield.TrackEvent_LegacyEvent_Phase, 'X')
			m.number(pbfield.TrackEvent_LegacyEvent_DurationUs, duration)
		}))
	}
	s.event(100_000, 0, "A", whole(100))
	s.event(110_000, 0, "B", whole(20))
	s.event(120_000, 0, "overlaps B", whole(20))
	s.event(130_000, 0, "C", whole(70))
	s.event(200_000, 0, "D", whole(1))
	s.tells(t, `
	# process 1 › main 5
	100000+100000 c.A()
	110000+20000   B()
	130000+70000   C()
	200000+1000 c.D()
	left out: 1 slice that overlaps others on its track
	`)
}

// TestOrder has packets out of order of time, in one sequence, and in several on one
// track.
func TestOrder(t *testing.T) {
	s := simple()
	s.end(200)
	s.begin(100, "A")
	s.on(3, 10)
	s.instant(150, "first of another writer")
	s.begin(120, "B")
	s.end(180)
	s.tells(t, `
		# process 1 › main 5
		 100+100 c.A()
		 120+60    B()
		 150+0       first of another writer()
		`)
}

// TestDeep nests slices deeper than trace_processor does, and deeper than the limit.
func TestDeep(t *testing.T) {
	s := simple()
	const depth = 2000
	for i := range uint64(depth) {
		s.begin(100+i, "A")
	}
	for i := range uint64(depth) {
		s.end(5000 + i)
	}
	w, err := convertBytes(t, s.trace, Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := slicesIn(t, w)
	if len(all) != depth || all[depth-1].depth != depth-1 || all[0].dur != 5000+depth-1-100 || all[depth-1].dur != 5000-100-depth+1 {
		t.Errorf("%d slices, the last is %v", len(all), all[len(all)-1])
	}
}
