package query

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/compact"
	"tracex/lazy/query/display"
	"tracex/lazy/query/histogram"
	"tracex/lazy/query/table"
)

// firstRows is how many rows are in order while calls are still being looked for, if there are many.
const firstRows = 1000

// Table returns the table of what was found so far. Any goroutine may use it.
func (c *Calls) Table(v View) *table.Table {
	shape, gaps := c.shape(), append(gapNotes(c.r, c.about.timed), filterDoubts(c.r, c.where)...)
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &table.Table{Partial: v.Done < 1, Done: v.Done, Empty: "no calls", Notes: append(c.notes(), gaps...)}
	if c.about.timed {
		times := new(histogram.Histogram)
		times.Merge(&c.sums.times)
		t.Spread = func(int) (string, *histogram.Histogram) { return "durations of all calls:", times }
	}
	if c.groups != nil {
		c.groupTable(t, v, &shape)
		return t
	}
	t.Row, t.Title = "call", c.title(shape.what, v.G)
	t.Sorted, t.Rising = c.about.sort.key(), c.about.rising
	rows := &callRows{c: c, extra: c.about.extraColumns(), order: c.list.order, g: v.G}
	rows.readRows = readRows{v.Read, c.list.arranged, rows.read, new(rowWindows)}
	if rows.order != nil {
		rows.n = rows.order.Len()
	}
	rows.addColumns(&shape)
	t.Columns, t.Rows = rows.columns.Heads(), rows
	if more := c.sums.calls - int64(rows.n); more > 0 {
		t.Notes = append(t.Notes, c.missing(more, rows.n))
	}
	return t
}

// missing tells why calls have no row.
func (c *Calls) missing(more int64, rows int) string {
	switch {
	case c.list.beyond > 0 && c.list.texts.cut == nil && rows == c.list.n:
		return fmt.Sprintf("%s more were counted and are not listed: narrow them down with a filter", display.Grouped(more))
	case c.list.texts.cut != nil:
		return fmt.Sprintf("only the first %s are sorted: too many values differ; %s more are not listed", display.Grouped(int64(rows)), display.Grouped(more))
	}
	return fmt.Sprintf("the first %s so far; %s more", display.Grouped(int64(rows)), display.Grouped(more))
}

// Name tells what each row is, in the singular.
func (c *Calls) Name() string {
	if c.about.methods == nil {
		return "call"
	}
	return "call of " + strings.Join(c.about.methods[:min(len(c.about.methods), 2)], ", ")
}

// RowOf returns the row of the call at a place in one of its tables, if that is in the order of the trace.
func (c *Calls) RowOf(t *table.Table, at lazy.Position) (row int, ok bool) {
	rows, is := t.Rows.(*callRows)
	if _, ok = c.Set.First(at.Thread, at.At, at.At+1); !ok || !is || rows.c != c || rows.order != nil {
		return 0, false
	}
	row = c.Set.Index(at)
	return row, row < rows.n
}

// Found returns how many calls were found.
func (c *Calls) Found() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sums.calls
}

// Extremes returns the fewest and the most calls of a row, of a table of groups. sure is false if values
// were forgotten that may have more or fewer.
func (c *Calls) Extremes() (fewest, most int64, sure bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.groups == nil {
		return 0, 0, true
	}
	return c.groups.extremes()
}

// title tells what the table is about.
func (c *Calls) title(what string, g *display.Glyphs) string {
	parts := []string{"calls of " + what}
	if c.about.methods == nil {
		parts = []string{"calls", strings.TrimSpace(c.o.What)}
	}
	if c.o.Where != nil && !c.o.Where.Empty() {
		parts = append(parts, "where "+c.o.Where.String())
	}
	if o := c.o.Only; o != nil {
		parts = append(parts, c.about.only.word()+" is "+o.Text)
	}
	parts = append(parts, display.Plural(c.sums.calls, "call"))
	if c.sums.threads > 1 {
		parts = append(parts, display.Plural(int64(c.sums.threads), "thread"))
	}
	if c.sums.threw > 0 {
		parts = append(parts, display.Grouped(c.sums.threw)+" threw")
	}
	if c.about.timed && c.sums.total > 0 { // while the outermost call goes on nothing is known
		parts = append(parts, g.Duration(c.sums.total))
	}
	return strings.Join(parts, " "+g.Dot+" ")
}

