package query

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// historyTable makes the table of a History.
type historyTable struct {
	h       *History
	list    []Sighting
	changes []change
	here    int // index of the row of the marked point, or of the last one before it; -1 if none
	at      bool
	view    View
	order   Order
	left    [Made + 1]int64 // of the history
	name    string          // of the location
	names   map[int32]string
	columns table.Columns[int] // of the index of a value
}

// Table returns the values found so far. It has a mark at the point of [HistoryOptions].Here, or at the
// last value before it.
func (h *History) Table(v View) *table.Table {
	h.mu.Lock()
	x := &historyTable{h: h, view: v, names: make(map[int32]string), order: h.order}
	x.list, x.left, x.name = h.sorted(), h.left, h.o.Location.Title()
	all, kept := h.all, len(h.list)
	h.mu.Unlock()
	x.changes = changesOf(x.list)
	x.findHere()
	x.addColumns()
	when := h.Sorts()[0]
	t := &table.Table{
		Row: "value", Title: x.title(), Columns: x.columns.Heads(), Partial: v.Done < 1, Done: v.Done,
		Sorted: cmp.Or(v.Sort, when), Rising: v.Sort == "" || v.Rising,
		Empty: "no value of " + h.o.Location.Text + " was recorded", Notes: x.notes(all - int64(kept)),
	}
	if x.left != [Made + 1]int64{} {
		t.Empty = "the steps leave no value of " + h.o.Location.Text
	}
	rows := x.ordered()
	if from := len(rows) - v.Last; v.Last > 0 && from > 0 {
		rows = rows[from:]
		t.Notes = append(t.Notes, fmt.Sprintf("the last %s of %s", display.Grouped(int64(v.Last)), display.Grouped(int64(len(x.list)))))
	}
	at := func(i int) (HistoryPoint, bool) { return x.list[i].HistoryPoint, true }
	t.Rows = &historyRows{answerRows[int]{x.columns, rows, at}, x}
	return t
}

// historyRows are the rows, as indexes of values.
type historyRows struct {
	answerRows[int]
	x *historyTable
}

func (s *historyRows) Row(i int) []table.Value {
	s.x.h.mu.Lock()
	defer s.x.h.mu.Unlock()
	return s.answerRows.Row(i)
}

// Here returns the row that a table of a History marks, -1 if none, and whether it is the point itself.
func (s *historyRows) Here() (row int, exact bool) { return slices.Index(s.list, s.x.here), s.x.at }

// hereMarks are the signs of the marked point, and of the last value before it; for ASCII and not.
var hereMarks = map[bool]map[bool]string{false: {true: "●", false: "○"}, true: {true: "*", false: "."}}

