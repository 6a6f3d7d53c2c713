package live

import "testing"

// Slots that are in use are found, and no others.
func TestSlots(t *testing.T) {
	l := create(t, 8<<20)
	want := map[int64]bool{}
	var slots []*Slot
	for i := range 200 {
		s, err := l.Slot(Threads)
		if err != nil {
			t.Fatal(err)
		}
		s.Word(0).Store(uint64(i) + 1)
		slots = append(slots, s)
		want[s.Off] = true
	}
	for i := 0; i < len(slots); i += 3 {
		l.FreeSlot(slots[i])
		delete(want, slots[i].Off)
	}
	got := 0
	for at, err := range left(t, l).Slots(Threads) {
		if err != nil || !want[at] {
			t.Fatalf("a slot at %d: %v", at, err)
		}
		got++
	}
	if got != len(want) {
		t.Fatalf("%d slots, want %d", got, len(want))
	}
}
