package recorder

import "sync/atomic"

// Misuse counts what a program told its recorder that cannot be so. Each is
// recorded as what it says of it.
type Misuse struct {
	// Unregistered is how often a number was zero: what it names was registered
	// before Start, or never. It is shown as "<unregistered>".
	Unregistered int64
	// Foreign is how often a number was that of another Recorder, as of the one
	// before a restart. It is shown as "<unregistered>".
	Foreign int64
	// Arguments is how many calls had more or fewer arguments than their Method
	// was registered with. They are shown as they were given.
	Arguments int64
	// Exits is how often Exit or Panic had no call to end: there was none, or only
	// one that a [Call] ends.
	Exits int64
	// Ends is how often End was called of a [Call] that had ended.
	Ends int64
	// Inside is how many calls were still open when End ended the one around them.
	// They are shown as unfinished.
	Inside int64
	// Results is how often End was given something else than a pointer to a result.
	// It is shown as "<untracked result>".
	Results int64
	// Shared is how many threads were used by more than one goroutine at once. They
	// end where that was found out; see [ErrShared].
	Shared int64
}

// misuse is what Misuse is counted in.
type misuse struct {
	unregistered, foreign, arguments, exits, ends, inside, results, shared atomic.Int64
}

// number counts the use of a number that is not one of this recorder.
func (m *misuse) number(n int64) {
	if n == 0 {
		m.unregistered.Add(1)
	} else {
		m.foreign.Add(1)
	}
}

func (m *misuse) saved() Misuse {
	return Misuse{
		Unregistered: m.unregistered.Load(),
		Foreign:      m.foreign.Load(),
		Arguments:    m.arguments.Load(),
		Exits:        m.exits.Load(),
		Ends:         m.ends.Load(),
		Inside:       m.inside.Load(),
		Results:      m.results.Load(),
		Shared:       m.shared.Load(),
	}
}

// misused counts what a thread is told wrongly, while it is listened to: one that a
// context gave is, whoever ended it.
func (t *Thread) misused(count func(m *misuse) *atomic.Int64, n int64) {
	if t.r != nil && t.r.on() && (!t.ended || t.from != nil) {
		count(&t.r.counts.misuse).Add(n)
	}
}

// extraExit counts an Exit that has no call to end. One that is handed on the other
// thread counts; and where a thread was refused its call was not recorded.
func (t *Thread) extraExit() {
	if t.ended && t.from != nil && (t.hands(false) != nil || t.r.counts.refused.Load() > 0) {
		return
	}
	t.misused(exits, 1)
}

// What is counted of threads.
func exits(m *misuse) *atomic.Int64   { return &m.exits }
func ends(m *misuse) *atomic.Int64    { return &m.ends }
func inside(m *misuse) *atomic.Int64  { return &m.inside }
func results(m *misuse) *atomic.Int64 { return &m.results }
