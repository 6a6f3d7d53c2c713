package times

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// readBytes is how much of the data is read between two checks of the context.
const readBytes = 4 << 20

// Verify compares every cell of a file of times with the data: that it belongs to
// the next object, that each call has a time, and that the times of its
// children are within it. times is its path, "" for the default name beside the
// data; if the file does not exist, or has no time, the error is [fs.ErrNotExist]. It returns the
// number of cells. progress may be nil; it gets bytes of data.
func Verify(ctx context.Context, data, times string, progress func(done, total int64)) (cells int64, err error) {
	if times == "" {
		times = Path(data)
	}
	s, err := Open(times, nil)
	if err != nil {
		return 0, err
	}
	defer s.m.Unmap()
	if s.none {
		return 0, &fs.PathError{Op: "verify", Path: times, Err: fs.ErrNotExist}
	}
	dm, err := mapped.Open(data, format.CheckDataHeader)
	if err != nil {
		return 0, err
	}
	defer dm.Unmap()
	// The file does not tell which writer's order it has. The one that fits further
	// is the right one.
	var first *verifier
	for _, dump := range [...]bool{false, true} {
		v := &verifier{m: s.m, from: s.scan(), version: dm.Version(), dump: dump, open: make(map[int32][]frame)}
		err := v.run(ctx, dm, progress)
		if err == nil || !errors.Is(err, ErrUnfit) {
			return v.from.Cells(), err
		}
		if first == nil || v.from.Cells() > first.from.Cells() {
			first = v
		}
	}
	return first.from.Cells(), first.err
}

// verifier compares a file of times with objects in sequence. It keeps its first
// failure.
type verifier struct {
	m       *mapped.File
	version format.Version // of the data
	dump    bool
	from    *format.TimesScanner
	pos     int64 // of the cell taken last
	open    map[int32][]frame
	last    int64 // the latest end so far
	err     error
}

// frame is an open container, with the time range of its children so far.
type frame struct {
	event    int32
	from, to int64 // from the first child to the last; from is MaxInt64 before the first
}

func (v *verifier) run(ctx context.Context, data *mapped.File, progress func(done, total int64)) error {
	s := format.NewBytesScanner(data.Bytes())
	for more := true; more; {
		err := mapped.Guard(func() error {
			for stop := s.Offset() + readBytes; s.Offset() < stop && v.err == nil; {
				if more = s.Next(); !more {
					return format.At(s.Err(), data.Path(), 0)
				}
				o := s.Object()
				v.object(&o)
			}
			return v.err
		}, data, v.m)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if progress != nil {
			progress(s.Offset(), int64(len(data.Bytes())))
		}
	}
	return nil
}

func (v *verifier) object(o *format.Object) {
	switch {
	case o.Kind == format.KindBlockStart && !v.dump, o.Kind == format.KindBlockEnd && v.dump:
		v.take(o.Thread, Block)
	case o.Kind == format.KindTracePoint && o.Class.Container():
		v.open[o.Thread] = append(v.open[o.Thread], frame{event: format.EventOf(o.Bytes), from: math.MaxInt64})
	case o.Kind == format.KindFooter:
		v.footer(o.Thread)
	case o.Kind.Reference():
		if c := v.take(v.version.ReferenceID(o.Bytes), Kind(o.Kind.String())); c.Known() {
			v.differs("no time", "one")
		}
	case o.Kind == format.KindEOF:
		switch c := v.take(EndID, End); {
		case v.err != nil:
		case c.Duration != 0 || c.Start < v.last:
			v.differs(fmt.Sprintf("a moment from %d on", v.last), describe(c))
		case v.more():
			v.differs("the end of the file", "more")
		}
	}
}

// footer checks the time of the innermost container of a thread.
func (v *verifier) footer(thread int32) {
	stack := v.open[thread]
	f := stack[len(stack)-1]
	stack = stack[:len(stack)-1]
	v.open[thread] = stack
	c := v.take(f.event, Event)
	if v.err != nil {
		return
	}
	t, ok := Of(c)
	switch {
	case !ok:
		v.differs("a time", describe(c))
		return
	case f.from < t.Start || f.to > t.End():
		v.differs(fmt.Sprintf("a time around those of the children, from %d to %d", f.from, f.to), describe(c))
		return
	}
	if n := len(stack) - 1; n >= 0 {
		stack[n].from, stack[n].to = min(stack[n].from, t.Start), max(stack[n].to, t.End())
	}
	v.last = max(v.last, t.End())
}

// take reads the next cell, which must have this ID.
func (v *verifier) take(id int32, what Kind) (c format.TimeCell) {
	if v.err != nil {
		return c
	}
	ok := v.from.Next()
	if v.pos = v.from.Offset(); !ok {
		if v.err = format.At(v.from.Err(), v.m.Path(), 0); v.err == nil {
			v.differs(fmt.Sprintf("the time of %s %d", what, id), "the end of the file")
		}
		return c
	}
	c = v.from.Cell()
	if c.ID != id {
		v.differs(fmt.Sprintf("the time of %s %d", what, id), fmt.Sprintf("that of %d", c.ID))
	}
	return c
}

// more reports whether something follows the last cell: a cell, or what is none.
func (v *verifier) more() bool {
	more := v.from.Next()
	v.pos = v.from.Offset()
	return more || v.from.Err() != nil || v.from.Rest()
}

// differs sets the failure, for the cell taken last.
func (v *verifier) differs(expected, found string) {
	if v.err != nil {
		return
	}
	v.err = &format.Error{File: v.m.Path(), Offset: v.pos, Err: ErrUnfit, Expected: expected, Found: found, Hint: hint}
}

func describe(c format.TimeCell) string {
	if !c.Known() {
		return fmt.Sprintf("a duration of %d", c.Duration)
	}
	return fmt.Sprintf("%d ns from %d on", c.Duration, c.Start)
}
