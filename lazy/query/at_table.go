package query

import (
	"context"
	"slices"
	"strings"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/goroutines"
	"tracex/lazy/query/table"
)

// AtRow is a thread and the call that it was in.
type AtRow struct {
	HistoryPoint
	Name string // of the thread; "" if it has none
	Text Styled // the call, without its result; it says so if the call never ended
	// Path are the names of the callers, the outermost first; Left is how many more are around them.
	Path []string
	Left int
	// From and To are the times between which the call began; at most From if Early.
	From, To int64
	Early    bool
	// Unended tells that the end of the call is not in the trace.
	Unended bool
	About   bool // it may have been in another call
	// Waits is the kind of wait that the call is, "" if it is none; In the function that waited, and By what ended that,
	// as far as they are known. Until is when it ended.
	Waits, In, By string
	Until         int64
	UntilKnown    bool

	at, upto  int64 // the moment
	waitedFor int64 // threads that waited for this one
}

// elapsed returns how long the thread had been in the call; ok is false if it is not known.
func (x *AtRow) elapsed() (ns int64, ok bool) { return max(0, x.at-x.From), x.From <= x.upto }

// rows reads the rows of entries.
func (a *At) rows(ctx context.Context, list []atEntry) ([]AtRow, error) {
	at := make([]lazy.Position, len(list))
	about := make(map[int32]bool)
	for i := range list {
		at[i] = list[i].Position
		about[list[i].Thread] = list[i].about
	}
	rows, err := innermost(ctx, a.r, a.o.Raw, at, a.row)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		x := &rows[i]
		x.About, x.at, x.upto = about[x.Thread], a.Time, a.Upto
		if x.From < 0 { // it has no time of its own
			if x.From, x.To, err = lazy.TimesAround(a.r, x.Position); err != nil {
				return nil, err
			}
		}
		if n, ok := goroutines.Parse(x.Name); ok {
			x.waitedFor = a.holders[holderKey{n.Program, n.Number}]
		}
	}
	return rows, nil
}

// callersShown bounds the names of the callers of a row; mostCallers is that of a whole path.
const (
	callersShown = pathLength
	mostCallers  = 1 << 12
)

// row reads the row of a call.
func (a *At) row(p *lazy.PassPoint) (x AtRow, err error) {
	c := p.Context()
	point, foot, err := wholePoint(p)
	if err != nil {
		return x, err
	}
	x = AtRow{HistoryPoint: eventOf(p), From: -1}
	if t := c.Thread(p.Thread); t != nil {
		x.Name = t.Name
	}
	x.Unended = foot == nil || foot.Result.Kind == format.ValueUnfinished && !foot.Threw && foot.Exception == ""
	shown := foot
	if !x.Unended {
		shown = nil
	}
	x.Text = styledText(c, point, shown, format.Parent{}) // with its class, as no row around it has that
	t, timed := p.Time()
	if timed {
		x.From, x.To, x.Early = t.Start, t.Start, point.Flags&format.FlagUnderWay != 0
	}
	most := callersShown
	if a.o.Whole {
		most = mostCallers
	}
	p.Frames(func(f lazy.PassFrame) bool {
		if f.Class == format.ClassCall {
			if len(x.Path) < most {
				name, _ := c.CallName(f.Ref, 0)
				x.Path = append(x.Path, name)
			} else {
				x.Left++
			}
		}
		return true
	})
	slices.Reverse(x.Path)
	if !isWait(c, p.Ref) {
		return x, nil
	}
	x.Waits = c.Method(p.Ref).Name
	if len(point.Args) > 0 {
		x.In, _ = textValue(&point.Args[0])
	}
	x.By, _ = wokenBy(foot)
	if timed && !x.Unended {
		x.Until, x.UntilKnown = t.End(), true
	}
	return x, nil
}

// Table returns the threads; none while Run runs. Any goroutine may use it.
func (a *At) Table(v View) *table.Table {
	x := atTable{g: v.G}
	t := &table.Table{Row: "thread", Title: "at " + a.asked(v.G), Partial: v.Done < 1, Done: v.Done, Empty: "stopped", Rows: table.List{}}
	if v.Done < 1 { // Run changes all that is found
		t.Columns = x.columns().Heads()
		return t
	}
	x.at, x.unsure, x.waits, x.holders = a.Time, a.Time != a.Upto, a.Counts.Waiting > 0, len(a.holders) > 0
	s := &atRows{a: a, list: slices.Concat(a.entries[0], a.entries[1]), columns: x.columns()}
	s.readRows = readRows{v.Read, len(s.list), s.read, new(rowWindows)}
	t.Title, t.Empty, t.Columns, t.Rows, t.Notes = a.title(v.G), "no thread was in a call", s.columns.Heads(), s, a.notes(v.G)
	return t
}

