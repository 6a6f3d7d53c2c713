package lazy

import (
	"context"
	"errors"
	"fmt"
	"io"

	"tracex/format"
	"tracex/lazy/internal/walk"
)

// FoldedError is the error that the folded view does not show an event as such.
type FoldedError struct {
	Event int32
	// Near is the event that is shown where this one was recorded: the one it became
	// part of if Inside is false, the one it was left out of if Inside is true. It is
	// -1 for the thread itself.
	Near   int64
	Inside bool
}

func (e *FoldedError) Error() string {
	switch {
	case e.Near < 0:
		return fmt.Sprintf("event %d is folded away", e.Event)
	case e.Inside:
		return fmt.Sprintf("event %d is folded away within event %d", e.Event, e.Near)
	}
	return fmt.Sprintf("event %d is folded into event %d", e.Event, e.Near)
}

// PrintEvent writes the trace point with an event number as Print does, but without the
// line of its thread unless o.JSON is set; with subtree also everything below it. As
// text the point has no indentation. o.MaxDepth counts from the point. The error is a
// [*FoldedError] if the trace has the point, but the folded view does not show it.
// within.Thread is the thread to search, and within.Count limits the points written. A nil w is
// standard output.
func (r *LazyTraceReader) PrintEvent(ctx context.Context, w io.Writer, o PrintOptions, event int32, subtree bool, within PrintRange) error {
	return printFound(ctx, r.r, w, o, subtree, within, func() (*Node, error) {
		position, err := r.r.FindEventIn(ctx, event, within.Thread)
		if err != nil {
			return nil, err
		}
		return shownAt(ctx, r.r, o.Folded, event, position)
	})
}

// PrintAt is PrintEvent for the trace point at a position. The error is a [*NoPositionError]
// if there is none.
func (r *LazyTraceReader) PrintAt(ctx context.Context, w io.Writer, o PrintOptions, at Position, subtree bool, within PrintRange) error {
	return printFound(ctx, r.r, w, o, subtree, within, func() (*Node, error) {
		position, event, err := r.Find(ctx, PositionHandle(at))
		if err != nil {
			return nil, err
		}
		return shownAt(ctx, r.r, o.Folded, event, position)
	})
}

// printFound prints the node that a function finds.
func printFound(ctx context.Context, r *walk.Reader, w io.Writer, o PrintOptions, subtree bool, within PrintRange, shown func() (*Node, error)) error {
	var n *Node
	find := func() (err error) {
		n, err = shown()
		return err
	}
	if err := r.Insist(ctx, find); err != nil {
		return err
	}
	p := walk.NewPrinter(r, w, o)
	p.Left, p.Limited = within.Count, within.Count > 0
	p.At, p.Top = &n.thread, int(n.depth)-1
	if o.JSON {
		p.Heading(n.thread, true)()
	}
	if !subtree {
		p.Levels, p.Counts = 1, false
	}
	err := p.Run(ctx, []int32{n.thread}, walk.Uncut, func() ([]PassRange, *walk.PassState, error) {
		if r.Epoch.Load() != int64(n.epoch) {
			if err := find(); err != nil {
				return nil, nil, err
			}
		}
		ranges, begin := n.part()
		return ranges, begin, nil
	})
	if ferr := p.Lines.Flush(); ferr != nil {
		return ferr
	}
	if errors.Is(err, ErrEnough) {
		return nil
	}
	return err
}

// shownAt returns the node of the event at a position.
func shownAt(ctx context.Context, r *walk.Reader, folded bool, event int32, at Position) (*Node, error) {
	n, err := newTree(r, folded, nil).Reveal(ctx, at)
	if err != nil {
		return nil, err
	}
	return n, n.ShowsEvent(event, at)
}

// ShowsEvent checks that n, which Reveal returned for the Position of an event, is
// that event. The error is a [*FoldedError] if n is shown instead of the event.
func (n *Node) ShowsEvent(event int32, at Position) error {
	e := n.e.Load()
	switch {
	case n.IsThread():
		return &FoldedError{Event: event, Near: -1, Inside: true}
	case e.Point.Event == event:
		return nil
	}
	// An offset within the content of n belongs to something left out of it.
	return &FoldedError{Event: event, Near: int64(e.Point.Event), Inside: at.At >= e.Start && at.At < e.End}
}

// part is PartOf a node.
func (n *Node) part() ([]PassRange, *walk.PassState) {
	around := PassFrame{Class: format.ClassLoop, Event: int32(n.parent.event())}
	if in := n.around(); in.Call {
		around.Class, around.Ref = format.ClassCall, in.Method
	}
	return walk.PartOf(n.thread, n.e.Load(), around)
}

// event returns the event of a node; -1 for a thread.
func (n *Node) event() int64 {
	if n.IsThread() {
		return -1
	}
	return int64(n.e.Load().Point.Event)
}
