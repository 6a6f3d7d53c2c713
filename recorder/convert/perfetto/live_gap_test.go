package perfetto

import (
	"slices"
	"testing"

	"tracex/format"
	"tracex/recorder/internal/perfetto/calls"
)

// TestLiveGap has a process that is killed with the program: what it had taken and not
// written is lost, and the program's live file does not say which calls are open. So the
// calls after the gap are outside of those that were open, which end at an unknown time.
// The result says so.
func TestLiveGap(t *testing.T) { eachVersion(t, testLiveGap) }

func testLiveGap(t *testing.T, v format.Version) {
	enter, void := enterIn(v), voidFooter(v)
	for _, c := range []struct {
		name string
		then calls.Part // of the live file
		text string
		left []string
	}{
		{"nothing was lost", calls.Part{Number: 1, Objects: slices.Concat(enter(3), void, void), Times: each(3, 1)},
			"(m1(m2(m3))?", nil},
		{"a part was lost", calls.Part{Number: 2, Objects: slices.Concat(enter(4), void, void), Times: each(3, 1)},
			"(m1(m2??(m4)", []string{"1 gap in recorded calls", "1 slice end without a begin"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &callsStory{version: v}
			s.refer(t, 1, 7)
			s.part(calls.Part{Objects: slices.Concat(enter(1), enter(2)), Times: each(2, 10)}, 1000)
			f, o := new(liveFiles), Options{}
			l := NewLive(f.options(o))
			defer func() { l.Close() }()
			if err := l.Take(s.trace); err != nil {
				t.Fatal(err)
			}
			if err := l.Advance(l.Taken()); err != nil {
				t.Fatal(err)
			}
			taken := len(s.trace)
			s.part(calls.Part{Number: 1, Objects: slices.Concat(void, enter(3)), Times: each(2, 1)}, 2000)
			if err := l.Take(s.trace[taken:]); err != nil {
				t.Fatal(err)
			}
			l = resumeLive(t, l, f, o)
			rest := &callsStory{version: v}
			rest.part(c.then, 3000)
			if err := l.Take(rest.trace); err != nil {
				t.Fatal(err)
			}
			w := endLive(t, l, f)
			if text := pointsText(t, w); text != c.text {
				t.Errorf("%s, want %s", text, c.text)
			}
			if left := leftOf(w); !slices.Equal(left, c.left) {
				t.Errorf("left out: %q, want %q", left, c.left)
			}
			w.check(t)
		})
	}
}
