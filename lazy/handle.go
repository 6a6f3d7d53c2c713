package lazy

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Handle is a short name for a row of a trace, the same on the screen, in output and in
// addresses. There are two kinds:
//
//	#1204332    the event with a number
//	@3+88120    what is at a logical offset of a thread, counted from 1; @3 is the thread itself
//
// Lincheck and tracex give a number to one event of a trace only. In a trace of another
// recorder a number may occur in several threads; then only the second kind is exact.
type Handle struct {
	Numbered bool     // it is the first kind
	Event    int32    // of the first kind
	Position Position // of the second kind
}

// EventHandle returns the handle of the event with a number.
func EventHandle(event int32) Handle { return Handle{Numbered: true, Event: event} }

// PositionHandle returns the handle of a position.
func PositionHandle(p Position) Handle { return Handle{Position: p} }

// Handle returns the handle of n: the number of its event, or for a thread its position.
func (n *Node) Handle() Handle {
	if n.IsThread() {
		return PositionHandle(Position{Thread: n.thread, At: -1})
	}
	return EventHandle(n.e.Load().point.Event)
}

// String spells the handle: ParseHandle reads it.
func (h Handle) String() string {
	switch {
	case h.Numbered:
		return "#" + strconv.Itoa(int(h.Event))
	case h.Position.At < 0:
		return "@" + strconv.FormatInt(int64(h.Position.Thread)+1, 10)
	}
	return fmt.Sprintf("@%d+%d", int64(h.Position.Thread)+1, h.Position.At)
}

// ParseHandle reads a handle, whose numbers may be grouped: "#1,204,332". It returns false if
// the text is none, or names what no trace can have.
func ParseHandle(text string) (h Handle, ok bool) {
	if number, found := strings.CutPrefix(text, "#"); found {
		n, ok := parseNumber(number, math.MaxInt32)
		return EventHandle(int32(n)), ok
	}
	thread, found := strings.CutPrefix(text, "@")
	if !found {
		return Handle{}, false
	}
	thread, offset, inside := strings.Cut(thread, "+")
	id, ok := parseNumber(thread, math.MaxInt32+1)
	at := int64(-1)
	if inside && ok {
		at, ok = parseNumber(offset, math.MaxInt64)
	}
	if !ok || id == 0 {
		return Handle{}, false
	}
	return PositionHandle(Position{Thread: int32(id - 1), At: at}), true
}

// parseNumber reads a number from 0 to most, which may be grouped by commas or underscores.
func parseNumber(text string, most int64) (n int64, ok bool) {
	if text == "" || text[0] < '0' || text[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.NewReplacer(",", "", "_", "").Replace(text), 10, 64)
	return n, err == nil && n <= most
}

// Find returns the position that a handle names and the number of the event there, -1 for a
// thread. The error is a [*NoEventError] or a [*NoPositionError] if nothing known has the handle.
func (r *LazyTraceReader) Find(ctx context.Context, h Handle) (at Position, event int32, err error) {
	if h.Numbered {
		at, err = r.FindEvent(ctx, h.Event)
		return at, h.Event, err
	}
	n, err := recordedAt(ctx, r, h.Position)
	switch {
	case err != nil:
		return Position{}, 0, err
	case n.IsThread():
		return h.Position, -1, nil
	}
	return n.Position(), n.e.Load().point.Event, nil
}

// recordedAt returns the node that was recorded at a position.
func recordedAt(ctx context.Context, r *LazyTraceReader, p Position) (*Node, error) {
	s := r.known.Load().Stream(p.Thread)
	if s == nil || p.At >= s.Size {
		return nil, &NoPositionError{p, s != nil}
	}
	n, err := r.Tree(false).Reveal(ctx, p)
	if err == nil && n.IsThread() && p.At >= 0 {
		err = &NoPositionError{p, true}
	}
	return n, err
}

// NoPositionError is the error that nothing is at a position.
type NoPositionError struct {
	Position Position
	Thread   bool // the thread exists
}

func (e *NoPositionError) Error() string {
	if !e.Thread {
		return fmt.Sprintf("no thread %d in the trace", int64(e.Position.Thread)+1)
	}
	return "no event at " + PositionHandle(e.Position).String()
}

// AlsoIn returns other threads with an event of the same number as the one at a position, at
// most limit. It relies on numbers that rise within each thread.
func (r *LazyTraceReader) AlsoIn(ctx context.Context, event int32, at Position, limit int) (threads []int32, err error) {
	v := r.known.Load()
	if len(v.Streams) < 2 {
		return nil, nil
	}
	streams, err := r.streamsWith(ctx, v, event, nil)
	if err != nil {
		return nil, err
	}
	for _, s := range streams {
		if s.Thread == at.Thread {
			continue
		}
		if len(threads) == limit {
			break
		}
		if _, ok, err := findRising(ctx, r, event, &s.Thread); err != nil {
			return threads, err
		} else if ok {
			threads = append(threads, s.Thread)
		}
	}
	return threads, nil
}