// atTable makes the columns of an At.
type atTable struct {
	g              *display.Glyphs
	at             int64 // the moment, or after it if unsure
	unsure         bool
	waits, holders bool // there are threads that waited, and goroutines for which they did
}

// atRows are the rows of an At.
type atRows struct {
	readRows
	a       *At
	list    []atEntry
	columns table.Columns[*AtRow]
}

// RowOf returns the row of the thread of a place; ok is false if it has none.
func (a *At) RowOf(t *table.Table, at lazy.Position) (row int, ok bool) {
	return rowOfThread(t, func(thread int32) bool { return thread == at.Thread })
}

// WaitsFor returns the row of the goroutine for which the thread of a row waits; ok is false if there is none.
func (a *At) WaitsFor(t *table.Table, row int) (to int, ok bool) {
	by, _ := RowOf(t, row).text("waited_for")
	number, _, waits := goroutines.Made(by)
	at, known := PointAt(t, row)
	if !waits || !known {
		return 0, false
	}
	a.r.WithContext(func(c *format.Context) {
		name := func(thread int32) (n goroutines.Name, ok bool) {
			if t := c.Thread(thread); t != nil {
				n, ok = goroutines.Parse(t.Name)
			}
			return n, ok
		}
		from, _ := name(at.Thread)
		to, ok = rowOfThread(t, func(thread int32) bool {
			n, is := name(thread)
			return is && n.Number == number && n.Program == from.Program
		})
	})
	return to, ok
}

func rowOfThread(t *table.Table, is func(thread int32) bool) (row int, ok bool) {
	s, ok := t.Rows.(*atRows)
	if !ok {
		return 0, false
	}
	row = slices.IndexFunc(s.list, func(e atEntry) bool { return is(e.Thread) })
	return row, row >= 0
}

func (s *atRows) point(row int) (HistoryPoint, bool) { return atPlace(s.list[row].Position), true }

func (s *atRows) read(ctx context.Context, from, to int) ([][]table.Value, error) {
	list := s.list[from:to]
	found, err := s.a.rows(ctx, list)
	if err != nil {
		return nil, err
	}
	by := make(map[lazy.Position]*AtRow, len(found))
	for i := range found {
		by[found[i].Position] = &found[i]
	}
	rows := make([][]table.Value, len(list))
	for i := range list {
		x := by[list[i].Position]
		if x == nil {
			x = &AtRow{HistoryPoint: atPlace(list[i].Position), Text: table.Line{Text: "this point is no longer in the trace"}}
		}
		rows[i] = s.columns.Row(x)
	}
	return rows, nil
}

func (a atTable) columns() (list table.Columns[*AtRow]) {
	g, unsure := a.g, a.unsure
	list.Add(table.Column{Key: "thread", Title: "thread", Kind: table.Number, Priority: 2}, func(x *AtRow) table.Value { return table.Int(int64(x.Thread) + 1) })
	list.Add(table.Column{Key: "thread_name", Title: "name", Priority: 1, Least: 14, Most: 30}, func(x *AtRow) table.Value { return threadNamed(x.Name).If(x.Name != "") })
	list.Add(table.Column{Key: "elapsed", Title: "for", Kind: table.Duration}, func(x *AtRow) table.Value {
		n, ok := x.elapsed()
		v := table.Int(n)
		switch {
		case x.From != x.To:
			v = v.Is(table.AtMost)
		case x.Early:
			v = v.Is(table.AtLeast)
		case x.About || unsure:
			v = v.Is(table.About)
		}
		return v.If(ok)
	})
	list.Add(table.Column{Key: "text", Title: "what", Least: 20, Stretch: true}, func(x *AtRow) table.Value {
		var line Styled
		if x.About {
			line.Add(g.About+" ", table.Faint)
		}
		line.Append(x.Text)
		return line.Value()
	})
	list.Add(table.Column{Key: "waited_for", Title: "waits for", Most: 24, In: table.When(a.waits)}, func(x *AtRow) table.Value { return table.StrIf(x.By) })
	list.Add(table.Column{Key: "waiters", Title: "waiters", Kind: table.Count, Priority: 2, In: table.When(a.holders)}, func(x *AtRow) table.Value {
		return table.IntIf(x.waitedFor, x.waitedFor > 0)
	})
	list.Add(table.Column{Key: "path", Title: "in", Priority: 3, Least: 10, Most: 60, CutMiddle: true}, func(x *AtRow) table.Value {
		return table.Names(x.Path, " "+g.Crumb+" ").If(len(x.Path) > 0)
	})
	list.Add(table.Column{Key: "path_left", Kind: table.Number, In: table.OnlyData}, func(x *AtRow) table.Value { return table.IntIf(int64(x.Left), x.Left > 0) })
	list.Add(table.Column{Key: "event", Title: "event", Kind: table.Event, Priority: 4}, func(x *AtRow) table.Value { return table.IntIf(int64(x.Event), x.Event >= 0) })
	data := func(key string, kind table.Kind, value func(*AtRow) table.Value) {
		list.Add(table.Column{Key: key, Kind: kind, In: table.OnlyData}, value)
	}
	data("wait", table.Text, func(x *AtRow) table.Value { return table.StrIf(x.Waits) })
	data("wait_function", table.Text, func(x *AtRow) table.Value { return table.StrIf(x.In) })
	data("start", table.Number, func(x *AtRow) table.Value {
		if x.From != x.To {
			return table.Int(x.From).Is(table.AtLeast)
		}
		return table.Int(x.From)
	})
	data("wait_end", table.Number, func(x *AtRow) table.Value { return table.IntIf(x.Until, x.UntilKnown) })
	data("unfinished", table.Text, func(x *AtRow) table.Value { return table.Yes(x.Unended) })
	data("unsure", table.Text, func(x *AtRow) table.Value { return table.Yes(x.About || unsure) })
	data("at", table.Number, func(*AtRow) table.Value { return table.Int(a.at).Is(boundOf(unsure)) })
	data("handle", table.Text, func(x *AtRow) table.Value { return table.Str(lazy.EventHandle(x.Event).String()).If(x.Event >= 0) })
	return list
}

