package perfetto

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format/pbfield"
)

// plainSlice is a slice found by the plain algorithm.
type plainSlice struct {
	name            string
	start, duration int64 // -1 if it did not end
	depth           int
}

// plain nests slices by checking the whole stack at each event, as simply as
// possible: settle must get the same result from a small part of it.
type plain struct {
	all   []plainSlice
	stack []int // of all slices
}

func (p *plain) settle(time, duration int64) bool {
	running := false
	for i := len(p.stack) - 1; i >= 0; i-- {
		s := &p.all[p.stack[i]]
		end := s.start + s.duration
		if s.duration < 0 {
			running = true
			continue
		}
		if running {
			if time > end {
				for _, inner := range p.stack[i+1:] {
					p.all[inner].duration = max(0, end-p.all[inner].start)
				}
				p.stack = p.stack[:i]
				running = false
			}
			continue
		}
		if end < time || end == time && !(s.duration == 0 && duration == 0) {
			p.stack = p.stack[:len(p.stack)-1]
			continue
		}
		if duration >= 0 && time < end && time+duration > end {
			return false
		}
	}
	return true
}

func (p *plain) begin(name string, time, duration int64) {
	if p.settle(time, duration) {
		p.all = append(p.all, plainSlice{name, time, duration, len(p.stack)})
		p.stack = append(p.stack, len(p.all)-1)
	}
}

func (p *plain) end(name string, time int64) {
	p.settle(time, -1)
	for i := len(p.stack) - 1; i >= 0; i-- {
		s := &p.all[p.stack[i]]
		if s.duration >= 0 || name != "" && s.name != name {
			continue
		}
		s.duration = time - s.start
		if i == len(p.stack)-1 {
			p.stack = p.stack[:i]
		}
		return
	}
}

// TestPlain nests random slices with both algorithms.
func TestPlain(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		s, p := simple(), new(plain)
		now := uint64(100)
		names := []string{"A", "B", "C"}
		for range 60 {
			now += uint64(max(0, r.IntN(6)-3)) * 1000
			name := names[r.IntN(len(names))]
			at := int64(now)
			switch r.IntN(8) {
			case 0, 1, 2:
				s.begin(now, name)
				p.begin(name, at, -1)
			case 3:
				s.end(now)
				p.end("", at)
			case 4:
				s.event(now, pbfield.TrackEvent_TYPE_SLICE_END, name)
				p.end(name, at)
			case 5:
				s.instant(now, name)
				p.begin(name, at, 0)
			default:
				duration := r.IntN(12)
				s.phased(now, 'X', name, func(g *message) { g.number(pbfield.TrackEvent_LegacyEvent_DurationUs, uint64(duration)) })
				p.begin(name, at, int64(duration)*1000)
			}
		}
		w, err := convertBytes(t, s.trace, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []plainSlice
		for _, found := range slicesIn(t, w) {
			got = append(got, plainSlice{found.name, found.start, found.dur, found.depth})
		}
		if !slices.Equal(got, p.all) {
			t.Fatalf("seed %d:\n got %s\nwant %s", seed, fmt.Sprint(got), fmt.Sprint(p.all))
		}
	}
}

// plainLane is a thread that tracks share.
type plainLane struct {
	plain
	track uint64
	busy  int
}

// plainLanes finds the thread of an event by checking all of them.
type plainLanes []*plainLane

func (l *plainLanes) find(track uint64, make bool) *plainLane {
	for _, lane := range *l {
		if lane.track == track {
			return lane
		}
	}
	if !make {
		return nil
	}
	for _, lane := range *l {
		if lane.busy == 0 {
			lane.track = track
			return lane
		}
	}
	*l = append(*l, &plainLane{track: track})
	return (*l)[len(*l)-1]
}

// TestPlainLanes assigns random slices of tracks with one name to threads with both
// algorithms.
func TestPlainLanes(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 4))
		s := simple()
		var lanes plainLanes
		now := uint64(100)
		for track := range uint64(90) {
			s.track(1000+track, 10, "Async")
		}
		for range 300 {
			now += r.Uint64N(4)
			track := 1000 + r.Uint64N(90)
			switch r.IntN(5) {
			case 0, 1:
				s.begin(now, "A", onTrack(track))
				lane := lanes.find(track, true)
				lane.busy++
				lane.begin("A", int64(now), -1)
			case 2, 3:
				s.end(now, onTrack(track))
				if lane := lanes.find(track, false); lane != nil {
					lane.busy = max(0, lane.busy-1)
					lane.end("", int64(now))
				}
			default:
				s.instant(now, "I", onTrack(track))
				lanes.find(track, true).begin("I", int64(now), 0)
			}
		}
		w, err := convertBytes(t, s.trace, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(w.result.Threads) != len(lanes) {
			t.Fatalf("seed %d: %d threads, want %d", seed, len(w.result.Threads), len(lanes))
		}
		got := make([][]plainSlice, len(lanes))
		for _, found := range slicesIn(t, w) {
			got[found.id] = append(got[found.id], plainSlice{found.name, found.start, found.dur, found.depth})
		}
		for i, lane := range lanes {
			if !slices.Equal(got[i], lane.all) {
				t.Fatalf("seed %d, thread %d:\n got %v\nwant %v", seed, i, got[i], lane.all)
			}
		}
	}
}
