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

// LocationsAt returns the texts of the locations at a point: what a read or write is about, the
// objects that are receiver, arguments or result of a call, what was thrown. The error is
// [ErrNoLocation] if there is none, or [ErrHidden] if the view does not show the point.
func LocationsAt(ctx context.Context, r *lazy.TraceReader, raw bool, at lazy.Position) (texts []string, point *HistoryPoint, err error) {
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
		return nil, nil, ErrHidden
	case len(l.texts) == 0:
		return nil, l.point, ErrNoLocation
	}
	return l.texts, l.point, nil
}

// locationReader is the collector of LocationsAt and its own visitor.
type locationReader struct {
	at    lazy.Position
	point *HistoryPoint
	texts []string
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
	c := p.Context()
	switch point.Class {
	case format.ClassFieldRead, format.ClassFieldWrite:
		d := c.Field(point.Ref)
		switch {
		case d == nil:
		case hasIdentity(&point.Target):
			l.texts = append(l.texts, objectName(c, &point.Target)+"."+d.Name)
		default:
			l.texts = append(l.texts, fieldText(c, point.Ref, true))
		}
	case format.ClassArrayRead, format.ClassArrayWrite:
		if hasIdentity(&point.Target) {
			l.texts = append(l.texts, objectName(c, &point.Target)+"["+strconv.Itoa(int(point.Number))+"]")
		}
	case format.ClassVariableRead, format.ClassVariableWrite:
		if d := c.Variable(point.Ref); d != nil {
			call := ""
			p.Frames(func(f lazy.PassFrame) bool {
				if f.Class == format.ClassCall {
					call = lazy.PositionHandle(lazy.Position{Thread: p.Thread, At: f.At}).String()
				}
				return f.Class != format.ClassCall
			})
			l.texts = append(l.texts, call+":"+d.Name)
		}
	case format.ClassThrow, format.ClassCatch:
		l.object(c, &point.Value)
	case format.ClassCall:
		l.object(c, &point.Target)
		for i := range point.Args {
			l.object(c, &point.Args[i])
		}
		foot, err := p.Footer()
		if err != nil {
			p.Fail(err)
		} else if foot != nil {
			l.object(c, &foot.Result)
		}
	}
}

// object adds an object once.
func (l *locationReader) object(c *format.Context, v *format.Value) {
	if hasIdentity(v) {
		if name := objectName(c, v); !slices.Contains(l.texts, name) {
			l.texts = append(l.texts, name)
		}
	}
}
