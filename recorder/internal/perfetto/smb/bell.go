package smb

import "time"

// bell tells the goroutine that sends commits when it has something to do.
type bell struct {
	woken   chan struct{} // something can be committed
	hurried chan struct{} // commit now
}

func newBell() bell {
	return bell{woken: make(chan struct{}, 1), hurried: make(chan struct{}, 1)}
}

// wake asks for a commit after the delay.
func (b bell) wake() { signal(b.woken) }

// hurry asks for a commit now.
func (b bell) hurry() { signal(b.hurried) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // already signaled
	}
}

// wait waits until a commit is due. It returns false once quit is closed.
func (b bell) wait(delay time.Duration, quit <-chan struct{}) bool {
	select {
	case <-quit:
		return false
	case <-b.hurried:
		return true
	case <-b.woken:
	}
	if delay <= 0 {
		return true
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-quit:
		return false
	case <-b.hurried:
	case <-timer.C:
	}
	return true
}
