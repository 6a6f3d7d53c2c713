package trace

import (
	"context"
	"fmt"
	"time"
)

// read scans the data written since the last poll, and shows it.
func (w *follower) read(ctx context.Context) error {
	before := int64(len(w.Data.Bytes()))
	same, err := w.remap()
	if err != nil || !same {
		return err
	}
	if w.s.AtEOF() && w.found == nil {
		return nil
	}
	if grown := int64(len(w.Data.Bytes())); grown > before {
		w.pace.grew(time.Now(), grown)
	}
	if w.fault.err != nil && time.Since(w.fault.at) < faultPatience {
		return nil
	}
	w.fault = readFault{}
	switch stuck, err := w.isStuck(); {
	case err != nil:
		return err
	case stuck:
		return nil
	case w.again:
		w.restart()
	}
	return w.scan(ctx)
}

// faultPatience is how long the follower waits after a file could not be read, as when
// a network file system is unavailable.
const faultPatience = 2 * time.Second

// scan scans to the end of the current data.
func (w *follower) scan(ctx context.Context) error {
	s := w.s
	s.Extend()
	w.scans++
	said := time.Now()
	catchingUp := w.Now().Phase != PhaseFollowing
	for more := true; more; {
		err := w.Use(func() error {
			var err error
			more, err = s.Advance(ctx, ScanBytes)
			return err
		})
		if err != nil {
			return err
		}
		if more && time.Since(said) >= showEvery {
			w.show()
			said = time.Now()
		}
		if catchingUp {
			w.progress(s.Offset())
		}
	}
	w.show()
	if w.found != nil {
		// Less can be read than is shown.
		w.lost = errRewritten
	}
	return w.sumUp()
}

// restart begins the scan again, since it cannot continue. Nothing of it is shown until
// it reaches what is shown already, which stays true.
func (w *follower) restart() {
	w.again, w.stuck, w.scans = false, 0, 0
	w.s, w.found = newFollowScan(w.Data)
}

// show publishes what the scan knows, if it is more than is shown.
func (w *follower) show() {
	s := w.s
	to := s.Shown()
	if to < w.shown || to == w.shown && w.found == nil {
		return
	}
	if w.found != nil {
		w.setContext(w.found)
		w.found = nil
		s.SetReference(w.AddReference)
	}
	if !s.Hides() {
		w.reveal()
	}
	w.Publish(s.View(false))
	w.keepEnd(w.Data)
}

// reveal makes the descriptors in a partial block known.
func (w *follower) reveal() {
	s := w.s
	if err := w.Use(s.Reveal); err != nil {
		s.Fail(err)
	}
}

// StuckPolls is the number of polls for which invalid bytes must stay the same before
// they are reported.
const StuckPolls = 10

// isStuck reports whether the scan has stopped at invalid bytes. In a file that is
// being written they may be temporary: a network file system can report a size before
// it has the bytes. If these bytes change, or those that the scan has read before them,
// the scan begins again. It also does so if it took several polls to get there: bytes
// outside the checksum may have changed between them.
func (w *follower) isStuck() (bool, error) {
	if w.passed.to > int64(len(w.Data.Bytes())) {
		w.again = true
		return false, nil
	}
	sum, err := w.sum(w.passed)
	switch {
	case err != nil:
		return false, err
	case sum != w.passed.sum, w.damaged() && w.scans > 1:
		w.again = true
		return false, nil
	case !w.damaged():
		return false, nil
	}
	if w.stuck++; w.stuck > StuckPolls {
		w.why = fmt.Errorf("cannot read what follows: %w", w.s.Problem())
	}
	return true, nil
}
