package instrumented_test

import (
	"encoding/binary"
	"testing"

	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
)

// TestWaits: what waits is below the call that waits. A wait whose end is missing ends before the next event; one without a
// beginning has no time.
func TestWaits(t *testing.T) {
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
	a, b := &raw.Function{ID: 1, Package: "p", Name: "a"}, &raw.Function{ID: 2, Package: "p", Name: "b"}
	f.Function(b)
	g := f.Goroutine(1 << 7)
	g.Begin(5, 0, 0, 0)
	begun := f.Now
	g.Enter(a, 0)
	g.Wait(raw.WaitLock, 0, 0)
	f.Now += 1_000_000
	g.Waited(raw.WaitLock, 7)
	g.Wait(raw.WaitSleep, 0, 0)
	g.Waited(raw.WaitSleep, 0)
	g.Wait(raw.WaitReceive, 0, 0) // its end is missing
	g.Enter(b, 0)
	g.Wait(raw.WaitSend, 0, 0) // the same
	g.Exit(b)
	g.Waited(raw.WaitSelect, 8) // its beginning is missing
	g.Wait(raw.WaitCond, 0, 0)
	waiting := f.Now
	g.AgainAfter(2, 5, 0, 0, 0, rawtest.Open{Function: a, Counter: begun}) // nothing is missing
	f.Now = waiting                                                        // what began is told again
	g.Wait(raw.WaitCond, 0, 0)
	f.Now += 1_000_000
	g.Waited(raw.WaitCond, 9)
	g.Exit(a)
	h := f.Goroutine(2 << 7)
	h.Begin(6, 0, 0, 0)
	h.Enter(b, 0)
	h.Wait(raw.WaitNetwork, 0, 0)
	s, _, got := convert(t, instrumented.Options{}, f)
	want := `# Thread 1 (goroutine 5)
p.a()
  wait.lock(): goroutine 7
  wait.sleep()
  wait.receive(): <untracked result>
  b()
    wait.send(): <untracked result>
  wait.select(): goroutine 8
  wait.cond(): goroutine 9
# Thread 2 (goroutine 6)
p.b(): <unfinished method>
  wait.io(): <unfinished method>
`
	if got != want || s.Processes[0].Damaged > 0 || s.Waits != 7 || s.Calls != 3 {
		t.Errorf("%s\nwant\n%s%+v", got, want, s)
	}
}

// TestWaitsGap: a goroutine that waited when the calls before a gap end may have gone on in it.
func TestWaitsGap(t *testing.T) {
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter, Shift: 12})
	a := &raw.Function{ID: 1, Package: "p", Name: "a"}
	g := f.Goroutine(1 << 7)
	g.Begin(5, 0, 0, 0)
	begun := f.Now
	g.Enter(a, 0)
	g.Wait(raw.WaitLock, 0, 0)
	f.Now += 2_000_000_000
	g.AgainAfter(100, 5, 0, 0, 0, rawtest.Open{Function: a, Counter: begun})
	g.Wait(raw.WaitLock, 0, 0)
	g.Waited(raw.WaitLock, 0)
	g.Exit(a)
	binary.LittleEndian.PutUint64(f.Image[raw.AtRing:], 1)
	binary.LittleEndian.PutUint64(f.Image[raw.AtMissing:], 99)
	s, _, got := convert(t, instrumented.Options{}, f)
	want := `# Thread 1
p.a()
  wait.lock(): <untracked result>
  <dropped: 99 calls in 2s> = 99
  wait.lock()
`
	if got != want || s.Processes[0].Damaged > 0 {
		t.Errorf("%s\nwant\n%s%+v", got, want, s.Processes[0])
	}
}

// TestWaitsDamaged: a kind of wait that is not known is damage, and what is before it is there.
func TestWaitsDamaged(t *testing.T) {
	for _, kind := range []uint32{0, raw.WaitMost + 1, 1 << 20} {
		f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
		a := &raw.Function{ID: 1, Package: "p", Name: "a"}
		g := f.Goroutine(1 << 7)
		g.Begin(5, 0, 0, 0)
		g.Enter(a, 0)
		g.Wait(kind, 0, 0)
		g.Exit(a)
		s, _, got := convert(t, instrumented.Options{}, f)
		if want := "# Thread 1\np.a(): <unfinished method>\n"; got != want || s.Processes[0].Damaged != 1 || s.Waits != 0 {
			t.Errorf("kind %d: %s%+v", kind, got, s.Processes[0])
		}
	}
}
