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
}

// misuse is what Misuse is counted in.
type misuse struct {
	unregistered, foreign, arguments atomic.Int64
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
	}
}
