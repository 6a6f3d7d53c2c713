package query

import (
	"context"
	"fmt"
	"slices"

	"tracex/lazy"
)

// AtOptions say what an [At] is about.
type AtOptions struct {
	Time    int64        // the moment, in ns since the recording began
	Place   *lazy.Handle // in place of Time: the moment when an event, or a thread, began; nil if it is not given
	Raw     bool
	Threads []int32 // which threads, by their ids, in order; nil for all
	Whole   bool    // of each call all callers, not only the nearest
}

// At is what all threads were in at a moment: the innermost call of each that had not ended. The threads that worked
// are first, then those that waited, each in the order of their ids.
type At struct {
	r *lazy.LazyTraceReader
	o AtOptions
	// Time and Upto are the moments between which the one asked about was: both the same if its time is known.
	Time, Upto int64
	Counts     AtCounts

	place   *lazy.Position // of Place, if it is an event
	event   int32          // there
	entries [2][]atEntry   // of threads that worked, and that waited
	most    int            // entries of each
	holders map[holderKey]int64
	others  int64 // threads that waited for a goroutine that holders has no room for
	held    []AtHolder
}

// AtCounts are numbers of threads.
type AtCounts struct {
	Working, Waiting   int64 // in a call
	Idle, Later, Ended int64 // in no call: between two, not begun, ended
	Unknown            int64 // the trace does not tell
}

// atEntry is a thread that was in a call.
type atEntry struct {
	lazy.Position      // of the call
	about         bool // it may have been in another one
}

const (
	// MostAt is how many threads that worked are listed, and how many that waited.
	MostAt = 1 << 18
	// atBatch is how many threads are read at once.
	atBatch = 1 << 10
	// mostHolders bounds the goroutines that are told apart as what others wait for, and toldHolders those that notes tell.
	mostHolders = 1 << 16
	toldHolders = 10
)

// NewAt prepares to find what threads were in.
func NewAt(r *lazy.LazyTraceReader, o AtOptions) *At { return &At{r: r, o: o, most: MostAt} }

// Run finds it. tell gets the threads done; it may be nil. The error is [lazy.ErrNoTimes] if the trace has no times.
func (a *At) Run(ctx context.Context, tell lazy.Progress) error {
	a.Counts, a.entries, a.holders, a.others, a.held = AtCounts{}, [2][]atEntry{}, make(map[holderKey]int64), 0, nil
	a.place = nil
	if _, timed := a.r.Times(); !timed {
		return lazy.ErrNoTimes
	}
	a.Time, a.Upto = a.o.Time, a.o.Time
	if a.o.Place != nil {
		if err := a.findPlace(ctx); err != nil {
			return err
		}
	}
	list := a.r.ThreadList()
	n := list.Len()
	if a.o.Threads != nil {
		n = len(a.o.Threads)
	}
	ids := make([]int32, 0, min(n, atBatch))
	for from := 0; from < n; from += atBatch {
		ids = ids[:0]
		for i := from; i < min(n, from+atBatch); i++ {
			if a.o.Threads != nil {
				ids = append(ids, a.o.Threads[i])
			} else {
				ids = append(ids, list.ID(i))
			}
		}
		if err := a.batch(ctx, ids); err != nil {
			return err
		}
		if tell != nil {
			tell(int64(min(n, from+atBatch)), int64(n))
		}
	}
	return a.hold(ctx, list)
}

// findPlace finds the moment of the place.
func (a *At) findPlace(ctx context.Context) error {
	at, event, err := a.r.Find(ctx, *a.o.Place)
	if err != nil {
		return err
	}
	if at.At < 0 {
		t, known := a.r.ThreadTime(at.Thread)
		if !known {
			return fmt.Errorf("thread %d: nothing in it has a time", int64(at.Thread)+1)
		}
		a.Time, a.Upto = t.Start, t.Start
		return nil
	}
	times, ok, err := readOne(ctx, a.r, &Scope{Raw: true}, at, func(p *lazy.PassPoint) ([2]int64, bool, error) {
		from, to, ok := p.When()
		return [2]int64{from, to}, ok && p.At == at.At, nil
	})
	if err == nil && !ok {
		err = &lazy.NoPositionError{Position: at, Thread: true}
	}
	a.place, a.event, a.Time, a.Upto = &at, event, times[0], times[1]
	return err
}

// batch finds what some threads were in.
func (a *At) batch(ctx context.Context, ids []int32) error {
	open, err := a.openAt(ctx, ids)
	if err != nil {
		return err
	}
	var at []lazy.Position
	about := make(map[int32]bool)
	for i := range open {
		switch o := &open[i]; o.State {
		case lazy.OpenIn:
			at = append(at, o.Position)
			about[o.Position.Thread] = o.About
		case lazy.OpenNothing:
			a.Counts.Idle++
		case lazy.OpenLater:
			a.Counts.Later++
		case lazy.OpenEnded:
			a.Counts.Ended++
		default:
			a.Counts.Unknown++
		}
	}
	found, err := innermost(ctx, a.r, a.o.Raw, at, surveyed)
	if err != nil {
		return err
	}
	a.Counts.Idle += int64(len(at) - len(found)) // loops outside calls are none
	for i := range found {
		f := &found[i]
		e, list := atEntry{f.Position, about[f.Thread]}, 0
		if f.waits {
			list = 1
			a.Counts.Waiting++
			a.waited(f.holder)
		} else {
			a.Counts.Working++
		}
		if len(a.entries[list]) < a.most {
			a.entries[list] = append(a.entries[list], e)
		}
	}
	return nil
}

// openAt is [lazy.OpenAt], but for the thread of the place: what was open there is around the event.
func (a *At) openAt(ctx context.Context, ids []int32) ([]lazy.OpenThread, error) {
	open, err := lazy.OpenAt(ctx, a.r, ids, a.Time)
	if err != nil || a.place == nil {
		return open, err
	}
	if i := slices.Index(ids, a.place.Thread); i >= 0 {
		open[i] = lazy.OpenThread{Position: *a.place}
	}
	return open, nil
}

// waited counts a thread that waited for a goroutine.
func (a *At) waited(k holderKey) {
	switch _, known := a.holders[k]; {
	case k == holderKey{}:
	case !known && len(a.holders) == mostHolders:
		a.others++
	default:
		a.holders[k]++
	}
}

// surveyedCall is what is read of the innermost call of every thread.
type surveyedCall struct {
	lazy.Position
	waits  bool
	holder holderKey
}

func surveyed(p *lazy.PassPoint) (c surveyedCall, err error) {
	c.Position = placeOf(p)
	x := p.Context()
	if c.waits = isWait(x, p.Ref); !c.waits {
		return c, nil
	}
	foot, err := p.Footer()
	if err == nil && foot != nil {
		c.holder = holderOf(x, p.Thread, foot)
	}
	return c, err
}