// addColumns makes the columns. The history is locked while they make values.
func (x *historyTable) addColumns() {
	add := func(c table.Column, value func(s *Sighting) table.Value) {
		x.columns.Add(c, func(i int) table.Value { return value(&x.list[i]) })
	}
	method := func(id int32) table.Value {
		if id < 0 {
			return table.Value{}
		}
		return table.Str(x.method(id))
	}
	name := table.Column{Key: "name", Title: "name", Least: 8, Most: 40, CutMiddle: true, In: table.OnlyData}
	start := table.Column{Key: "start", Title: "start", Kind: table.Duration, In: table.OnlyData}
	l := x.h.o.Location
	switch {
	case l.Kind == ObjectLocation:
		name.Title, name.In = "what", table.Everywhere
	case l.Kind == FieldLocation && !l.One():
		name.Title, name.In = "object", table.Everywhere
	}
	if x.order == ByMoment {
		start.In, start.Priority = table.Everywhere, 4
	}
	if x.h.o.Here != nil {
		x.columns.Add(table.Column{Key: "mark", In: table.OnlyShown}, func(i int) table.Value {
			return inStyle(hereMarks[x.view.G.ASCII][x.at], table.Strong).If(i == x.here)
		})
	}
	add(table.Column{Key: "event", Title: "event", Kind: table.Event}, func(s *Sighting) table.Value { return table.Int(int64(s.Event)) })
	add(table.Column{Key: "thread", Title: "thread", Kind: table.Number, Priority: 3, In: table.When(!x.h.oneThread())}, func(s *Sighting) table.Value { return table.Int(int64(s.Thread) + 1) })
	add(start, func(s *Sighting) table.Value { return table.IntIf(s.key, x.order == ByMoment && s.key >= 0) })
	add(name, func(s *Sighting) table.Value { return table.StrIf(s.Name) })
	x.columns.AddBy(table.Column{Key: "value", Title: "value", Least: 8, Most: 60, Align: table.Right}, func(i int) table.Value {
		return table.Str(x.list[i].Value.Text).If(x.list[i].Kind < Receiver)
	}, func(i, j int) int { return x.list[i].Value.compare(&x.list[j].Value) })
	x.columns.Add(table.Column{Key: "change", Title: "change", Most: 30, Align: table.Right, Priority: 1, In: table.OnlyShown}, func(i int) table.Value {
		return table.StrIf(x.changes[i].text(x.view.G)).If(x.list[i].Kind < Receiver)
	})
	add(table.Column{Key: "access", Title: "how", Priority: 2}, func(s *Sighting) table.Value { return table.Str(s.Kind.String()) })
	add(table.Column{Key: "in", Title: "in", Least: 12, CutMiddle: true, Style: format.StyleMethod}, func(s *Sighting) table.Value { return method(s.In) })
	add(table.Column{Key: "caller", Title: "called by", Least: 10, Stretch: true, CutMiddle: true, Priority: 4, Style: format.StyleMethod}, func(s *Sighting) table.Value {
		return method(s.Caller)
	})
	add(table.Column{Key: "number", Kind: table.Decimal, In: table.OnlyData}, func(s *Sighting) table.Value {
		switch {
		case s.Kind >= Receiver || s.Value.Numeric == NoNumber:
			return table.Value{}
		case s.Value.Numeric == WholeNumber:
			return table.Int(s.Value.Int).JSON(strconv.AppendInt(nil, s.Value.Int, 10))
		}
		return table.Float(s.Value.Float)
	})
	add(table.Column{Key: "in_event", Kind: table.Number, In: table.OnlyData}, func(s *Sighting) table.Value { return table.IntIf(int64(s.InEvent), s.In >= 0) })
	x.columns.Add(table.Column{Key: "here", In: table.OnlyData}, func(i int) table.Value { return table.Yes(i == x.here && x.at) })
	add(table.Column{Key: "handle", In: table.OnlyData}, func(s *Sighting) table.Value {
		if x.order == ByEvent {
			return table.Str(lazy.EventHandle(s.Event).String())
		}
		return table.Str(lazy.PositionHandle(s.Position).String())
	})
	x.columns.Add(table.Column{Key: "was", In: table.OnlyData}, func(i int) table.Value {
		if was := x.changes[i].was; was != nil && x.list[i].Kind < Receiver {
			return table.Str(was.Text)
		}
		return table.Value{}
	})
}

// method returns the name of a method.
func (x *historyTable) method(id int32) string {
	name, ok := x.names[id]
	if !ok {
		x.h.r.WithContext(func(c *format.Context) { name, _ = c.CallName(id, 0) })
		x.names[id] = name
	}
	return name
}

// change is how a value differs from the one before in the same place.
type change struct {
	known, reborn bool
	was           *HeldValue // nil if it is the same
	now           *HeldValue
}

// changesOf compares each value with the one before in the same place.
func changesOf(list []Sighting) []change {
	out := make([]change, len(list))
	last := make(map[HeldIn]int)
	for i := range list {
		s := &list[i]
		if s.Kind >= Receiver {
			continue
		}
		c := &out[i]
		c.reborn = s.Reborn
		if before, ok := last[s.Place]; ok && !s.Reborn {
			c.known, c.now = true, &s.Value
			if list[before].Value != s.Value {
				c.was = &list[before].Value
			}
		}
		last[s.Place] = i
	}
	return out
}

