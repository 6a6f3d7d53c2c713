package query

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// AroundView is how an Around is shown.
type AroundView struct {
	Width int // of the screen in cells, which tells how many threads get a column; 0 for a file
	G     *display.Glyphs
}

const (
	// leastLane is the least width of a thread's column, and mostColumns how many threads have one in a file.
	leastLane   = 18
	mostColumns = 16
	// mostIndent bounds the indentation of a row, in levels. In narrow columns a level takes one cell, and all take a third.
	mostIndent = 12
	narrowLane = 40
)

// Table reads the texts of the rows and returns the table: one column a thread. Threads that have no column of
// their own, as there is no room, share the last one. Only the first call reads anything.
func (a *Around) Table(ctx context.Context, v AroundView) (*table.Table, error) {
	if a.texts == nil {
		texts, err := a.read(ctx)
		if err != nil {
			return nil, err
		}
		a.texts = texts
	}
	rows := a.Rows()
	x := &aroundTable{a: a, v: v, texts: a.texts, timed: a.Timeline == lazy.TimelineTimes, names: make(map[int32]string)}
	a.r.WithContext(func(c *format.Context) {
		for _, thread := range a.Threads {
			x.names[thread] = threadName(c, thread)
		}
	})
	x.columns()
	x.levels(rows)
	if !slices.ContainsFunc(rows, func(r AroundRow) bool { return r.Again }) {
		x.list[len(x.list)-1].In = table.OnlyData
	}
	made := &answerRows[*AroundRow]{columns: x.list, at: func(r *AroundRow) (HistoryPoint, bool) { return HistoryPoint{r.Position, r.Event}, true }}
	for i := range rows {
		made.list = append(made.list, &rows[i])
	}
	return &table.Table{Row: "moment", Title: x.title(), Columns: x.list.Heads(), Notes: x.notes(rows), Rows: made}, nil
}

// aroundTable makes the rows of a table.
type aroundTable struct {
	a      *Around
	v      AroundView
	texts  map[lazy.Position]*aroundText
	timed  bool
	names  map[int32]string
	list   table.Columns[*AroundRow]
	lanes  int                    // columns of threads
	lane   map[int32]int          // the column of each thread
	shared int                    // the column of threads without one of their own; 0 if all have one
	least  map[int]int            // by column, the least depth of its rows
	begun  map[lazy.Position]bool // what has a row where it begins
}

// columns makes a column for each thread, as far as there is room.
func (x *aroundTable) columns() {
	key := "event"
	if x.timed {
		key = "time"
	}
	x.list.Add(table.Column{Key: "here", In: table.OnlyShown}, func(r *AroundRow) table.Value { return table.Str(x.v.G.Cursor).If(r.Here) })
	x.list.Add(table.Column{Key: "key", Title: key, Align: table.Right, In: table.OnlyShown}, func(r *AroundRow) table.Value { return table.Str(x.key(r)) })
	x.data("event", table.Event, func(r *AroundRow) table.Value { return table.Int(int64(r.Event)) })
	x.data("thread", table.Number, func(r *AroundRow) table.Value { return table.Int(int64(r.Thread) + 1) })
	x.data("thread_name", table.Text, func(r *AroundRow) table.Value { return table.Str(x.names[r.Thread]) })
	x.data("what", table.Text, func(r *AroundRow) table.Value { return table.Str(what(r)) })
	x.data("text", table.Text, func(r *AroundRow) table.Value {
		text, _ := x.text(r)
		return table.Str(strings.TrimPrefix(text.Text, ": "))
	})
	x.data("depth", table.Number, func(r *AroundRow) table.Value { return table.Int(int64(r.Depth)) })
	x.data("start", table.Number, func(r *AroundRow) table.Value {
		if !r.exact() {
			return table.Int(r.From).Is(table.AtLeast).If(x.timed)
		}
		return table.IntIf(r.From, x.timed)
	})
	x.data("duration", table.Number, func(r *AroundRow) table.Value {
		t := x.texts[r.Position]
		if t == nil {
			return table.Value{}
		}
		return table.IntIf(t.time.Duration, t.timed && !r.End)
	})
	x.data("handle", table.Text, func(r *AroundRow) table.Value { return table.Str(lazy.EventHandle(r.Event).String()) })
	x.data("asked", table.Text, func(r *AroundRow) table.Value { return table.Yes(r.Here) })
	x.data("order", table.Text, func(r *AroundRow) table.Value { return table.Str("unsure").If(r.About) })
	x.data("second_write", table.Text, func(r *AroundRow) table.Value { return table.Yes(r.Again) })
	room := mostColumns
	if x.v.Width > 0 {
		room = max(1, (x.v.Width-14)/(leastLane+2))
	}
	own := x.a.Threads
	if len(own) > room {
		own = x.busiest(room - 1)
	}
	x.lane = make(map[int32]int)
	for _, thread := range own {
		x.lane[thread] = len(x.list)
		x.add("lane_"+strconv.Itoa(int(thread)+1), shortThread(x.names[thread]))
	}
	if len(own) < len(x.a.Threads) {
		x.shared = len(x.list)
		x.add("lane_others", display.Plural(int64(len(x.a.Threads)-len(own)), "other thread"))
	}
	x.list.Add(table.Column{Key: "hint", In: table.OnlyShown}, func(r *AroundRow) table.Value { return table.Str(x.v.G.Again + " 2nd write").If(r.Again) })
}

// data adds a column that only programs get.
func (x *aroundTable) data(key string, kind table.Kind, value func(*AroundRow) table.Value) {
	x.list.Add(table.Column{Key: key, Kind: kind, In: table.OnlyData}, value)
}

