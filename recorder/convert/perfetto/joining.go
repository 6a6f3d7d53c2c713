package perfetto

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
)

// Begun is a trace that another conversion has written, except for its end, for a [Joiner].
type Begun struct {
	To *tracefile.Writer
	// Origin is what the machine's monotonic clock showed at the zero of the trace's times, in
	// ns, and Wall the wall clock at that moment.
	Origin int64
	Wall   time.Time
	// Last is the latest time so far, in ns since Origin.
	Last int64
	// IDs are, by kind of reference object, one more than the largest id in use.
	IDs [format.KindCodeLocation + 1]int64
	// Thread is the id for the next thread.
	Thread int32
	// Events is how many trace points there are. Their ids begin at 0.
	Events int64
	// Programs are the processes that are in the trace. Packets of others may be added, too.
	Programs []Program
}

// Program is a process.
type Program struct {
	PID  int32
	Name string // for the names of threads that are added
	// Shown is the name of the process in the names of its threads; "" if they have none.
	Shown string
}

// shown counts the names of processes that precede those of threads.
func (b *Begun) shown(met map[string]int) {
	for _, p := range b.Programs {
		if p.Shown != "" && met[p.Shown] == 0 {
			met[p.Shown]++
		}
	}
}

func nameProcesses(n *names, all []Program) {
	for _, p := range all {
		n.nameProcess(processOn(0, p.PID), p.Name)
	}
}

// ErrClocks is returned by [Joiner.Join] if the times of packets cannot be converted to those
// of the trace.
var ErrClocks = errors.New("the clock of the packets cannot be related to that of the trace")

// blocksOf returns the blocks of threads that are added.
func blocksOf(b *Begun) *blocks {
	return &blocks{to: b.To, version: b.To.Version(), void: voidFooter(b.To.Version()), origin: b.Origin, wall: b.Wall.UnixNano(), events: b.Events}
}

// newJoining returns a Converter that adds to a trace: pass it the packets, then call join. The caller
// must close it.
func newJoining(o Options, b *Begun, met map[string]int) *Converter {
	c := newContinuing(o, &begunTrace{blocks: blocksOf(b), met: met, ids: b.IDs, thread: b.Thread, first: b.Origin, last: b.Origin + b.Last})
	c.clocks.fix(clockMonotonic)
	nameProcesses(&c.tracks.names, b.Programs)
	return c
}

// join adds the packets to the trace of newJoining, and ends the trace. The result's Events and
// Threads are those that were added. If it fails, the trace has no end.
func (c *Converter) join(ctx context.Context) (*Result, error) {
	b := c.begun
	timelines, err := c.settle(ctx)
	if err != nil {
		return nil, err
	}
	before := b.blocks.events
	if !c.more(timelines) {
		if err := b.blocks.finish(b.last); err != nil {
			return nil, err
		}
		return &Result{Packets: c.packets, LeftOut: c.left.list(), Version: b.blocks.version}, nil
	}
	if err := c.clocks.fits(b.blocks.origin, b.blocks.wall); err != nil {
		return nil, err
	}
	r, err := c.writeTimelines(ctx, b.blocks, timelines)
	if err != nil {
		return nil, err
	}
	r.Events -= before
	return r, nil
}

// fits returns why times of packets cannot be converted to the trace's clock. wall is the wall clock,
// in ns since 1970, when the trace's clock showed origin.
func (c *clocks) fits(origin, wall int64) error {
	if !c.related() {
		return fmt.Errorf("%w: no snapshot in them has both", ErrClocks)
	}
	if c.wall.known {
		apart := float64(c.wall.ns-c.wall.at) - float64(wall-origin)
		if math.Abs(apart) > float64(time.Hour) {
			return fmt.Errorf("%w: they differ by more than an hour, as those of different machines do, or after a restart", ErrClocks)
		}
	}
	return nil
}