// text writes a change: a difference of numbers, or what the value was.
func (c *change) text(g *display.Glyphs) string {
	switch {
	case c.reborn:
		return "new object?"
	case !c.known || c.was == nil:
		return ""
	case c.was.Numeric == WholeNumber && c.now.Numeric == WholeNumber:
		d := c.now.Int - c.was.Int
		if (d > 0) != (c.now.Int > c.was.Int) {
			break // too large
		}
		return signed(strconv.FormatInt(d, 10), d > 0, g)
	case c.was.Numeric != NoNumber && c.now.Numeric != NoNumber:
		if d := c.now.Float - c.was.Float; !math.IsNaN(d) && !math.IsInf(d, 0) {
			return signed(strconv.FormatFloat(d, 'g', 6, 64), d > 0, g)
		}
	}
	return "was " + c.was.Text
}

func signed(number string, up bool, g *display.Glyphs) string {
	if up {
		return "+" + number + " " + g.Rising
	}
	return number + " " + g.Sorted
}

// findHere finds the row to mark.
func (x *historyTable) findHere() {
	x.here = -1
	at := x.h.o.Here
	if at == nil {
		return
	}
	for i := range x.list {
		if s := &x.list[i]; s.Position == at.Position {
			x.here, x.at = i, true
			return
		}
	}
	key := x.h.hereKey
	for i := range x.list {
		if s := &x.list[i]; key != nil && key.covers(s, x.order) && (x.order != PerThread || s.Thread == key.thread) {
			x.here = i
		}
	}
}

func (x *historyTable) title() string {
	var counts [Made + 1]int64
	threads := make(map[int32]bool)
	reborn := false
	for i := range x.list {
		counts[x.list[i].Kind]++
		threads[x.list[i].Thread] = true
		reborn = reborn || x.list[i].Reborn
	}
	dot := " " + x.view.G.Dot + " "
	parts := []string{display.Plural(counts[Written], "write")}
	switch {
	case counts[WasRead] > 0:
		parts = append(parts, display.Plural(counts[WasRead], "read"))
	case x.left[WasRead] == 0:
		parts = append(parts, "no reads recorded")
	}
	text := "history" + dot + x.name + x.h.scope.about(x.view.G) + dot + strings.Join(append(parts, sightings(&counts)...), ", ")
	if x.left != [Made + 1]int64{} {
		parts = parts[:0]
		for kind, what := range []string{Written: "write", WasRead: "read"} {
			if n := x.left[kind]; n > 0 {
				parts = append(parts, display.Plural(n, what))
			}
		}
		text += dot + "the steps hide " + strings.Join(append(parts, sightings(&x.left)...), ", ")
	}
	if reborn {
		text += dot + "may be two objects"
	}
	if len(threads) > 1 {
		text += dot + "order: " + [...]string{"event ids", "times", "by thread"}[x.order]
	}
	return text
}

// sightings tells how many values were seen that were not written or read.
func sightings(counts *[Made + 1]int64) (parts []string) {
	if counts[Seen] > 0 {
		parts = append(parts, display.Plural(counts[Seen], "sighting"))
	}
	if n := counts[Receiver] + counts[Argument] + counts[Result] + counts[Made]; n > 0 {
		parts = append(parts, display.Plural(n, "time")+" in calls")
	}
	return parts
}

// doubts returns notes if the object of the location, or some of those in a list, may be several.
func (h *History) doubts(list []Sighting) (notes []string) {
	h.r.WithContext(func(c *format.Context) {
		notes = doubtNotes(c, func(yield func(int32) bool) {
			if l := h.o.Location; l.one && !yield(l.hash) {
				return
			}
			for i := range list {
				if !yield(list[i].Place.Hash) {
					return
				}
			}
		})
	})
	return notes
}

