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
	rows.addColumns()
	rows.readRows = readRows{v.Read, len(l.entries), rows.read, new(rowWindows)}
	t := &table.Table{
		Row:     "line",
		Title:   l.title(v),
		Partial: v.Done < 1, Done: v.Done,
		Empty: "nothing matches",
		Rows:  rows, Columns: rows.columns.Heads(),
	}
	if v.Done < 1 {
		t.Empty, t.Rows = "stopped", table.List{} // they cannot be read while others are found
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
	l       *Log
	list    []logEntry
	g       *display.Glyphs
	columns table.Columns[logRow]
}

// logRow is a row: an entry and its line, nil if the point is no longer in the trace.
type logRow struct {
	*logEntry
	line *logLine
	name string // of the thread
}

// addColumns makes the columns.
func (s *logRows) addColumns() {
	timed := s.l.Timeline == lazy.TimelineTimes
	when, priority := table.OnlyShown, 2
	if !timed {
		when, priority = table.OnlyData, 0
	}
	add := s.columns.Add
	add(table.Column{Key: "time", Title: "time", Align: table.Right, In: when}, func(r logRow) table.Value {
		at := fmt.Sprintf("%d.%09d", r.key/1e9, r.key%1e9)
		if !r.exact {
			at = strings.TrimSpace(s.g.AtLeast) + at
		}
		return table.Str(at).If(timed)
	})
	add(table.Column{Key: "event", Title: "event", Kind: table.Event, Priority: priority}, func(r logRow) table.Value {
		if r.line == nil {
			return table.Value{}
		}
		return table.Int(int64(r.line.event))
	})
	add(table.Column{Key: "thread_name", Title: "thread", Priority: 1, Most: 24}, func(r logRow) table.Value { return threadNamed(r.name) })
	add(table.Column{Key: "text", Title: "what", Least: 20, Stretch: true}, func(r logRow) table.Value {
		if r.line == nil {
			return table.Str("this point is no longer in the trace")
		}
		return r.line.text.Value()
	})
	add(table.Column{Key: "start", Kind: table.Number, In: table.OnlyData}, func(r logRow) table.Value {
		if !r.exact {
			return table.Int(r.key).Is(table.AtLeast).If(timed)
		}
		return table.IntIf(r.key, timed)
	})
	add(table.Column{Key: "thread", Kind: table.Number, In: table.OnlyData}, func(r logRow) table.Value { return table.Int(int64(r.thread) + 1) })
	add(table.Column{Key: "point", Kind: table.Number, In: table.OnlyData}, func(r logRow) table.Value { return table.Int(int64(r.logEntry.point) + 1) })
	add(table.Column{Key: "handle", In: table.OnlyData}, func(r logRow) table.Value {
		if r.line == nil {
			return table.Value{}
		}
		return table.Str(lazy.EventHandle(r.line.event).String())
	})
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
		rows[i] = s.columns.Row(logRow{e, c.lines[logPlace{lazy.Position{Thread: e.thread, At: e.at}, e.point}], c.names[e.thread]})
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
				lines = append(lines, logLine{logPlace{at, point}, Styled{Text: string(text), Spans: spans}, p.Event})
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
