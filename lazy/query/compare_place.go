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
	from := s.Begins(at.Thread)
	if s.Ranges[0].To < 0 {
		from = -1 // a root of the thread is in it
	}
	list, err := readAt(ctx, c.r, s, []lazy.Position{at}, func() look[comparedRow] {
		var path []string
		return look[comparedRow]{
			begin: func(int32) { path = nil },
			around: func(p *lazy.PassPoint) error {
				if p.At <= from {
					return nil // around the scope, or all of it
				}
				name, err := comparedName(p)
				if len(path) == pathLength {
					path = append(path[:0], path[1:]...)
				}
				path = append(path, name)
				return err
			},
			at: func(p *lazy.PassPoint) (row comparedRow, ok bool, err error) {
				if ok = p.At == at.At; ok {
					row, err = comparedRowOf(p)
				}
				row.path = path
				return row, ok, err
			},
		}
	})
	if len(list) > 0 {
		row = list[0]
	}
	return row, err
}

// comparedName returns the name of a container in a path.
func comparedName(p *lazy.PassPoint) (string, error) {
	switch p.Class {
	case format.ClassCall:
		name, _ := p.Context().CallName(p.Ref, 0)
		return name, nil
	case format.ClassIteration:
		point, err := p.Point()
		if err != nil {
			return "", err
		}
		return "<iteration " + strconv.FormatInt(int64(point.Number)+1, 10) + ">", nil
	}
	return "loop", nil
}

// comparedRowOf returns the row of a point.
func comparedRowOf(p *lazy.PassPoint) (row comparedRow, err error) {
	point, foot, err := wholePoint(p)
	if err != nil {
		return row, err
	}
	row.event = p.Event
	row.text = byClass(styledText(p.Context(), point, foot, p.Parent()))
	row.state, err = p.Ended()
	return row, err
}

// byClass returns the text without the identities of objects.
func byClass(s Styled) (out Styled) {
	for _, x := range s.Spans {
		if x.Style != format.StyleHash {
			out.Add(s.Text[x.Start:x.End], x.Style)
		}
	}
	return out
}