// callsShape is what the descriptors tell about the calls found. It is made without c.mu, as visitors
// merge with the descriptors locked.
type callsShape struct {
	what    string // the methods, the only one with its types
	several bool   // methods
	args    []argShape
}

// argShape describes an argument of all methods: its type, if they agree, and whether it is a number or a text.
type argShape struct {
	title  string
	number bool
	text   bool
}

// shape describes the calls found so far.
func (c *Calls) shape() (s callsShape) {
	c.mu.Lock()
	ids, args := slices.Sorted(maps.Keys(c.sums.methods)), c.sums.args
	c.mu.Unlock()
	if c.about.by.kind == columnArg {
		args = max(args, c.about.by.arg)
	}
	s.args = make([]argShape, args)
	found := c.about.methods
	s.what = strings.Join(found[:min(len(found), 2)], ", ")
	if n := len(found) - 2; n > 0 {
		s.what += fmt.Sprintf(" and %d more", n)
	}
	c.r.WithContext(func(x *format.Context) {
		methods := different(x, ids)
		s.several = len(methods) > 1
		if len(methods) == 1 && len(found) == 1 && len(methods[0].Args) >= args {
			texts := make([]string, len(methods[0].Args))
			for i, t := range methods[0].Args {
				texts[i] = shortType(t)
			}
			s.what += "(" + strings.Join(texts, ", ") + ")"
		}
		for i := range s.args {
			s.args[i] = argument(methods, i)
		}
	})
	return s
}

// different returns the methods with these ids, one of those that are described twice.
func different(c *format.Context, ids []int32) (list []*format.MethodDescriptor) {
	seen := make(map[string]bool)
	for _, id := range ids {
		m := c.Method(id)
		if m == nil {
			continue
		}
		key := fmt.Sprint(m.ClassID, m.Name, m.Args, m.Result)
		if !seen[key] {
			seen[key] = true
			list = append(list, m)
		}
	}
	return list
}

func shortType(t format.Type) string {
	text := t.String()
	return text[strings.LastIndexByte(text, '.')+1:]
}

// argument describes an argument, counted from 0.
func argument(methods []*format.MethodDescriptor, i int) argShape {
	s := argShape{title: "arg " + strconv.Itoa(i+1)}
	var of *format.Type
	for _, m := range methods {
		switch {
		case i >= len(m.Args):
		case of == nil:
			of = &m.Args[i]
		case *of != m.Args[i]:
			return s
		}
	}
	if of != nil {
		s.title = strconv.Itoa(i+1) + " " + shortType(*of)
		s.number, s.text = isNumber(*of), strings.HasSuffix(s.title, " String")
	}
	return s
}

func isNumber(t format.Type) bool {
	switch t.Kind {
	case format.TypeByte, format.TypeShort, format.TypeInt, format.TypeLong, format.TypeFloat, format.TypeDouble:
		return t.Dims == 0
	}
	return false
}

// callRow is a row of a table with a row for each call.
type callRow struct {
	*Point
	weight int64         // own time or, without times, points
	extra  []table.Value // of the extra columns
}

