package query

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/compact"
	"tracex/lazy/query/display"
	"tracex/lazy/query/histogram"
	"tracex/lazy/query/table"
)

// TopSorts are the keys that a Top can be sorted by: waiting if the trace tells where goroutines waited. Without times self is by own events, and
// total by events; mean, max and p99 then do not exist.
var TopSorts = []string{"self", "total", "calls", "mean", "max", "p99", "threw", "waiting", "events"}

// Sorts reports whether a Top has what a key of TopSorts sorts by.
func (t *Top) Sorts(key string) bool {
	if key == "waiting" {
		return t.timed && HasWaits(t.r)
	}
	return t.timed || key != "mean" && key != "max" && key != "p99"
}

// topTable makes the table of a Top.
type topTable struct {
	by     By
	timed  bool
	span   bool // only a span of time: events are not known
	folded bool // events are those that the folded view shows
	grows  bool // the trace: calls that have not ended may still do
	steps  Steps
	where  string // for the title
	all    Totals
	topRows
	key  string // of the column that orders rows
	list table.Columns[*topLine]
	took histogram.Histogram // durations of all calls
	// Steps merged calls into some of the rows, or dropped some; calls of some threw.
	merged, dropped, threw bool
	waits                  bool // the trace tells where goroutines waited
}

// topRows are the rows of a topTable: groups, or threads.
type topRows interface {
	Len() int
	// sort puts the rows in the order of the table, and notes what they have.
	sort(x *topTable, rising bool)
	// line returns a row, in order.
	line(i int) *topLine
}

// topLine is a row of the table.
type topLine struct {
	group *Group
	topRow
	name string
	p99  int64
}

// note notes what a row has.
func (x *topTable) note(s *Sums) {
	x.merged, x.dropped, x.threw = x.merged || s.Merged > 0, x.dropped || s.Dropped > 0, x.threw || s.Threw > 0
}

// groupLines are the rows of groups.
type groupLines []topLine

func (l groupLines) Len() int            { return len(l) }
func (l groupLines) line(i int) *topLine { return &l[i] }

func (l groupLines) sort(x *topTable, rising bool) {
	slices.SortFunc(l, func(a, b topLine) int {
		order := cmp.Compare(x.value(&b), x.value(&a))
		if x.key == "name" {
			order = cmp.Compare(b.name, a.name)
		}
		if rising {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a.name, b.name))
	})
	for i := range l {
		x.note(&l[i].Sums)
	}
}

// Table returns the table of what has been merged so far.
func (t *Top) Table(view View) *table.Table {
	x := t.snapshot(view.G)
	x.key = x.sortKey(view.Sort)
	x.sort(x, view.Rising)
	x.columns(view.G)
	out := &table.Table{
		Row: t.by.String(), Title: x.title(view.G), Columns: x.list.Heads(), Sorted: x.key, Rising: view.Rising,
		Partial: view.Done < 1, Done: view.Done, Empty: "no calls", Notes: x.notes(view.G),
	}
	out.Notes = append(out.Notes, gapNotes(t.r, x.timed)...)
	out.Rows = x
	if x.timed {
		out.Spread = x.spread
	}
	return out
}

func (x *topTable) Row(i int) []table.Value { return x.list.Row(x.line(i)) }

// mostSpread is how many rows a table may have to keep the histogram of each.
const mostSpread = 20_000

// snapshot copies the rows.
func (t *Top) snapshot(g *display.Glyphs) *topTable {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := &topTable{by: t.by, timed: t.timed, grows: grows(t.r), span: t.scope.Timed, steps: t.scope.Steps(), where: t.scope.about(g), folded: !t.scope.Raw, all: t.all, waits: t.timed && HasWaits(t.r)}
	if t.threads != nil {
		rows := t.threadTable()
		x.topRows = rows
		x.took.Merge(&rows.took)
		return x
	}
	lines, at := t.lines()
	spread := len(t.groups.list()) <= mostSpread
	for i := range lines {
		row := &t.rows[at[i]]
		lines[i].p99 = row.times.Quantile(0.99)
		x.took.Merge(&row.times)
		if spread {
			lines[i].times.Merge(&row.times)
		}
	}
	x.topRows = lines
	return x
}

