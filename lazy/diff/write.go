package diff

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/lazy/internal/walk"
)

// input is what a diff is written from.
type input struct {
	sides [2]*lazy.LazyTraceReader
	steps iter.Seq2[step, error]
	// known is what the steps are about; nil for what is known now.
	known [2]*walk.Known
	// calls, if not nil, returns how many calls a container of B is, with those in it, by the ordinal of its cell.
	calls func(thread int32, cell int64) int64
}

// output is where a diff is written. Events and pairs are one of each for each event.
type output struct {
	files  tracefile.Files // without times
	events func([]format.EventMatch) error
	pairs  *pairsWriter
	full   bool // all of what is equal; otherwise a row stands for it
}

// outcome is what is known of a diff in the end.
type outcome struct {
	version format.Version
	threads []format.ThreadMatch
	points  int64
	moves   lazy.Moves
}

// writer writes a diff, step by step.
type writer struct {
	input
	output
	outcome
	a, b      *source
	words     *dictionary
	out       *tracefile.Writer
	positions [2]map[int32]int32

	block   *tracefile.Block    // of the current thread; nil between threads
	open    []openPoint         // the steps that have not ended
	last    step                // the one before
	part    *part               // nil unless one is being written
	moving  *step               // of a moved or renamed one, until its row is written
	first   map[int64]lazy.Move // by [step].n: rows whose partners are still to come
	matches []format.EventMatch
	feeds   [2]feed
	nodes   [2]walk.NodeData
}

// openPoint is a container that is being written.
type openPoint struct {
	content int64 // logical, in the output
	event   int32
	class   format.Class
	method  int32 // of a call
	footer  format.Footer
	from    *source  // whose footer it is; nil for that of the output
	ends    [2]int64 // where its content ends in each trace
	around  bool     // it is the call around the roots of a thread
}

const (
	// blockSize is about how large blocks are, in bytes.
	blockSize = 1 << 20
	// matchesAt is how many matches of events are written at a time.
	matchesAt = 1 << 13
	// holdFor is how many objects are read while the traces are held.
	holdFor = 1 << 13
)

// outputVersion returns the version of the format of a diff.
func outputVersion(a, b format.Version) format.Version {
	return max(a, b, format.V22)
}

