package lazy

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"tracex/format"
)

// read scans the data written since the last poll, and shows it.
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

// faultPatience is how long the follower waits after a file could not be read, as when
// a network file system is unavailable.
const faultPatience = 2 * time.Second

// scan scans to the end of the current data.
func (w *follower) scan(ctx context.Context) error {
	s := w.s
	s.Extend()
	w.scans++
	said := time.Now()
	catchingUp := w.now().Phase != PhaseFollowing
	for more := true; more; {
		err := w.use(func() error {
			var err error
			more, err = s.Advance(ctx, scanBytes)
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
	w.s, w.found = newFollowScan(w.data)
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
		s.SetReference(w.addReference)
	}
	if !s.Hides() {
		w.reveal()
	}
	w.publish(s.View(false))
	w.keepEnd(w.data)
}

// reveal makes the descriptors in a partial block known.
func (w *follower) reveal() {
	s := w.s
	if err := w.use(s.Reveal); err != nil {
		s.Fail(err)
	}
}

// passed is the part of the current block that the scan has read, or the last
// bytes of that part, including bytes that it could not read.
type passed struct {
	from, to int64 // physical
	sum      uint32
}

// passedBytes is the maximum part of a block to checksum, and passedBehind the number
// of bytes after an offset that the scan cannot pass.
const (
	passedBytes = 256 << 10
	passedAfter = 256
)

// sumUp remembers a checksum of what the scan has read.
func (w *follower) sumUp() error {
	s, at := w.s, w.s.Offset()
	p := passed{from: max(s.BlockAt(), at-passedBytes), to: at}
	if w.damaged() {
		p.to = min(int64(len(w.data.Bytes())), at+passedAfter)
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

// damaged reports whether the scan has ended at invalid bytes.
func (w *follower) damaged() bool {
	return w.s.Err() != nil && !errors.Is(w.s.Err(), format.ErrTruncated)
}

// stuckPolls is the number of polls for which invalid bytes must stay the same before
// they are reported.
const stuckPolls = 10

// isStuck reports whether the scan has stopped at invalid bytes. In a file that is
// being written they may be temporary: a network file system can report a size before
// it has the bytes. If these bytes change, or those that the scan has read before them,
// the scan begins again. It also does so if it took several polls to get there: bytes
// outside the checksum may have changed between them.
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
	if w.stuck++; w.stuck > stuckPolls {
		w.why = fmt.Errorf("cannot read what follows: %w", w.s.Problem())
	}
	return true, nil
}

// pace measures how fast the data grows.
type pace struct {
	grown time.Time // when it last grew
	sizes []sizeAt  // in the last seconds
}

// sizeAt is the size of the data at a time.
type sizeAt struct {
	at   time.Time
	size int64
}

// paceOver is the time over which a rate is measured.
const paceOver = 3 * time.Second

// grew records that the data has grown.
func (p *pace) grew(now time.Time, size int64) {
	p.grown = now
	p.sizes = append(p.sizes, sizeAt{now, size})
	old := 0
	for old < len(p.sizes)-2 && now.Sub(p.sizes[old+1].at) >= paceOver {
		old++
	}
	p.sizes = append(p.sizes[:0], p.sizes[old:]...)
}

// rate returns bytes per second, 0 if it is not known.
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