// lines returns the rows of groups, without their durations, and which groups they are. The Top is locked.
func (t *Top) lines() (list groupLines, at []int) {
	var shown []*Group // others may have been seen by goroutines that began at a wrong place
	for i, g := range t.groups.list() {
		if i < len(t.rows) && t.rows[i].shown() {
			list, shown, at = append(list, topLine{group: g, topRow: topRow{Sums: t.rows[i].Sums}}), append(shown, g), append(at, i)
		}
	}
	for i, name := range names(shown) {
		list[i].name = name
	}
	return list, at
}

// sortKey returns the key of the column that a word of TopSorts names. Threads have no order by name.
func (x *topTable) sortKey(word string) string {
	if word == "" || word == "name" && x.by == ByThread {
		word = "self"
	}
	switch {
	case x.timed:
		return word
	case word == "self":
		return "own_events"
	case word == "total":
		return "events"
	}
	return word
}

// value returns what a row is sorted by.
func (x *topTable) value(l *topLine) float64 {
	switch x.key {
	case "self":
		return float64(l.Self)
	case "total":
		return float64(l.Total)
	case "calls":
		return float64(l.Calls)
	case "mean":
		return l.mean()
	case "max":
		return float64(l.Max)
	case "p99":
		return float64(l.p99)
	case "threw":
		return float64(l.Threw)
	case "waiting":
		return float64(l.Waiting)
	case "own_events":
		return float64(l.Own)
	}
	return float64(l.Points)
}

func (l *topLine) mean() float64 {
	if l.Timed == 0 {
		return 0
	}
	return float64(l.Took) / float64(l.Timed)
}

// title tells what the table is about.
func (x *topTable) title(g *display.Glyphs) string {
	rows := display.Plural(int64(x.Len()), x.by.String())
	if x.by == ByClass && x.Len() != 1 {
		rows = display.Grouped(int64(x.Len())) + " classes"
	}
	order := map[string]string{"self": "self time", "total": "total time", "calls": "number of calls", "mean": "mean time",
		"max": "longest call", "p99": "99th percentile", "threw": "calls that threw", "waiting": "time of waiting", "own_events": "own events", "events": "events", "name": "name"}[x.key]
	parts := []string{"top" + x.where, "by " + order, rows, display.Plural(x.all.Calls, "call")}
	if x.timed {
		parts = append(parts, g.Duration(x.all.Time))
	} else {
		events := display.Plural(x.all.Points, "event")
		if x.folded {
			events += " shown" // more were recorded
		}
		parts = append(parts, events)
		parts[1] += ": this trace has no times"
	}
	return strings.Join(parts, " "+g.Dot+" ")
}

