package trace

import (
	"errors"
	"hash/crc32"
	"os"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// ErrPacked is the error for following a packed trace.
var ErrPacked = errors.New("a packed trace does not grow")

// PollEvery is how long a following reader waits before it checks for more data,
// and PollIdle how long after a while without growth. Asking for the size works on
// every file system, including network file systems, where remote changes cause no
// notification; it costs two system calls. In tests a reader polls only on request.
var (
	PollEvery = 100 * time.Millisecond
	PollIdle  = 250 * time.Millisecond
)

const idleAfter = 5 * time.Second

// Faults of a file that is followed.
var (
	errNoFile    = errors.New("no such file yet")
	ErrEmptyFile = errors.New("the file is still empty")
	ErrGone      = errors.New("the file was removed or renamed")
	errReplaced  = errors.New("another recording replaced it")
	errRewritten = errors.New("the file was rewritten")
)

// follower reads a trace while it is written. It belongs to the worker's goroutine,
// except during the first part of Open.
type follower struct {
	*Trace
	finish func() (told string, err error) // Options.Finish

	why  error // why no data can arrive now
	lost error // why the data shown no longer exists; nil if it does
	grown
}

// grown is what a follower knows about the file that it reads. It is replaced for
// another file, or when the same file is read again from its beginning.
type grown struct {
	f     *os.File        // nil if there is no file yet
	stat  os.FileInfo     // of f
	s     *index.Scan     // nil if f is nil
	found *format.Context // descriptors found by s, while it has less than is shown; nil once it has more
	again bool            // s cannot continue, and must begin again
	scans int             // polls in which s proceeded
	stuck int             // polls in which s was stuck at invalid bytes

	shown int64  // physical: the end of the data shown
	last  []byte // the last bytes shown, to detect changes

	pace   pace
	passed passed
	left   left
	fault  readFault
}

// readFault is why and when a file could not be read.
type readFault struct {
	err error // nil if it could
	at  time.Time
}

func newFollower(t *Trace, finish func() (string, error)) *follower {
	return &follower{Trace: t, finish: finish}
}

// tell brings the status up to date if it has changed; this wakes goroutines that
// display it.
func (w *follower) tell() {
	now, st := time.Now(), w.Now()
	rate := w.pace.rate(now)
	g := st.Growth
	var behind int64
	if w.s != nil {
		behind = max(0, int64(len(w.Data.Bytes()))-max(w.s.Shown(), format.HeaderSize))
	}
	if st.Phase == PhaseFollowing && g.On && Text(g.Wait) == Text(w.why) && g.Behind == behind && g.Grown.Equal(w.pace.grown) {
		return
	}
	w.Note(func(st *Status) {
		st.Phase = PhaseFollowing
		g := &st.Growth
		g.On, g.Wait, g.Rate, g.Grown, g.Behind = true, w.why, rate, w.pace.grown, behind
	})
}

func Text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// pause returns how long to wait before the next poll.
func (w *follower) pause() time.Duration {
	if time.Since(w.pace.grown) > idleAfter && time.Since(w.Now().Since) > idleAfter {
		return PollIdle
	}
	return PollEvery
}

// close closes the file, if any. w may be nil.
func (w *follower) close() {
	if w != nil && w.f != nil {
		w.f.Close()
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
	if w.damaged() { // anywhere in the block
		p = passed{from: s.BlockAt(), to: min(int64(len(w.Data.Bytes())), at+passedAfter)}
	}
	var err error
	p.sum, err = w.sum(p)
	w.passed = p
	return err
}

func (w *follower) sum(p passed) (sum uint32, err error) {
	err = w.Use(func() error {
		sum = crc32.ChecksumIEEE(w.Data.Bytes()[p.from:p.to])
		return nil
	})
	return sum, err
}

// damaged reports whether the scan has ended at invalid bytes.
func (w *follower) damaged() bool {
	return w.s.Err() != nil && !errors.Is(w.s.Err(), format.ErrTruncated)
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
