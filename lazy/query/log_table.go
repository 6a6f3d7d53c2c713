package query

import (
	"context"
	"fmt"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
	"tracex/lazy/query/template"
)

// wholeLine is the format of a log point without one.
var wholeLine, _ = template.Parse("{text}")

// Table returns the lines, in order; none while the Log runs. Any goroutine may use it.
func (l *Log) Table(v View) *table.Table {
	rows := &logRows{l: l, list: l.entries, g: v.G}
	rows.readRows = readRows{v.Read, len(l.entries), rows.read, new(rowWindows)}
	t := &table.Table{
		Row:     "line",
		Title:   l.title(v),
		Partial: v.Done < 1, Done: v.Done,
		Empty: "nothing matches",
		Rows:  rows,
		Columns: []table.Column{
			{Key: "time", Title: "time", Kind: table.Text, Align: table.Right, In: table.OnlyShown},
			{Key: "event", Title: "event", Kind: table.Event, Priority: 2},
			{Key: "thread_name", Title: "thread", Kind: table.Text, Priority: 1, Most: 24},
			{Key: "text", Title: "what", Kind: table.Text, Least: 20, Stretch: true},
			{Key: "start", Kind: table.Number, In: table.OnlyData},
			{Key: "thread", Kind: table.Number, In: table.OnlyData},
			{Key: "point", Kind: table.Number, In: table.OnlyData},
			{Key: "handle", Kind: table.Text, In: table.OnlyData},
		},
	}
	if v.Done < 1 {
		t.Empty, t.Rows = "stopped", table.List{} // they cannot be read while others are found
	}
	if l.Timeline != lazy.TimelineTimes {
		t.Columns[0].In, t.Columns[1].Priority = table.OnlyData, 0
	}
	if l.Timeline == lazy.TimelineNone {
		t.Notes = append(t.Notes, "by thread: nothing tells the order between threads, as this trace has no times and its events are numbered in batches for each thread")
	}
	if l.dropped > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s more come after these, and are not listed: narrow the filters down", display.Grouped(l.dropped)))
	}
	return t
}

func (l *Log) title(v View) string {
	title := "log " + v.G.Dot + " " + display.Plural(int64(len(l.entries))+l.dropped, "line")
	title += l.scope.about(v.G)
	for i, p := range l.points {
		if i == 3 && len(l.points) > 4 {
			return title + fmt.Sprintf(" %s %d more filters", v.G.Dot, len(l.points)-i)
		}
		if !p.Where.Empty() {
			title += " " + v.G.Dot + " " + p.Where.String()
		}
	}
	return title
}

// logRows are the rows of a Log.
type logRows struct {
	readRows
	l    *Log
	list []logEntry
	g    *display.Glyphs
}

func (s *logRows) point(row int) (HistoryPoint, bool) {
	return atPlace(lazy.Position{Thread: s.list[row].thread, At: s.list[row].at}), true
}

func (s *logRows) read(ctx context.Context, from, to int) ([][]table.Value, error) {
	list := s.list[from:to]
	c, err := s.l.write(ctx, list, s.g)
	if err != nil {
		return nil, err
	}
	rows := make([][]table.Value, len(list))
	for i := range list {
		e := &list[i]
		line := c.lines[logPlace{lazy.Position{Thread: e.thread, At: e.at}, e.point}]
		row := make([]table.Value, 8)
		switch at := fmt.Sprintf("%d.%09d", e.key/1e9, e.key%1e9); {
		case s.l.Timeline != lazy.TimelineTimes:
		case e.exact:
			row[0], row[4] = table.Str(at), table.Int(e.key)
		default:
			row[0], row[4] = table.Str(strings.TrimSpace(s.g.AtLeast)+at), table.Int(e.key).Is(table.AtLeast)
		}
		row[2], row[5], row[6] = threadNamed(c.names[e.thread]), table.Int(int64(e.thread)+1), table.Int(int64(e.point)+1)
		if line == nil {
			line = &logLine{text: Styled{Text: "this point is no longer in the trace"}}
		} else {
			row[1], row[7] = table.Int(int64(line.event)), table.Str(lazy.EventHandle(line.event).String())
		}
		row[3] = table.Styled(line.text.Text, line.text.Spans)
		rows[i] = row
	}
	return rows, nil
}

// logPlace names a line: a point and the log point that it matched.
type logPlace struct {
	lazy.Position
	point int16
}

// logLine is what is printed of a point.
type logLine struct {
	logPlace
	text  Styled
	event int32
}

// logPage is what is printed of entries.
type logPage struct {
	lines map[logPlace]*logLine
	names map[int32]string // of threads
}

// write writes the lines of entries.
func (l *Log) write(ctx context.Context, list []logEntry, g *display.Glyphs) (*logPage, error) {
	c := &logPage{make(map[logPlace]*logLine), make(map[int32]string)}
	wanted := make(map[lazy.Position][]int16)
	var places []lazy.Position
	var needs filter.Needs
	for i := range list {
		at := lazy.Position{Thread: list[i].thread, At: list[i].at}
		if wanted[at] == nil {
			places = append(places, at)
		}
		wanted[at] = append(wanted[at], list[i].point)
		needs = needs.And(l.format(list[i].point).Needs())
	}
	l.r.WithContext(func(ctx *format.Context) {
		for i := range list {
			c.names[list[i].thread] = threadName(ctx, list[i].thread)
		}
	})
	lines, err := readAt(ctx, l.r, &l.scope, places, func() look[[]logLine] {
		m := &matcher{needs: needs}
		return learning(m, func(p *lazy.PassPoint) (lines []logLine, ok bool, err error) {
			at := placeOf(p)
			for _, point := range wanted[at] {
				if err := m.learn(p); err != nil {
					return nil, false, err
				}
				text, spans := l.format(point).AppendSpans(nil, nil, p.Context(), &m.facts, g)
				lines = append(lines, logLine{logPlace{at, point}, Styled{string(text), spans}, p.Event})
			}
			return lines, true, nil
		})
	})
	for _, some := range lines {
		for i := range some {
			c.lines[some[i].logPlace] = &some[i]
		}
	}
	return c, err
}

func (l *Log) format(point int16) *template.Template {
	if f := l.points[point].Format; f != nil {
		return f
	}
	return wholeLine
}
