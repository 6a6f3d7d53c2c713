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
	text  Styled
	event int32
}

// logWriter collects lines.
type logWriter struct {
	l      *Log
	g      *display.Glyphs
	wanted map[lazy.Position][]int16
	facts  *condition
	needs  filter.Needs
	lines  map[logPlace]*logLine
	names  map[int32]string
}

// write writes the lines of entries.
func (l *Log) write(ctx context.Context, list []logEntry, g *display.Glyphs) (*logWriter, error) {
	c := &logWriter{l: l, g: g, wanted: make(map[lazy.Position][]int16), names: make(map[int32]string)}
	all, err := bound(l.r, everything)
	if err != nil {
		return nil, err
	}
	c.facts = &condition{f: all}
	pass := l.scope.Over(c)
	pass.Ranges = make([]lazy.PassRange, 0, len(list))
	for i := range list {
		at := lazy.Position{Thread: list[i].thread, At: list[i].at}
		if c.wanted[at] == nil {
			pass.Ranges = append(pass.Ranges, lazy.PassRange{Thread: at.Thread, From: at.At, To: at.At + 1})
		}
		c.wanted[at] = append(c.wanted[at], list[i].point)
		c.needs = c.needs.And(l.format(list[i].point).Needs())
	}
	l.r.WithContext(func(ctx *format.Context) {
		for i := range list {
			id := list[i].thread
			if c.names[id] = fmt.Sprintf("Thread %d", int64(id)+1); ctx.Thread(id) != nil && ctx.Thread(id).Name != "" {
				c.names[id] = ctx.Thread(id).Name
			}
		}
	})
	c.Reset()
	return c, l.r.Pass(ctx, pass)
}

func (l *Log) format(point int16) *template.Template {
	if f := l.points[point].Format; f != nil {
		return f
	}
	return wholeLine
}

func (c *logWriter) Reset() { c.lines = make(map[logPlace]*logLine) }

func (c *logWriter) Visitor() lazy.Visitor {
	m := c.facts.matcher()
	m.needs, m.head = c.needs, false
	return &logLines{c: c, m: m, found: make(map[logPlace]*logLine)}
}

func (c *logWriter) Merge(v lazy.Visitor) error {
	for at, line := range v.(*logLines).found {
		c.lines[at] = line
	}
	return nil
}

// logLines is the visitor of a logWriter.
type logLines struct {
	c     *logWriter
	m     *matcher
	found map[logPlace]*logLine
}

func (v *logLines) Begin(int32, []lazy.PassFrame) { v.m.begin() }
func (v *logLines) Around(p *lazy.PassPoint)      { v.m.enter(p) }
func (v *logLines) Leaf(p *lazy.PassPoint)        { v.take(p) }
func (v *logLines) Exit(*lazy.PassPoint)          { v.m.exit() }

func (v *logLines) Enter(p *lazy.PassPoint) {
	v.take(p)
	v.m.enter(p)
}

func (v *logLines) take(p *lazy.PassPoint) {
	at := lazy.Position{Thread: p.Thread, At: p.At}
	for _, point := range v.c.wanted[at] {
		if err := v.m.learn(p); err != nil {
			p.Fail(err)
			return
		}
		text, spans := v.c.l.format(point).AppendSpans(nil, nil, p.Context(), &v.m.facts, v.c.g)
		v.found[logPlace{at, point}] = &logLine{Styled{string(text), spans}, p.Event}
	}
}