// add adds the column of a thread, or of several.
func (x *aroundTable) add(key, title string) {
	at := len(x.list)
	x.lanes++
	x.list.Add(table.Column{Key: key, Title: title, In: table.OnlyShown, Even: true, Least: min(leastLane, 10), Most: 200}, func(r *AroundRow) table.Value {
		if x.column(r.Thread) != at {
			return table.Value{}
		}
		return x.cell(r, at)
	})
}

// busiest returns the thread asked about and those with the most rows, by their ids.
func (x *aroundTable) busiest(n int) []int32 {
	rows := make(map[int32]int)
	for i := range x.a.Moments {
		rows[x.a.Moments[i].Thread]++
	}
	here := x.a.Moments[x.a.Middle].Thread
	list := slices.Clone(x.a.Threads)
	slices.SortStableFunc(list, func(a, b int32) int {
		if (a == here) != (b == here) {
			if a == here {
				return -1
			}
			return 1
		}
		return rows[b] - rows[a]
	})
	list = list[:max(0, min(n, len(list)))]
	slices.Sort(list)
	return list
}

func (x *aroundTable) column(thread int32) int {
	if i, ok := x.lane[thread]; ok {
		return i
	}
	return x.shared
}

// levels finds the least depth in each column.
func (x *aroundTable) levels(rows []AroundRow) {
	x.least, x.begun = make(map[int]int), make(map[lazy.Position]bool)
	for i := range rows {
		if !rows[i].End {
			x.begun[rows[i].Position] = true
		}
		c := x.column(rows[i].Thread)
		if was, ok := x.least[c]; !ok || rows[i].Depth < was {
			x.least[c] = rows[i].Depth
		}
	}
}

// key returns what is down the side: the number of an event, or the time. A row without one follows what is
// above it in its column.
func (x *aroundTable) key(r *AroundRow) string {
	text := ""
	if r.From == r.To {
		if text = display.Grouped(r.From); x.timed {
			text = fmt.Sprintf("%d.%09d", r.From/1e9, r.From%1e9)
		}
	}
	if r.About {
		text = x.v.G.About + text
	}
	return text
}

// cell returns the row in the column of its thread.
func (x *aroundTable) cell(r *AroundRow, column int) table.Value {
	text, t := x.text(r)
	level, step := min(r.Depth-x.least[column], mostIndent), 2
	if lane := (x.v.Width - 14) / max(1, x.lanes); x.v.Width > 0 && lane < narrowLane {
		level, step = min(level, lane/3), 1
	}
	before := strings.Repeat(" ", step*max(0, level))
	if column == x.shared {
		before = shortThread(x.names[r.Thread]) + ": "
	}
	if r.End {
		before += x.v.G.End + " "
		if t != nil && !x.begun[r.Position] {
			before += t.name
		} else {
			text = text.From(len(text.Text) - len(strings.TrimPrefix(text.Text, ": ")))
		}
	}
	var line Styled
	line.Add(before, table.Faint)
	line.Append(text)
	return line.Value()
}

// what names what a row is.
func what(r *AroundRow) string {
	switch {
	case r.End:
		return "end"
	case r.Class == format.ClassCall && !r.Whole:
		return "begin"
	case r.Class == format.ClassCall:
		return "call"
	}
	return r.Class.String()
}

// text returns the text of a row.
func (x *aroundTable) text(r *AroundRow) (Styled, *aroundText) {
	t := x.texts[r.Position]
	switch {
	case t == nil:
		return Styled{}, nil
	case r.End:
		return t.end, t
	case r.Whole:
		return t.whole, t
	}
	return t.begin, t
}

// title says what was asked.
func (x *aroundTable) title() string {
	a, dot := x.a, " "+x.v.G.Dot+" "
	middle := &a.Moments[a.Middle]
	title := "around #" + display.Grouped(int64(middle.Event))
	switch a.Timeline {
	case lazy.TimelineEvents:
		title += dot + "by event number"
	case lazy.TimelineTimes:
		title += dot + "by time"
	default:
		title += dot + "no common order: only " + x.names[middle.Thread]
	}
	if title += dot + display.Plural(int64(a.o.N), "point") + " each way"; a.o.Where != nil && !a.o.Where.Empty() {
		title += dot + "only " + a.o.Where.String()
	}
	if all := len(a.Threads) + a.Others; a.Timeline != lazy.TimelineNone && all > 1 {
		title += dot + fmt.Sprintf("%s of %s threads", display.Grouped(int64(len(a.Threads))), display.Grouped(int64(all)))
	}
	return title
}

// notes tells what the rows do not.
func (x *aroundTable) notes(rows []AroundRow) (notes []string) {
	if x.a.Timeline == lazy.TimelineNone {
		notes = append(notes, "what other threads did meanwhile is not known: this trace has no times, and its events are numbered in batches for each thread")
	}
	if slices.ContainsFunc(rows, func(r AroundRow) bool { return r.About }) {
		notes = append(notes, x.v.G.About+" before or after rows of other threads near it: not known")
	}
	if slices.ContainsFunc(rows, func(r AroundRow) bool { return r.Again }) {
		notes = append(notes, "2nd write: no row between it and another thread's write to the same place; what was not recorded may be")
	}
	if x.a.Unread > 0 {
		notes = append(notes, fmt.Sprintf("%s more were not read, and may have rows here: --threads chooses", display.Plural(int64(x.a.Unread), "thread")))
	}
	return notes
}