// columns makes the columns: those of time only if the trace has times.
func (x *topTable) columns(g *display.Glyphs) {
	add := func(key, title string, kind table.Kind, priority int, value func(l *topLine) table.Value) {
		x.list.Add(table.Column{Key: key, Title: title, Kind: kind, Priority: priority}, value)
	}
	calls := func(l *topLine) table.Value { return table.Int(l.Calls) }
	if x.timed {
		// The times of a row are not known if those of its calls are not.
		took := func(of func(*topLine) int64) func(*topLine) table.Value {
			return func(l *topLine) table.Value {
				if l.Timed == 0 {
					return table.Value{}
				}
				return l.total(table.Int(of(l)))
			}
		}
		add("self", "self", table.Duration, 0, func(l *topLine) table.Value { return l.bound(l.self(table.Int(l.Self)), table.About) })
		add("self_share", "share", table.Share, 3, func(l *topLine) table.Value { return share(l.Self, x.all.Time) })
		add("total", "total", table.Duration, 1, func(l *topLine) table.Value { return l.bound(l.total(table.Int(l.Total)), table.AtLeast) })
		add("total_share", "share", table.Share, 6, func(l *topLine) table.Value { return share(l.Total, x.all.Time) })
		if x.waits {
			add("waiting", "waiting", table.Duration, 1, func(l *topLine) table.Value { return l.bound(l.total(table.Int(l.Waiting)), table.AtLeast) })
		}
		add("calls", "calls", table.Count, 1, calls)
		add("mean", "mean", table.Duration, 2, took(func(l *topLine) int64 { return l.Took / l.Timed }))
		add("p99", g.About+"p99", table.Duration, 4, took(func(l *topLine) int64 { return l.p99 }))
		add("max", "max", table.Duration, 4, took(func(l *topLine) int64 { return l.Max }))
	} else {
		add("own_events", "own", table.Count, 0, func(l *topLine) table.Value { return l.self(table.Int(l.Own)) })
		add("own_share", "share", table.Share, 3, func(l *topLine) table.Value { return share(l.Own, x.all.Points) })
		add("events", "events", table.Count, 1, func(l *topLine) table.Value { return l.total(table.Int(l.Points)) })
		add("events_share", "share", table.Share, 6, func(l *topLine) table.Value { return share(l.Points, x.all.Points) })
		add("calls", "calls", table.Count, 1, calls)
	}
	x.list.Add(table.Column{Key: "threw", Title: "threw", Kind: table.Count, Priority: 5, In: table.When(x.threw || x.key == "threw")}, func(l *topLine) table.Value { return table.Int(l.Threw) })
	if x.timed && !x.span {
		x.list.Add(table.Column{Key: "events", Title: "events", Kind: table.Count, Priority: 1, In: table.When(x.key == "events")}, func(l *topLine) table.Value {
			return table.Int(l.Points)
		})
		x.list.Add(table.Column{Key: "own_events", Title: "own", Kind: table.Count, In: table.OnlyData}, func(l *topLine) table.Value { return table.Int(l.Own) })
	}
	if x.steps.has(Merge, Only, Drop) { // they may have changed values
		x.list.Add(table.Column{Key: "merged", Title: "merged", Kind: table.Count, In: table.OnlyData}, func(l *topLine) table.Value { return table.Int(l.Merged) })
		x.list.Add(table.Column{Key: "dropped", Title: "dropped", Kind: table.Count, In: table.OnlyData}, func(l *topLine) table.Value { return table.Int(l.Dropped) })
	}
	x.list.Add(table.Column{Key: "unended", Title: "unended", Kind: table.Count, In: table.OnlyData}, func(l *topLine) table.Value { return table.IntIf(l.Unended, l.Unended > 0) })
	x.list.Add(table.Column{Key: "name", Title: x.by.String(), Stretch: true, CutMiddle: true, Style: map[By]format.Style{ByMethod: format.StyleMethod}[x.by]},
		func(l *topLine) table.Value { return table.Str(l.name) })
	switch x.by {
	case ByMethod:
		addMethod(&x.list, func(l *topLine) *Group { return l.group })
	case ByFile:
		x.list.Add(table.Column{Key: "file", In: table.OnlyData}, func(l *topLine) table.Value { return l.group.known(l.group.names[0]) })
	case ByClass, ByPackage:
		x.list.Add(table.Column{Key: x.by.String(), In: table.OnlyData}, func(l *topLine) table.Value { return l.group.known(l.group.Class) })
	case ByThread:
		x.list.Add(table.Column{Key: "thread", Kind: table.Number, In: table.OnlyData}, func(l *topLine) table.Value { return table.Int(int64(l.group.ID) + 1) })
	}
}

// bound marks what calls that never ended are part of.
func (l *topLine) bound(v table.Value, is table.Bound) table.Value {
	if l.Unended > 0 {
		return v.Is(is)
	}
	return v
}

// self marks what merged calls were added to.
func (l *topLine) self(v table.Value) table.Value {
	if l.Merged > 0 {
		return v.Is(table.Edited)
	}
	return v
}

// total marks what dropped calls were taken from.
func (l *topLine) total(v table.Value) table.Value {
	if l.Dropped > 0 {
		return v.Is(table.Edited)
	}
	return v
}