// notes are the lines after the rows.
func (x *historyTable) notes(beyond int64) (notes []string) {
	if strip := x.strip(); strip != "" {
		notes = append(notes, strip)
	}
	if low, high, ok := x.extremes(); ok {
		low, high := &x.list[low], &x.list[high]
		notes = append(notes, fmt.Sprintf("smallest %s at #%d, largest %s at #%d", low.Value.Text, low.Event, high.Value.Text, high.Event))
	}
	threads := make(map[int32]bool)
	notes = append(notes, x.h.doubts(x.list)...)
	for i := range x.list {
		s := &x.list[i]
		threads[s.Thread] = true
		if s.Reborn {
			notes = append(notes, fmt.Sprintf("may be two objects: a constructor ran on the same hash before #%d", s.Event))
			break
		}
	}
	if len(threads) > 1 {
		switch x.order {
		case ByMoment:
			notes = append(notes, "order: a read or write has the time when the call or event before it began or ended")
		case PerThread:
			notes = append(notes, "order: by thread; the trace does not tell the order between threads")
		}
	}
	if beyond > 0 {
		notes = append(notes, fmt.Sprintf("%s more were counted and are not listed: --object, --in, --thread or --where narrow it down", display.Grouped(beyond)))
	}
	return notes
}

// longestStrip is how many cells a strip has at most.
const longestStrip = 48

// strip draws the numbers of a single place one after the other, each cell with the last of those that
// fall into it; "" if there are none.
func (x *historyTable) strip() string {
	if !x.h.o.Location.One() || len(x.list) < 3 {
		return ""
	}
	var values []float64
	var texts [2]string // of the smallest and the largest
	low, high := math.Inf(1), math.Inf(-1)
	for i := range x.list {
		s := &x.list[i]
		if v := s.Value; v.Numeric == NoNumber || math.IsNaN(v.Float) || math.IsInf(v.Float, 0) {
			return ""
		} else {
			values = append(values, v.Float)
			if v.Float < low {
				low, texts[0] = v.Float, v.Text
			}
			if v.Float > high {
				high, texts[1] = v.Float, v.Text
			}
		}
	}
	levels := []rune("▁▂▃▄▅▆▇█")
	if x.view.G.ASCII {
		levels = []rune("_.-=+*%#")
	}
	n := min(len(values), longestStrip)
	cells := make([]rune, n)
	for i := range cells {
		v := values[(i+1)*len(values)/n-1]
		level := 0
		if high > low {
			level = min(len(levels)-1, int((v/2-low/2)/(high/2-low/2)*float64(len(levels))))
		}
		cells[i] = levels[level]
	}
	return texts[0] + " " + string(cells) + " " + texts[1]
}

// Sorts returns the keys of the columns by which a table of the history sorts. The first is that of the order in which
// the values were recorded.
func (h *History) Sorts() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	when := "event"
	if h.order != ByEvent && !h.oneThread() {
		when = map[Order]string{ByMoment: "start", PerThread: "thread"}[h.order]
	}
	return []string{when, "value"}
}

// oneThread reports whether the trace has only one thread.
func (h *History) oneThread() bool { return h.r.ThreadList().Len() == 1 }

// ordered returns the rows, as indexes of values, in the order of the view.
func (x *historyTable) ordered() []int {
	rows := make([]int, len(x.list))
	for i := range rows {
		rows[i] = i
	}
	switch sort := x.view.Sort; {
	case sort == "value":
		x.columns.Sort(rows, sort, x.view.Rising)
	case sort != "" && !x.view.Rising:
		slices.Reverse(rows)
	}
	return rows
}

// extremes returns where the smallest and the largest number are, each for the first time; ok is false if there are
// no two numbers that differ, or these are of several fields.
func (x *historyTable) extremes() (low, high int, ok bool) {
	if low = -1; x.h.o.Location.Kind == ObjectLocation {
		return 0, 0, false
	}
	for i := range x.list {
		switch v := &x.list[i].Value; {
		case x.list[i].Kind >= Receiver || v.Numeric == NoNumber || math.IsNaN(v.Float):
		case low < 0:
			low, high = i, i
		case v.compare(&x.list[low].Value) < 0:
			low = i
		case v.compare(&x.list[high].Value) > 0:
			high = i
		}
	}
	return low, high, low >= 0 && low != high
}

// Extremes returns the rows of a table of a [History] with the smallest and the largest number; ok is false if there are
// none, as for an object, whose values are of several fields.
func Extremes(t *table.Table) (low, high int, ok bool) {
	s, is := t.Rows.(*historyRows)
	if !is {
		return 0, 0, false
	}
	low, high, ok = s.x.extremes()
	return slices.Index(s.list, low), slices.Index(s.list, high), ok
}
