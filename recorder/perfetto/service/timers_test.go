package service

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestTimers has timers that call once, and periodically, until they are stopped.
func TestTimers(t *testing.T) {
	clock := newFakeClock(time.UnixMilli(1_000_300))
	timers := newTimers(clock, func(f func()) func() { return f })
	var heard []string
	note := func(what string) { heard = append(heard, fmt.Sprint(what, " ", clock.now().UnixMilli()-1_000_000)) }
	timers.after(150*time.Millisecond, awake, func() { note("once") })
	timers.after(10*time.Second, asleep, func() { note("late") })
	times := 0
	timers.every(200*time.Millisecond, awake, func() bool {
		note("every")
		times++
		return times < 3
	})
	timers.every(0, awake, func() bool { t.Error("never was called"); return false })
	clock.pass(2 * time.Second)
	if want := []string{"every 400", "once 450", "every 600", "every 800"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	timers.stop()
	clock.pass(time.Hour)
	if len(heard) != 4 {
		t.Errorf("heard %q after all were stopped", heard[4:])
	}
}