func boundOf(unsure bool) table.Bound {
	if unsure {
		return table.AtLeast
	}
	return table.Exact
}

// asked names the moment asked about.
func (a *At) asked(g *display.Glyphs) string {
	if a.o.Place != nil {
		return a.o.Place.String()
	}
	return writtenTime(a.o.Time, g)
}

// writtenTime writes a time as commands read it.
func writtenTime(ns int64, g *display.Glyphs) string {
	text := time.Duration(ns).String()
	if g.ASCII {
		return strings.ReplaceAll(text, "µ", "u")
	}
	return text
}

// title tells the moment and how many threads were in what.
func (a *At) title(g *display.Glyphs) string {
	at := writtenTime(a.Time, g)
	if a.Time != a.Upto {
		at = g.About + at
	}
	if a.o.Place != nil {
		named := a.asked(g)
		if a.place != nil {
			named = lazy.EventHandle(a.event).String()
		}
		at = named + " " + g.Dot + " " + at
	}
	var parts []string
	count := func(n int64, what string) {
		if n > 0 {
			parts = append(parts, display.Grouped(n)+" "+what)
		}
	}
	c := &a.Counts
	parts = append(parts, "at "+at)
	count(c.Working, "in a call")
	count(c.Waiting, "waiting")
	count(c.Idle, "in no call")
	count(c.Later, "not begun")
	count(c.Ended, "ended")
	count(c.Unknown, "not known")
	return strings.Join(parts, " "+g.Dot+" ")
}

// notes tells what the rows do not.
func (a *At) notes(g *display.Glyphs) (notes []string) {
	for i := range a.held {
		notes = append(notes, a.held[i].note(g))
	}
	if n := len(a.holders) - len(a.held); n > 0 {
		notes = append(notes, display.Plural(int64(n), "more goroutine")+" are waited for")
	}
	if a.others > 0 {
		notes = append(notes, display.Plural(a.others, "thread")+" wait for goroutines that are not counted")
	}
	if n := a.Counts.Working + a.Counts.Waiting - int64(len(a.entries[0])+len(a.entries[1])); n > 0 {
		notes = append(notes, display.Plural(n, "more thread")+" were in calls, and are not listed")
	}
	switch {
	case a.Time != a.Upto:
		notes = append(notes, g.About+" the event has no time of its own: it was between the last time known before it and "+g.Exactly(a.Upto))
	case slices.ContainsFunc(slices.Concat(a.entries[0], a.entries[1]), func(e atEntry) bool { return e.about }):
		notes = append(notes, g.About+" the last call known to have been open; the thread may have been in another one")
	}
	if _, length, ok := a.r.Recording(); ok && a.Time > int64(length) {
		notes = append(notes, "the recording ended at "+writtenTime(int64(length), g))
	}
	return append(notes, gapNotes(a.r, false)...)
}
