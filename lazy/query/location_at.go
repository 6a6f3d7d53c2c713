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
	if at.At < 0 {
		return nil, nil, ErrNoLocation
	}
	point, ok, err := readOne(ctx, r, &Scope{Raw: raw}, at, func(p *lazy.PassPoint) (*HistoryPoint, bool, error) {
		if p.At != at.At {
			return nil, false, nil
		}
		point, foot, err := wholePoint(p)
		if err == nil {
			spots = locationsIn(p, point, foot)
		}
		return &HistoryPoint{at, p.Event}, true, err
	})
	switch {
	case err != nil:
		return nil, nil, err
	case !ok:
		if shown, ok := shownAs(ctx, r, raw, at); ok && shown.Position != at {
			return LocationsAt(ctx, r, raw, shown.Position)
		}
		return nil, nil, ErrHidden
	case len(spots) == 0:
		return nil, point, ErrNoLocation
	}
	return spots, point, nil
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
