package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy/query/display"
	"tracex/lazy/query/histogram"
	"tracex/lazy/query/table"
)

// TopSorts are the keys that a Top can be sorted by. Without times self is by own events, and
// total by events; mean, max and p99 then do not exist.
var TopSorts = []string{"self", "total", "calls", "mean", "max", "p99", "threw", "events"}

// Sorts reports whether a Top has what a key of TopSorts sorts by.
func (t *Top) Sorts(key string) bool {
	return t.timed || key != "mean" && key != "max" && key != "p99"
}

// topTable makes the table of a Top.
type topTable struct {
	by      By
	timed   bool
	span    bool // only a span of time: events are not known
	folded  bool // events are those that the folded view shows
	grows   bool // the trace: calls that have not ended may still do
	steps   Steps
	where   string // for the title
	all     Totals
	rows    []topLine
	threads *threadTable // in place of rows, by thread
	sort    string
	took    histogram.Histogram // durations of all calls
}

// topLine is a row of the table.
type topLine struct {
	group *Group
	topRow
	name string
	p99  int64
}

// Table returns the table of what has been merged so far.
func (t *Top) Table(view View) *table.Table {
	x := t.snapshot(view.G)
	x.sort = x.sortKey(view.Sort)
	if x.threads != nil {
		x.threads.sort(x.value, x.sort == "p99", view.Rising)
	}
	slices.SortFunc(x.rows, func(a, b topLine) int {
		order := cmp.Compare(x.value(&b), x.value(&a))
		if x.sort == "name" {
			order = cmp.Compare(b.name, a.name)
		}
		if view.Rising {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a.name, b.name))
	})
	out := &table.Table{
		Row: t.by.String(), Title: x.title(view.G), Columns: x.columns(view.G), Sorted: x.sort, Rising: view.Rising,
		Partial: view.Done < 1, Done: view.Done, Empty: "no calls", Notes: x.notes(view.G),
	}
	out.Notes = append(out.Notes, gapNotes(t.r, x.timed)...)
	out.Rows = x
	if x.timed {
		out.Spread = x.spread
	}
	return out
}

func (x *topTable) Len() int {
	if x.threads != nil {
		return x.threads.len()
	}
	return len(x.rows)
}

func (x *topTable) Row(i int) []table.Value {
	if x.threads != nil {
		l := x.threads.line(i)
		return x.row(&l)
	}
	return x.row(&x.rows[i])
}

// mostSpread is how many rows a table may have to keep the histogram of each.
const mostSpread = 20_000

// snapshot copies the rows.
func (t *Top) snapshot(g *display.Glyphs) *topTable {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := &topTable{by: t.by, timed: t.timed, grows: grows(t.r), span: t.scope.Timed, steps: t.scope.Steps(), where: t.scope.about(g), folded: !t.scope.Raw, all: t.all}
	if t.threads != nil {
		x.threads = t.threadTable()
		x.took.Merge(&x.threads.took)
		return x
	}
	groups := t.groups.list()
	var shown []*Group // others may have been seen by goroutines that began at a wrong place
	for i, g := range groups {
		if i < len(t.rows) && t.rows[i].shown() {
			row := &t.rows[i]
			line := topLine{group: g, p99: row.times.Quantile(0.99)}
			line.Sums = row.Sums
			x.took.Merge(&row.times)
			if len(groups) <= mostSpread {
				line.times.Merge(&row.times)
			}
			x.rows, shown = append(x.rows, line), append(shown, g)
		}
	}
	for i, name := range names(shown) {
		x.rows[i].name = name
	}
	return x
}