// addColumns makes the columns.
func (s *callRows) addColumns(shape *callsShape) {
	about := &s.c.about
	add := s.columns.Add
	text := func(v StyledValue) table.Value { return table.Styled(v.Text, v.Spans).JSON(v.JSON).If(v.Text != "") }
	weight := func(r callRow) table.Value { return table.IntIf(r.weight, r.weight != compact.Unknown) }
	if about.timed {
		add(table.Column{Key: "duration", Title: "duration", Kind: table.Duration}, func(r callRow) table.Value { return r.duration() })
		add(table.Column{Key: "self", Title: "self", Kind: table.Duration, Priority: 8}, weight)
	} else {
		add(table.Column{Key: "events", Title: "events", Kind: table.Count, Priority: 2}, weight)
	}
	add(table.Column{Key: "call", Title: "call", In: table.When(shape.several), Least: 10, CutMiddle: true, Style: format.StyleMethod}, func(r callRow) table.Value {
		return table.Str(r.Call.Name)
	})
	for i, a := range shape.args {
		column := table.Column{Key: fmt.Sprintf("arg_%d", i+1), Title: a.title, Priority: min(1+i, 7), Most: 40, Worth: a.text}
		if a.number {
			column.Align = table.Right
		}
		add(column, func(r callRow) table.Value {
			if i >= len(r.Call.Args) {
				return table.Value{}
			}
			return text(r.Call.Args[i])
		})
	}
	add(table.Column{Key: "result", Title: "result", Most: 40}, func(r callRow) table.Value {
		switch v := r.Call; {
		case v.Threw:
			return inStyle(s.g.Threw+thrownName(v.Exception), format.StyleException).JSON([]byte("null"))
		case v.Unended:
			return inStyle(neverEnded(v.Pending), format.StyleUnfinished).JSON([]byte("null"))
		default:
			return text(v.Result)
		}
	})
	add(table.Column{Key: "receiver", Title: "receiver", In: table.When(s.c.sums.objects), Priority: 5, Most: 32}, func(r callRow) table.Value { return text(r.Call.Receiver) })
	add(table.Column{Key: "thread_name", Title: "thread", In: table.When(about.threads > 1), Priority: 4, Most: 24}, func(r callRow) table.Value {
		return threadNamed(cmp.Or(r.Thread, threadNumber(r.Position.Thread)))
	})
	add(table.Column{Key: "caller", Title: "called by", Priority: 3, CutMiddle: true, Style: format.StyleMethod}, func(r callRow) table.Value { return table.StrIf(r.Call.Caller) })
	add(table.Column{Key: "start", Title: "start", Kind: table.Duration, In: table.When(about.timed), Priority: 9}, func(r callRow) table.Value {
		return table.IntIf(r.Time.Start, r.Timed)
	})
	add(table.Column{Key: "event", Title: "event", Kind: table.Event, Priority: 1}, func(r callRow) table.Value { return table.Int(int64(r.Event)) })
	for i, col := range s.extra {
		column := table.Column{Key: col.key(), Title: col.word(), Most: 40}
		switch col.kind {
		case columnIter:
			column.Title = "iteration"
		case columnIn:
			column.Key = col.word() // there may be several
		}
		add(column, func(r callRow) table.Value {
			if i >= len(r.extra) {
				return table.Value{}
			}
			return r.extra[i]
		})
	}
	add(table.Column{Key: "line", Title: "line", In: table.When(about.lines()), Priority: 6}, func(r callRow) table.Value { return table.StrIf(r.Call.Line) })
	data := func(key string, kind table.Kind, value func(r callRow) table.Value) {
		add(table.Column{Key: key, Kind: kind, In: table.OnlyData}, value)
	}
	data("thread", table.Number, func(r callRow) table.Value { return table.Int(int64(r.Position.Thread) + 1) })
	data("class", table.Text, func(r callRow) table.Value { return table.StrIf(r.Call.Class) })
	data("method", table.Text, func(r callRow) table.Value { return table.StrIf(r.Call.Method) })
	data("threw", table.Number, func(r callRow) table.Value { return table.Truth(r.Call.Threw) })
	data("exception", table.Text, func(r callRow) table.Value { return table.StrIf(r.Call.Exception) })
	data("did_not_end", table.Number, func(r callRow) table.Value { return table.Truth(true).If(r.Call.Unended) })
	data("handle", table.Text, func(r callRow) table.Value { return table.Str(lazy.EventHandle(r.Event).String()) })
}

// notes tells what the numbers do not tell.
func (c *Calls) notes() (list []string) {
	if n := c.sums.unended; n > 0 {
		text := notEnded(n, grows(c.r))
		if c.about.timed {
			text += ": their durations are not known"
		}
		list = append(list, text)
	}
	if n := c.sums.untimed; n > 0 {
		list = append(list, "the trace has no time for "+display.Plural(n, "call"))
	}
	return list
}