// write writes a diff. tell gets the bytes of both traces that have been passed.
func write(ctx context.Context, in input, out output, tell lazy.Progress) (*outcome, error) {
	w := &writer{input: in, output: out, outcome: outcome{moves: lazy.Moves{}}, first: make(map[int64]lazy.Move)}
	w.version = outputVersion(in.sides[0].Version(), in.sides[1].Version())
	w.words = newDictionary(w.version, func(object []byte) { w.block.Reference(object, w.version) })
	var err error
	if w.a, err = newSource(0, in, w.words); err != nil {
		return nil, err
	}
	if w.b, err = newSource(1, in, w.words); err != nil {
		return nil, err
	}
	if err := holdSources(w.a, w.b, func() (err error) {
		for i, s := range [...]*source{w.a, w.b} {
			if w.positions[i], err = s.positions(); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	out.files.Times = nil
	w.out = tracefile.NewWriter(w.version, out.files, time.Time{})
	w.out.Behind()
	err = w.run(ctx, tell)
	if err == nil {
		err = w.tellMatches()
	}
	err = errors.Join(err, w.out.End(0)) // also ends the goroutine that writes
	if err == nil && w.pairs != nil {
		w.pairs.flush()
		err = w.pairs.err
	}
	return &w.outcome, err
}

// run writes all steps.
func (w *writer) run(ctx context.Context, tell lazy.Progress) error {
	data, _ := w.sides[0].Size()
	total, _ := w.sides[1].Size()
	total += data
	list := w.steps
	if !w.full {
		list = coalesced(list)
	}
	next, stop := iter.Pull2(list)
	defer stop()
	s, err, ok := next()
	for ok {
		if err = errors.Join(err, w.check(ctx)); err != nil {
			return err
		}
		then, thenErr, more := next()
		if !more || thenErr != nil {
			then = step{kind: stepExit}
		}
		if err := w.step(ctx, s, then); err != nil {
			return err
		}
		w.last = s
		if tell != nil {
			tell(min(w.a.all+w.a.read+w.b.all+w.b.read, total), total)
		}
		s, err, ok = then, thenErr, more
	}
	if w.block != nil || len(w.open) > 0 {
		return errors.New("the steps of a diff end within a thread")
	}
	return w.words.err
}

// check returns why the writer should not go on.
func (w *writer) check(ctx context.Context) error {
	if w.pairs != nil && w.pairs.err != nil {
		return w.pairs.err
	}
	return cmp.Or(ctx.Err(), w.out.Err())
}

// coalesced yields the steps with those joined that are about equal siblings, or about a difference that does not count.
func coalesced(steps iter.Seq2[step, error]) iter.Seq2[step, error] {
	return func(yield func(step, error) bool) {
		var held step
		for s, err := range steps {
			if s.kind == stepPair && s.quiet {
				s.kind, s.n, s.calls = stepEqual, 1, 0
			}
			if err == nil && s.kind == stepEqual {
				if held.n == 0 {
					held = s
				} else {
					held.n, held.calls = held.n+s.n, held.calls+s.calls
				}
				continue
			}
			if held.n > 0 && !yield(held, nil) || !yield(s, err) {
				return
			}
			held = step{}
		}
		if held.n > 0 {
			yield(held, nil)
		}
	}
}

// step writes a step, before another one.
func (w *writer) step(ctx context.Context, s, after step) error {
	switch s.kind {
	case stepThread:
		return w.thread(s, after)
	case stepRemoved, stepAdded:
		return w.lone(ctx, s)
	case stepEqual:
		if w.full {
			return w.equalFull(ctx, s)
		}
		return w.equalRows(ctx, s, w.last.kind == stepExit || w.last.differs(), after.kind == stepEnter || after.differs())
	case stepExit:
		return w.exit(ctx)
	}
	return holdSources(w.a, w.b, func() error {
		if s.kind == stepPair {
			return w.pair(s)
		}
		return w.enter(s)
	})
}

// differs reports whether the step is about one point, or one with everything in it, that makes a difference.
func (s *step) differs() bool {
	return (s.kind == stepRemoved || s.kind == stepAdded || s.kind == stepPair) && !s.quiet
}

// lone writes what only one side has, with everything in it. If that does not count it is written as if it were in both; then a row
// is enough for what is in it.
func (w *writer) lone(ctx context.Context, s step) error {
	from, at, status := w.a, s.a, format.DiffRemoved
	if s.kind == stepAdded {
		from, at, status = w.b, s.b, format.DiffAdded
	}
	if !s.quiet {
		if w.pairs != nil && (s.moved || s.named) {
			moving := s
			w.moving = &moving
		}
		return w.copy(ctx, from, at, 1, status, nil)
	}
	if w.full {
		return w.copy(ctx, from, at, 1, format.DiffUnchanged, nil)
	}
	err := holdSources(w.a, w.b, func() error {
		x := twins{w: w, ends: w.ends(), without: w.other(from)}
		x.start(s.a, s.b)
		if err := x.next(true); err != nil {
			return err
		}
		return w.sibling(&x, s.calls)
	})
	for err == nil && w.part != nil {
		if err = w.check(ctx); err != nil {
			return err
		}
		err = holdSources(w.a, w.b, func() (err error) {
			for n := 0; n < holdFor && w.part != nil && err == nil; n++ {
				err = w.inside()
			}
			return err
		})
	}
	return err
}

// other returns the other side.
func (w *writer) other(s *source) *source {
	if s == w.a {
		return w.b
	}
	return w.a
}