// notes tells what the numbers do not tell.
func (x *topTable) notes(g *display.Glyphs) (list []string) {
	if n := x.all.Unended; n > 0 {
		about := "what is in them is counted"
		switch {
		case x.timed && x.grows:
			about = "they count up to what is known of their thread"
		case x.timed:
			about = "they end where their thread ends"
		}
		list = append(list, notEnded(n, x.grows)+"; "+about)
	}
	if n := x.all.Untimed; n > 0 {
		list = append(list, fmt.Sprintf("the trace has no time for %s", display.Plural(n, "call")))
	}
	if n := x.all.Shorter; n > 0 {
		list = append(list, display.Plural(n, "call")+" took less time than the calls in them: the clock disagrees; their self time counts as 0")
	}
	return append(list, x.editNotes(g)...)
}

// editNotes tells what steps changed.
func (x *topTable) editNotes(g *display.Glyphs) (list []string) {
	self, total := "self", "total"
	if !x.timed {
		self, total = "own", "events"
	}
	if x.merged {
		list = append(list, "*"+self+": with that of merged calls")
	}
	if x.dropped {
		list = append(list, "*"+total+": without what is dropped")
	}
	if out := x.all.Outside; out.Calls > 0 {
		what := display.Plural(out.Own, "event")
		if x.timed {
			what = g.Duration(out.Self)
		}
		list = append(list, fmt.Sprintf("%s of %s that were merged and have no caller in no row", what, display.Plural(out.Calls, "call")))
	}
	return list
}

// spread returns the histogram of the durations of a row, or of all.
func (x *topTable) spread(row int) (caption string, h *histogram.Histogram) {
	if row < 0 || row >= x.Len() {
		return "durations of all calls:", &x.took
	}
	return "durations of the row:", &x.line(row).times
}

// threadTable is the rows of a topTable by thread. It decodes them when they are asked for.
type threadTable struct {
	threadRows
	r     *lazy.LazyTraceReader
	open  []openThread // not encoded yet
	order *compact.Order
}

// openThread is a row of a thread that may go on.
type openThread struct {
	thread int32
	topRow
}

// threadTable copies what is known. The encoded rows are shared: they do not change.
func (t *Top) threadTable() *threadTable {
	s := t.threads
	x := &threadTable{threadRows: threadRows{ids: slices.Clip(s.ids), at: slices.Clip(s.at), chunks: slices.Clone(s.chunks)}, r: t.r}
	x.took.Merge(&s.took)
	for i := range t.rows {
		if row := &t.rows[i]; row.shown() {
			open := openThread{s.now[i], topRow{Sums: row.Sums}}
			open.times.Merge(&row.times)
			x.open = append(x.open, open)
			x.took.Merge(&row.times)
		}
	}
	return x
}

// Len returns the number of rows.
func (x *threadTable) Len() int { return len(x.ids) + len(x.open) }

// sums returns what is known of a row, in the order in which they were merged, and its thread.
func (x *threadTable) sums(i int, row *topRow) (thread int32) {
	if i >= len(x.ids) {
		open := &x.open[i-len(x.ids)]
		*row = open.topRow
		return open.thread
	}
	*row = topRow{}
	x.decode(i, row)
	return x.ids[i]
}

func (x *threadTable) line(i int) *topLine {
	l := new(topLine)
	thread := x.sums(int(x.order.AppendRows(nil, i, i+1)[0]), &l.topRow)
	x.r.WithContext(func(c *format.Context) { l.group = threadGroup(c, thread) })
	l.name, l.p99 = l.group.names[0], l.times.Quantile(0.99)
	return l
}

// sort leaves rows with the same value in the order of the threads.
func (x *threadTable) sort(of *topTable, rising bool) {
	keys := make([]int64, x.Len())
	var l topLine
	for i := range keys {
		x.sums(i, &l.topRow)
		if of.note(&l.Sums); of.key == "p99" {
			l.p99 = l.times.Quantile(0.99)
		}
		if keys[i] = int64(math.Float64bits(max(0, of.value(&l)))); !rising {
			keys[i] = -keys[i]
		}
	}
	x.order = compact.NewOrder(len(keys), len(keys), compact.UsualPart, func(row uint32) int64 { return keys[row] })
}