// sortKey returns the key of the column that a word of TopSorts names. Threads have no order by name.
func (x *topTable) sortKey(word string) string {
	if word == "" || word == "name" && x.threads != nil {
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
	switch x.sort {
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
	if x.by == ByClass && len(x.rows) != 1 {
		rows = display.Grouped(int64(len(x.rows))) + " classes"
	}
	order := map[string]string{"self": "self time", "total": "total time", "calls": "number of calls", "mean": "mean time",
		"max": "longest call", "p99": "99th percentile", "threw": "calls that threw", "own_events": "own events", "events": "events", "name": "name"}[x.sort]
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

// columns returns the columns: those of time only if the trace has times.
func (x *topTable) columns(g *display.Glyphs) []table.Column {
	var list []table.Column
	if x.timed {
		list = []table.Column{
			{Key: "self", Title: "self", Kind: table.Duration},
			{Key: "self_share", Title: "share", Kind: table.Share, Priority: 3},
			{Key: "total", Title: "total", Kind: table.Duration, Priority: 1},
			{Key: "total_share", Title: "share", Kind: table.Share, Priority: 6},
			{Key: "calls", Title: "calls", Kind: table.Count, Priority: 1},
			{Key: "mean", Title: "mean", Kind: table.Duration, Priority: 2},
			{Key: "p99", Title: g.About + "p99", Kind: table.Duration, Priority: 4},
			{Key: "max", Title: "max", Kind: table.Duration, Priority: 4},
		}
	} else {
		list = []table.Column{
			{Key: "own_events", Title: "own", Kind: table.Count},
			{Key: "own_share", Title: "share", Kind: table.Share, Priority: 3},
			{Key: "events", Title: "events", Kind: table.Count, Priority: 1},
			{Key: "events_share", Title: "share", Kind: table.Share, Priority: 6},
			{Key: "calls", Title: "calls", Kind: table.Count, Priority: 1},
		}
	}
	threw := table.Column{Key: "threw", Title: "threw", Kind: table.Count, Priority: 5}
	some := x.threads != nil && x.threads.threw || slices.ContainsFunc(x.rows, func(l topLine) bool { return l.Threw > 0 })
	if x.sort != "threw" && !some {
		threw.In = table.OnlyData
	}
	list = append(list, threw)
	if x.timed && !x.span {
		in := table.OnlyData
		if x.sort == "events" {
			in = table.Everywhere
		}
		list = append(list,
			table.Column{Key: "events", Title: "events", Kind: table.Count, Priority: 1, In: in},
			table.Column{Key: "own_events", Title: "own", Kind: table.Count, In: table.OnlyData})
	}
	if x.edited() {
		list = append(list,
			table.Column{Key: "merged", Title: "merged", Kind: table.Count, In: table.OnlyData},
			table.Column{Key: "dropped", Title: "dropped", Kind: table.Count, In: table.OnlyData})
	}
	list = append(list,
		table.Column{Key: "unended", Title: "unended", Kind: table.Count, In: table.OnlyData},
		table.Column{Key: "name", Title: x.by.String(), Stretch: true, CutMiddle: true, Style: map[By]format.Style{ByMethod: format.StyleMethod}[x.by]})
	switch x.by {
	case ByMethod:
		list = append(list, table.Column{Key: "class", In: table.OnlyData}, table.Column{Key: "method", In: table.OnlyData},
			table.Column{Key: "types", In: table.OnlyData}, table.Column{Key: "method_id", Kind: table.Number, In: table.OnlyData})
	case ByClass, ByPackage, ByFile:
		list = append(list, table.Column{Key: x.by.String(), In: table.OnlyData})
	case ByThread:
		list = append(list, table.Column{Key: "thread", Kind: table.Number, In: table.OnlyData})
	}
	return list
}

// row returns the values of a row.
func (x *topTable) row(l *topLine) []table.Value {
	count := func(n int64) table.Value { return table.Int(n) }
	var v []table.Value
	points := []table.Value{count(l.Points), count(l.Own)}
	switch {
	case x.timed:
		v = x.times(l)
	default:
		v = []table.Value{l.self(points[1]), share(l.Own, x.all.Points), l.total(points[0]), share(l.Points, x.all.Points), count(l.Calls)}
	}
	threw := count(l.Threw)
	v = append(v, threw)
	if x.timed && !x.span {
		v = append(v, points...)
	}
	if x.edited() {
		v = append(v, count(l.Merged), count(l.Dropped))
	}
	unended := table.Value{}
	if l.Unended > 0 {
		unended = count(l.Unended)
	}
	v = append(v, unended, table.Str(l.name))
	return append(v, x.identity(l.group)...)
}

// times returns the values of the columns of times, and the number of calls.
func (x *topTable) times(l *topLine) []table.Value {
	self, total := l.self(table.Int(l.Self)), l.total(table.Int(l.Total))
	if l.Unended > 0 {
		self, total = self.Is(table.About), total.Is(table.AtLeast)
	}
	v := []table.Value{self, share(l.Self, x.all.Time), total, share(l.Total, x.all.Time), table.Int(l.Calls)}
	if l.Timed == 0 {
		return append(v, table.Value{}, table.Value{}, table.Value{})
	}
	return append(v, l.total(table.Int(l.Took/l.Timed)), l.total(table.Int(l.p99)), l.total(table.Int(l.Max)))
}

// edited reports whether steps may have changed values.
func (x *topTable) edited() bool { return x.steps.has(Merge, Only, Drop) }

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

// share returns a part of a whole.
func share(part, whole int64) table.Value {
	if whole <= 0 {
		return table.Value{}
	}
	return table.Float(float64(part) / float64(whole))
}

// known returns a name of the group for programs, if there is one.
func (g *Group) known(text string) table.Value {
	if g.Unknown || text == "" {
		return table.Value{}
	}
	return table.Str(text)
}

// identity returns the values that name a group for programs.
func (x *topTable) identity(g *Group) []table.Value {
	switch x.by {
	case ByThread:
		return []table.Value{table.Int(int64(g.ID) + 1)}
	case ByFile:
		return []table.Value{g.known(g.names[0])}
	case ByClass, ByPackage:
		return []table.Value{g.known(g.Class)}
	}
	return methodIdentity(g)
}

// methodIdentity returns the values that name a method for programs: class, method, types of its
// arguments, and for one that the trace does not describe its id.
func methodIdentity(g *Group) []table.Value {
	if g.Unknown {
		return []table.Value{{}, {}, {}, table.Int(int64(g.ID))}
	}
	texts := make([]string, len(g.Args))
	types := []byte{'['}
	for i, a := range g.Args {
		if texts[i] = a.String(); i > 0 {
			types = append(types, ',')
		}
		types = format.AppendJSONString(types, texts[i])
	}
	return []table.Value{g.known(g.Class), g.known(g.Method), table.Str(strings.Join(texts, ",")).JSON(append(types, ']')), {}}
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
	var merged, dropped bool
	if x.threads != nil {
		merged, dropped = x.threads.merged, x.threads.dropped
	}
	for i := range x.rows {
		merged, dropped = merged || x.rows[i].Merged > 0, dropped || x.rows[i].Dropped > 0
	}
	if merged {
		list = append(list, "*"+self+": with that of merged calls")
	}
	if dropped {
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
	switch {
	case row < 0 || row >= x.Len():
	case x.threads != nil:
		l := x.threads.line(row)
		return "durations of the row:", &l.times
	default:
		return "durations of the row:", &x.rows[row].times
	}
	return "durations of all calls:", &x.took
}
