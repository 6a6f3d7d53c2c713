package diff

import (
	"context"
	"errors"
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/trace"
)

// Options say what of two traces is compared, and how.
type Options struct {
	// A and B are parts of the traces: a call, a loop, an iteration or a thread, with everything in it; nil for all.
	A, B *lazy.Handle
	// Identity makes a difference of which object it is: objects are numbered by their first appearance in a thread. Without
	// it, objects of one class are the same.
	Identity bool
	// Quiet are kinds of differences that do not count, such as those between two runs of one program: see [Diff.Groups].
	Quiet map[uint64]bool
}

// Diff is what is different between two traces, A and B, which may be one and the same. Run makes it.
type Diff struct {
	readers [2]*lazy.LazyTraceReader
	options Options
	script  *script
	sides   [2]*side

	groups map[uint64]bool // see [Diff.Groups]

	mu     sync.Mutex // guards counts
	counts Counts
}

// Counts are how many differences there are, and of how much.
type Counts struct {
	Calls      [2]int64 // of A and B
	EqualCalls int64    // with everything in them
	Threads    [2]int   // that only A, or only B, has
	Removed    int64    // places: each with everything in it
	Added      int64
	Edited     int64 // with another argument, result or value themselves
	Moved      int64 // of Removed and Added: pairs that are the same in another place
	Renamed    int64 // of Removed and Added: pairs with the same contents under another name
	Elsewhere  int64 // what another thread of a pool did: equal, and no difference
	Quiet      int64 // differences that do not count
	Done       bool  // these are all
}

// EqualShare returns the share of the calls of both that are equal, from 0 to 1; that of no calls is 1.
func (c *Counts) EqualShare() float64 {
	all := c.Calls[0] + c.Calls[1]
	if all == 0 {
		return 1
	}
	return float64(2*c.EqualCalls) / float64(all)
}

// Differences returns the number of places that differ.
func (c *Counts) Differences() int64 { return c.Removed + c.Added + c.Edited }

// New returns the Diff of two traces. They must stay open until it is closed.
func New(a, b *lazy.LazyTraceReader, o Options) *Diff {
	return &Diff{readers: [2]*lazy.LazyTraceReader{a, b}, options: o}
}

// Counts returns what has been found so far.
func (d *Diff) Counts() Counts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.counts
}

func (d *Diff) count(f func(*Counts)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f(&d.counts)
}

// Run compares what is known of the two traces when it begins, and begins again if an index turns out to be wrong. tell may be nil; its
// total is twice the bytes of both, as they are read twice.
func (d *Diff) Run(ctx context.Context, tell lazy.Progress) error {
	if tell == nil {
		tell = func(int64, int64) {}
	}
	for {
		if err := d.forget(); err != nil {
			return err
		}
		d.count(func(c *Counts) { *c = Counts{} })
		if again, err := d.again(ctx, d.run(ctx, tell)); !again {
			return err
		}
	}
}

// again takes the error of a run, and reports whether one of the traces is no longer what was compared.
func (d *Diff) again(ctx context.Context, err error) (bool, error) {
	wrong := errors.Is(err, index.ErrContradiction) || errors.Is(err, format.ErrCorrupt) || errors.Is(err, trace.ErrStale)
	if err != nil && !wrong {
		return false, err
	}
	changed := false
	for _, s := range d.sides {
		if s == nil {
			continue
		}
		if wrong {
			if err := s.r.Wait(ctx); err != nil {
				return false, err
			}
		}
		changed = changed || s.changed()
	}
	return changed, err
}

func (d *Diff) run(ctx context.Context, tell lazy.Progress) error {
	var total int64
	err := d.hash(ctx, func(done, all int64) {
		total = all
		tell(done, 2*all)
	})
	if err != nil {
		return err
	}
	pairs, err := d.pairs(ctx)
	b := &builder{ctx: ctx, d: d, sides: d.sides, quiet: d.options.Quiet, counts: d.Counts(), keep: longKept}
	told := total
	b.tell = func(done int64) {
		told = max(told, min(total+done, 2*total))
		tell(told, 2*total)
	}
	for i := 0; i < len(pairs) && err == nil; i++ {
		err = b.thread(pairs[i])
	}
	if err == nil {
		err = b.script.err
	}
	if err != nil {
		return errors.Join(err, b.script.close())
	}
	d.script = &b.script
	if err = d.resolve(b); err == nil {
		tell(2*total, 2*total)
	}
	return err
}

// Close removes the temporary files.
func (d *Diff) Close() error { return d.forget() }

// forget forgets what was found.
func (d *Diff) forget() error {
	var err error
	for _, s := range d.sides {
		if s != nil && s.h != nil {
			err = errors.Join(err, s.h.Close())
		}
	}
	if d.script != nil {
		err = errors.Join(err, d.script.close())
	}
	d.sides, d.script = [2]*side{}, nil
	return err
}
