package query

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"tracex/format"
	"tracex/lazy"
)

// ErrNoLocation is the error that nothing at a point holds values.
var ErrNoLocation = errors.New("no location: it is no read or write, and no call with an object")

// Spot is a location as [ParseLocation] reads it: of a point, and the wider one that it is a part of, ""
// if there is none.
type Spot struct{ Text, Wider string }

// LocationsAt returns the locations at a point, as LocationsOf does. The error is [ErrNoLocation] if there
// is none, or [ErrHidden] if the view does not show the point.
func LocationsAt(ctx context.Context, r *lazy.LazyTraceReader, raw bool, at lazy.Position) (spots []Spot, point *HistoryPoint, err error) {
	l := &locationReader{at: at}
	if at.At < 0 {
		return nil, nil, ErrNoLocation
	}
	err = r.Pass(ctx, lazy.Pass{
		Raw: raw, Ranges: []lazy.PassRange{{Thread: at.Thread, From: at.At, To: at.At + 1}}, Collect: []lazy.Collector{l},
	})
	switch {
	case err != nil:
		return nil, nil, err
	case l.point == nil:
		if shown, ok := shownAs(ctx, r, raw, at); ok && shown.Position != at {
			return LocationsAt(ctx, r, raw, shown.Position)
		}
		return nil, nil, ErrHidden
	case len(l.spots) == 0:
		return nil, l.point, ErrNoLocation
	}
	return l.spots, l.point, nil
}

// LocationsOf returns the locations of a point: what a read or write is about, the objects that are
// receiver, arguments or result of a call, what was thrown. foot is the footer of a call, nil if it is not
// known; call and method are where the call around the point is and what it calls, a zero handle and -1
// without one.
func LocationsOf(c *format.Context, point *format.Point, foot *format.Footer, call lazy.Handle, method int32) (list []Spot) {
	object := func(v *format.Value) {
		if tellsObject(v) {
			if s := (Spot{Text: objectName(c, v)}); !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
	}
	switch point.Class {
	case format.ClassFieldRead, format.ClassFieldWrite:
		d := c.Field(point.Ref)
		switch {
		case d == nil:
		case tellsObject(&point.Target):
			list = append(list, Spot{objectName(c, &point.Target) + "." + d.Name, fieldText(c, point.Ref, true)})
		default:
			list = append(list, Spot{Text: fieldText(c, point.Ref, true)})
		}
	case format.ClassArrayRead, format.ClassArrayWrite:
		if tellsObject(&point.Target) {
			array := objectName(c, &point.Target)
			list = append(list, Spot{array + "[" + strconv.Itoa(int(point.Number)) + "]", array})
		}
	case format.ClassVariableRead, format.ClassVariableWrite:
		switch d := c.Variable(point.Ref); {
		case d == nil:
		case method < 0:
			list = append(list, Spot{Text: ":" + d.Name})
		default:
			wider := ""
			if name, _ := c.FullCallName(method, 0); name != "" {
				wider = name + ":" + d.Name
			}
			list = append(list, Spot{call.String() + ":" + d.Name, wider})
		}
	case format.ClassThrow, format.ClassCatch:
		object(&point.Value)
	case format.ClassCall:
		object(&point.Target)
		for i := range point.Args {
			object(&point.Args[i])
		}
		if foot != nil {
			object(&foot.Result)
		}
	}
	return list
}

// locationReader is the collector of LocationsAt and its own visitor.
type locationReader struct {
	at    lazy.Position
	point *HistoryPoint
	spots []Spot
}

func (l *locationReader) Visitor() lazy.Visitor         { return &locationReader{at: l.at} }
func (l *locationReader) Reset()                        { *l = locationReader{at: l.at} }
func (l *locationReader) Begin(int32, []lazy.PassFrame) {}
func (l *locationReader) Exit(*lazy.PassPoint)          {}
func (l *locationReader) Leaf(p *lazy.PassPoint)        { l.Enter(p) }

func (l *locationReader) Merge(v lazy.Visitor) error {
	if x := v.(*locationReader); x.point != nil {
		*l = *x
	}
	return nil
}

func (l *locationReader) Enter(p *lazy.PassPoint) {
	if l.point != nil || p.At != l.at.At {
		return
	}
	l.point = &HistoryPoint{l.at, p.Event}
	point, err := p.Point()
	if err != nil {
		p.Fail(err)
		return
	}
	foot, err := p.Footer()
	if err != nil {
		p.Fail(err)
		return
	}
	l.spots = locationsIn(p, point, foot)
}

// locationsIn returns the locations of a point of a pass.
func locationsIn(p *lazy.PassPoint, point *format.Point, foot *format.Footer) []Spot {
	call, method := lazy.Handle{}, int32(-1)
	p.Frames(func(f lazy.PassFrame) bool {
		if f.Class == format.ClassCall {
			call, method = lazy.PositionHandle(lazy.Position{Thread: p.Thread, At: f.At}), f.Ref
		}
		return f.Class != format.ClassCall
	})
	return LocationsOf(p.Context(), point, foot, call, method)
}
