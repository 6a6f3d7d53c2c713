package lazy

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"tracex/format"
)

// read scans what has come since the last look, and shows it.
func (w *follower) read(ctx context.Context) error {
	before := int64(len(w.data.Bytes()))
	same, err := w.remap()
	if err != nil || !same {
		return err
	}
	if w.s.AtEOF() && w.found == nil {
		return nil
	}
	if grown := int64(len(w.data.Bytes())); grown > before {
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

// faultPatience is how long a file is left alone that could not be read, as when
// a network folder is away.
const faultPatience = 2 * time.Second

// scan scans to the end of what is there.
func (w *follower) scan(ctx context.Context) error {
	s := w.s
	s.Extend()
	w.scans++
	said := time.Now()
	catchingUp := w.now().Phase != PhaseFollowing
	for more := true; more; {
		err := w.use(func() error {
			var err error
			more, err = s.Step(ctx, stepBytes)
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

// restart begins the scan again, since it cannot continue where it is. Nothing
// is shown of it before it is as far as what is shown: that stays true.
func (w *follower) restart() {
	w.again, w.stuck, w.scans = false, 0, 0
	w.s, w.found = newFollowScan(w.data)
}

// show publishes what the scan knows, if that is more than is shown.
func (w *follower) show() {
	s := w.s
	to := s.Shown()
	if to < w.shown || to == w.shown && w.found == nil {
		return
	}
	if w.found != nil {
		w.setContext(w.found)
		w.found = nil
		s.SetReference(w.addReference)
	}
	if !s.Hides() {
		w.reveal()
	}
	w.publish(s.View(false))
	w.keepEnd(w.data)
}

// reveal makes the descriptors of half a block known.
func (w *follower) reveal() {
	s := w.s
	if err := w.use(s.Reveal); err != nil {
		s.Fail(err)
	}
}

// passed is what the scan has gone through of the block that it is in, or the
// last of it, with what it could not go through.
type passed struct {
	from, to int64 // physical
	sum      uint32
}

// passedBytes is how much of a block is summed up at most, and passedBehind how
// many bytes after a place that the scan cannot pass.
const (
	passedBytes  = 256 << 10
	passedBehind = 256
)

// sumUp remembers what the scan has gone through.
func (w *follower) sumUp() error {
	s, at := w.s, w.s.Offset()
	p := passed{from: max(s.BlockAt(), at-passedBytes), to: at}
	if w.damaged() {
		p.to = min(int64(len(w.data.Bytes())), at+passedBehind)
	}
	var err error
	p.sum, err = w.sum(p)
	w.passed = p
	return err
}

func (w *follower) sum(p passed) (sum uint32, err error) {
	err = w.use(func() error {
		sum = crc32.ChecksumIEEE(w.data.Bytes()[p.from:p.to])
		return nil
	})
	return sum, err
}

// damaged reports whether the scan has ended at bytes that make no sense.
func (w *follower) damaged() bool {
	return w.s.Err() != nil && !errors.Is(w.s.Err(), format.ErrTruncated)
}

// stuckLooks is how many looks a place must have been the same that makes no
// sense before it is told of.
const stuckLooks = 10

// isStuck reports whether the scan has stopped before bytes that make no sense. Of a
// file that is being written that may only be for a moment, as a network folder
// can tell of bytes before it has them: when they change, or what the scan has
// gone through before them, it begins again. It also does when it came there in
// more looks than one: more than is summed up may have changed between them.
func (w *follower) isStuck() (bool, error) {
	if w.passed.to > int64(len(w.data.Bytes())) {
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
	if w.stuck++; w.stuck > stuckLooks {
		w.why = fmt.Errorf("cannot read what follows: %w", w.s.Problem())
	}
	return true, nil
}

// pace tells how fast the data grows.
type pace struct {
	grown time.Time // when it did last
	sizes []sizeAt  // of the last seconds
}

// sizeAt is how large the data was, at a time.
type sizeAt struct {
	at   time.Time
	size int64
}

// paceOver is the time over which a rate is told.
const paceOver = 3 * time.Second

// grew notes that the data has grown.
func (p *pace) grew(now time.Time, size int64) {
	p.grown = now
	p.sizes = append(p.sizes, sizeAt{now, size})
	old := 0
	for old < len(p.sizes)-2 && now.Sub(p.sizes[old+1].at) >= paceOver {
		old++
	}
	p.sizes = append(p.sizes[:0], p.sizes[old:]...)
}

// rate returns bytes per second, 0 when it cannot be told.
func (p *pace) rate(now time.Time) float64 {
	n := len(p.sizes)
	if n < 2 {
		return 0
	}
	took := now.Sub(p.sizes[0].at).Seconds()
	if took <= 0 {
		return 0
	}
	return float64(p.sizes[n-1].size-p.sizes[0].size) / took
}
