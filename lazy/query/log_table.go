package query

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
	"tracex/lazy/query/template"
)

// LogView is how a Log is shown.
type LogView struct {
	Done float64 // how much of the data has been read, from 0 to 1
	G    *display.Glyphs
}

// wholeLine is the format of a log point without one.
var wholeLine, _ = template.Parse("{text}")

// Table returns the lines, in order. They are written when they are asked for, a few hundred at a time; ctx
// ends that, and rows that could not be read are not known. Any goroutine may use the table, but not
// while the Log runs.
func (l *Log) Table(ctx context.Context, v LogView) *table.Table {
	t := &table.Table{
		Row:     "line",
		Title:   l.title(v),
		Partial: v.Done < 1, Done: v.Done,
		Empty: "nothing matches",
		Rows:  &logRows{ctx: ctx, l: l, list: l.entries, g: v.G},
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

func (l *Log) title(v LogView) string {
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

// logRows are the rows of a Log. They keep those written last.
type logRows struct {
	ctx  context.Context
	l    *Log
	list []logEntry
	g    *display.Glyphs

	mu   sync.Mutex
	from int // of rows
	rows [][]table.Value
	err  error
}

func (s *logRows) Len() int { return len(s.list) }

// LoggedAt returns where the event of a row is; rows are those of a table of a Log.
func LoggedAt(rows table.Source, row int) (at lazy.Position, ok bool) {
	s, ok := rows.(*logRows)
	if !ok || row < 0 || row >= len(s.list) {
		return at, false
	}
	return lazy.Position{Thread: s.list[row].thread, At: s.list[row].at}, true
}

// Row returns a row; nil if it could not be read.
func (s *logRows) Row(i int) []table.Value {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i < s.from || i >= s.from+len(s.rows) {
		if s.err != nil {
			return nil
		}
		s.from, s.rows = i-i%windowRows, nil
		if s.err = s.read(s.from); s.err != nil {
			return nil
		}
	}
	return s.rows[i-s.from]
}

func (s *logRows) read(from int) error {
	list := s.list[from:min(from+windowRows, len(s.list))]
	c, err := s.l.write(s.ctx, list, s.g)
	if err != nil {
		return err
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
	s.rows = rows
	return nil
}

// Err returns why rows could not be read; nil if they could.
func (s *logRows) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
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
