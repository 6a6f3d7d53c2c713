package query

import (
	"context"
	"strconv"

	"tracex/format"
	"tracex/lazy"
)

// about returns what is known of a side before it is walked.
func (c *Compare) about(ctx context.Context, s *sequence) (out comparedSide, err error) {
	if out.state, err = s.end(ctx); err != nil {
		return out, err
	}
	if s.scope.Ranges[0].To < 0 {
		c.r.WithContext(func(x *format.Context) { out.name = threadValue(x, s.thread).text })
		return out, nil
	}
	whole := Scope{Raw: s.scope.Raw, Ranges: s.scope.Ranges}
	row, err := c.placeAt(ctx, &whole, lazy.Position{Thread: s.thread, At: s.from})
	out.name = cutText([]byte(lazy.EventHandle(row.event).String()+" "+row.text.Text), longestCompared)
	return out, err
}

// parting describes where the sides are.
func (c *Compare) parting(ctx context.Context, sides [2]*sequence, same int64) (*Parting, error) {
	out := &Parting{Same: same}
	for i, s := range sides {
		p := &out.Sides[i]
		p.Position = lazy.Position{Thread: s.thread, At: s.from}
		m := s.now()
		if p.Missing = m == nil; !p.Missing {
			p.Position.At, p.Event, p.End = m.at, m.event, m.how == markEnd
		} else if p.Position.At == 0 && s.scope.Ranges[0].To < 0 {
			p.Position.At = -1
			continue
		}
		row, err := c.placeAt(ctx, &s.scope, p.Position)
		if err != nil {
			return nil, err
		}
		p.Text, p.Path, p.State = row.text, row.path, row.state
		if p.Missing {
			p.Event = row.event
		}
	}
	return out, nil
}

// comparedRow is the row of a point, and what is around it.
type comparedRow struct {
	event int32
	state lazy.State
	text  Styled   // with objects by class
	path  []string // the innermost names
}

// placeAt reads a row of a scope. The path begins below what the scope is.
func (c *Compare) placeAt(ctx context.Context, s *Scope, at lazy.Position) (row comparedRow, err error) {
	x := &placeReader{at: at.At, from: s.begins(at.Thread)}
	if s.Ranges[0].To < 0 {
		x.from = -1 // a root of the thread is in it
	}
	p := s.Over(x)
	p.Ranges = []lazy.PassRange{{Thread: at.Thread, From: at.At, To: at.At + 1}}
	err = c.r.Pass(ctx, p)
	return x.row, err
}

// placeReader reads the row at a position. It is a Collector and its own visitor.
type placeReader struct {
	at, from int64
	found    bool
	row      comparedRow
}

func (x *placeReader) Visitor() lazy.Visitor { return &placeReader{at: x.at, from: x.from} }
func (x *placeReader) Reset()                { *x = placeReader{at: x.at, from: x.from} }
func (x *placeReader) Merge(v lazy.Visitor) error {
	if y := v.(*placeReader); y.found {
		*x = *y
	}
	return nil
}

func (x *placeReader) Begin(int32, []lazy.PassFrame) { x.row.path = nil }
func (x *placeReader) Exit(*lazy.PassPoint)          {}
func (x *placeReader) Enter(p *lazy.PassPoint)       { x.take(p) }
func (x *placeReader) Leaf(p *lazy.PassPoint)        { x.take(p) }

// Around is for the pass.
func (x *placeReader) Around(p *lazy.PassPoint) {
	if p.At <= x.from {
		return // around the scope, or all of it
	}
	name := "loop"
	switch p.Class {
	case format.ClassCall:
		name, _ = p.Context().CallName(p.Ref, 0)
	case format.ClassIteration:
		point, err := p.Point()
		if err != nil {
			p.Fail(err)
			return
		}
		name = "<iteration " + strconv.FormatInt(int64(point.Number)+1, 10) + ">"
	}
	if len(x.row.path) == pathLength {
		x.row.path = append(x.row.path[:0], x.row.path[1:]...)
	}
	x.row.path = append(x.row.path, name)
}

func (x *placeReader) take(p *lazy.PassPoint) {
	if p.At != x.at || x.found {
		return
	}
	point, err := p.Point()
	var foot *format.Footer
	var state lazy.State
	if err == nil {
		foot, err = p.Footer()
	}
	if err == nil {
		state, err = p.Ended()
	}
	if err != nil {
		p.Fail(err)
		return
	}
	x.found = true
	x.row.event, x.row.state = p.Event, state
	x.row.text = styledText(p.Context(), point, foot, p.Parent()).byClass()
}

// byClass returns the text without the identities of objects.
func (s Styled) byClass() (out Styled) {
	for _, x := range s.Spans {
		if x.Style != format.StyleHash {
			out.add(s.Text[x.Start:x.End], x.Style)
		}
	}
	return out
}

// add appends text.
func (s *Styled) add(text string, style format.Style) {
	if text == "" {
		return
	}
	s.Spans = append(s.Spans, format.Span{Start: len(s.Text), End: len(s.Text) + len(text), Style: style})
	s.Text += text
}

// append appends a text with its styles.
func (s *Styled) append(o Styled) {
	for _, x := range o.Spans {
		s.add(o.Text[x.Start:x.End], x.Style)
	}
}
