package query

import (
	"context"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/goroutines"
	"tracex/lazy/query/table"
)

// callRows are the rows of a table with a row for each call.
type callRows struct {
	readRows
	c       *Calls
	order   *rowOrder // as in callsList
	args    int       // columns of arguments
	columns int       // all
	g       *display.Glyphs
	extra   []callColumn
}

func (s *callRows) point(row int) (p HistoryPoint, ok bool) {
	list, _ := s.places(row, row+1)
	if len(list) == 0 {
		return p, false
	}
	return atPlace(list[0]), true
}

// places returns the places of rows and their weights.
func (s *callRows) places(from, to int) (at []lazy.Position, weights []int64) {
	rows := make([]uint32, 0, to-from)
	if s.order != nil {
		rows = s.order.appendRows(rows, from, to)
	} else {
		for i := from; i < to; i++ {
			rows = append(rows, uint32(i))
		}
	}
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	for _, row := range rows {
		p, weight, ok := s.c.list.place(row)
		if !ok {
			break
		}
		at, weights = append(at, p), append(weights, weight)
	}
	return at, weights
}

func (s *callRows) read(ctx context.Context, from, to int) ([][]table.Value, error) {
	rows := make([][]table.Value, to-from)
	at, weights := s.places(from, to)
	points, err := read(ctx, s.c.r, &s.c.scope, true, at)
	if err != nil {
		return nil, err
	}
	extra, err := readExtra(ctx, s.c, s.extra, s.g, at)
	if err != nil {
		return nil, err
	}
	for i := range at {
		if len(points) > 0 && points[0].Position == at[i] {
			rows[i] = s.row(&points[0], weights[i], extra[at[i]])
			points = points[1:]
		} else {
			rows[i] = make([]table.Value, s.columns)
		}
	}
	return rows, nil
}

// row returns the values of a call.
func (s *callRows) row(p *Point, weight int64, extra []table.Value) []table.Value {
	text := func(s StyledValue) table.Value {
		if s.Text == "" {
			return table.Value{}
		}
		return table.Styled(s.Text, s.Spans).JSON(s.JSON)
	}
	word := func(s string) table.Value {
		if s == "" {
			return table.Value{}
		}
		return table.Str(s)
	}
	number := func(n int64, ok bool) table.Value {
		if !ok {
			return table.Value{}
		}
		return table.Int(n)
	}
	v, known := p.Call, weight != unknownNumber
	row := make([]table.Value, 0, 16+s.args)
	if s.c.about.timed {
		row = append(row, p.duration(), number(weight, known))
	} else {
		row = append(row, number(weight, known))
	}
	row = append(row, table.Str(v.Name))
	for i := range s.args {
		if i < len(v.Args) {
			row = append(row, text(v.Args[i]))
		} else {
			row = append(row, table.Value{})
		}
	}
	result := text(v.Result)
	switch {
	case v.Threw:
		result = inStyle(s.g.Threw+thrownName(v.Exception), format.StyleException).JSON([]byte("null"))
	case v.Unended:
		result = inStyle(neverEnded(v.Pending), format.StyleUnfinished).JSON([]byte("null"))
	}
	row = append(row, result, text(v.Receiver))
	name := p.Thread
	if name == "" {
		name = threadNumber(p.Position.Thread)
	}
	row = append(row, threadNamed(name), word(v.Caller), number(p.Time.Start, p.Timed), table.Int(int64(p.Event)))
	truth := func(yes bool) table.Value { return table.Int(int64(b2i(yes))).JSON(strconv.AppendBool(nil, yes)) }
	unended := table.Value{}
	if v.Unended {
		unended = truth(true)
	}
	row = append(row, extra...)
	for i := len(extra); i < len(s.extra); i++ {
		row = append(row, table.Value{})
	}
	return append(row, word(v.Line), table.Int(int64(p.Position.Thread)+1), word(v.Class), word(v.Method),
		truth(v.Threw), word(v.Exception), unended,
		table.Str(lazy.EventHandle(p.Event).String()))
}

// threadNamed is the name of a thread, shown as shortThread has it.
func threadNamed(name string) table.Value {
	return table.Str(shortThread(name)).JSON(format.AppendJSONString(nil, name))
}

// shortThread is the name of a thread; of a goroutine its number and function, as the tree has them.
func shortThread(name string) string {
	n, ok := goroutines.Parse(name)
	if !ok || n.Main() {
		return name
	}
	text, end := n.Heading()
	return strings.TrimSpace(text[:end])
}

// inStyle returns a text in one style.
func inStyle(text string, s format.Style) table.Value {
	return table.Styled(text, []format.Span{{End: len(text), Style: s}})
}
