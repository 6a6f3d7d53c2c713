package query

import (
	"cmp"
	"context"

	"tracex/format"
	"tracex/lazy"
)

// HistoryPoint is a point of the trace.
type HistoryPoint struct {
	lazy.Position
	Event int32
}

// placeOf returns where a point is.
func placeOf(p *lazy.PassPoint) lazy.Position { return lazy.Position{Thread: p.Thread, At: p.At} }

// eventOf returns a point with its number.
func eventOf(p *lazy.PassPoint) HistoryPoint { return HistoryPoint{placeOf(p), p.Event} }

// atPlace is a point of which the place is known.
func atPlace(at lazy.Position) HistoryPoint { return HistoryPoint{at, -1} }

func pointOf(n *lazy.Node) HistoryPoint { return HistoryPoint{n.Position(), n.Point().Event} }

// ComparePlaces compares positions in the order of the trace.
func ComparePlaces(a, b lazy.Position) int {
	return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.At, b.At))
}

// decoded returns a point; nil if it is damaged, which ends the pass.
func decoded(p *lazy.PassPoint) *format.Point {
	point, err := p.Point()
	if err != nil {
		p.Fail(err)
		return nil
	}
	return point
}

// wholePoint returns a point with its footer, nil if it has none.
func wholePoint(p *lazy.PassPoint) (point *format.Point, foot *format.Footer, err error) {
	if point, err = p.Point(); err == nil {
		foot, err = p.Footer()
	}
	return point, foot, err
}

// tookOf returns the time of what ends; a negative duration if it is not known.
func tookOf(p *lazy.PassPoint, timed bool) lazy.Time {
	if timed && p.State == lazy.StateWhole {
		if t, ok := p.Time(); ok {
			return t
		}
	}
	return lazy.Time{Duration: -1}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// PointOf returns the point at a place, as recorded; ok is false if there is none.
func PointOf(ctx context.Context, r *lazy.LazyTraceReader, at lazy.Position) (p Point, ok bool, err error) {
	return readOne(ctx, r, &Scope{Raw: true}, at, func(p *lazy.PassPoint) (Point, bool, error) {
		out, err := describe(p, false)
		return out, p.At == at.At, err
	})
}
