package lists

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/goroutines"
	"tracex/lazy/query/table"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

// margin is the width of the cursor's mark and the blank after it. From roomy on other columns are left out before
// names are cut to few cells, and what went wrong has room for words.
const (
	margin = 2
	roomy  = 60
	worded = 80

	leastWrong = 8 // cells of what went wrong
)

const wentWrong = "went wrong"

// threadColumns are the columns of the list; time is in those of a trace with times.
func threadColumns(timed bool) []table.Column {
	time := table.Column{Key: "time", Title: "time", Kind: table.Duration, Priority: 2}
	if !timed {
		time.In = table.OnlyData
	}
	return []table.Column{
		{Key: "name", Title: "name", Most: 48, Stretch: true},
		{Key: "thread", Title: "thread", Kind: table.Number, Priority: 4},
		{Key: "calls", Title: "calls", Kind: table.Count, Priority: 3}, time,
		{Key: "share", Title: "share", Kind: table.Share, Priority: 5},
		{Key: "size", Title: "size", Kind: table.Bytes, Priority: 6},
		{Key: "wrong", Title: wentWrong, Most: 32, Priority: 1},
	}
}

func (l *ThreadList) fit(width int) {
	name, wrong := &l.table.Columns[0], &l.table.Columns[len(l.table.Columns)-1]
	l.layout.Resize(width)
	title, room := wentWrong, screen.FloatWidth(l.env.Width) // the list may be narrower
	if room < worded {
		title = strings.TrimSpace(l.env.Glyphs.Threw)
	}
	if wide := room >= roomy; name.Worth != wide || wrong.Title != title {
		name.Worth, wrong.Worth, wrong.Least, wrong.Title = wide, wide, 0, title
		if !wide {
			wrong.Least = leastWrong
		}
		l.layout.Show(l.table)
	}
}

// look looks up the threads on the screen.
func (l *ThreadList) look() {
	l.rows, l.seen = l.all.Rows(l.which), nil
	_, l.whole = l.all.Reader().Totals()
	_, l.length, _ = l.all.Reader().Recording()
	if l.ends.of == nil || !l.ends.of.Same(l.all) {
		*l.ends = threadEnds{l.all, make(map[int]table.Value)}
	}
	unknown := slices.DeleteFunc(slices.Clone(l.which), func(n int) bool { _, ok := l.ends.what[n]; return ok })
	for i, end := range l.all.Ends(unknown) {
		l.ends.what[unknown[i]] = l.wrong(end)
	}
}

// format writes the lines of the threads that look has looked up, once.
func (l *ThreadList) format() {
	if l.seen != nil {
		return
	}
	l.seen = make(map[int][]table.Value, len(l.rows))
	rows := make([][]table.Value, 0, len(l.rows))
	for i, t := range l.rows {
		calls, time, share := table.Int(t.Calls), table.Value{}, table.Value{}
		switch {
		case !t.Counted:
			calls = table.Int(t.Containers).Is(table.AtMost)
		case !l.timed && l.whole.Counted && l.whole.Calls > 0:
			share = table.Float(float64(t.Calls) / float64(l.whole.Calls))
		}
		if t.Timed {
			time = table.Int(t.Time.Duration)
			share = table.Float(float64(t.Time.Duration) / float64(l.length))
		}
		row := []table.Value{l.nameOf(l.which[i], t.ThreadInfo), table.Int(int64(t.ID) + 1), calls, time, share, table.Int(t.Bytes), l.ends.what[l.which[i]]}
		l.seen[l.which[i]] = row
		rows = append(rows, row)
	}
	l.layout.FitRows(rows)
}

// goexit is what ends a goroutine where a test is skipped or fails, which the trace does not tell apart.
const goexit = "runtime.Goexit"

// wrong tells how a thread ended, unless it returned.
func (l *ThreadList) wrong(e lazy.ThreadEnd) table.Value {
	what := "did not end"
	switch {
	case e.Exception == goexit:
		return styled(goexit, table.Faint)
	case e.Threw:
		what = cmp.Or(e.Exception, "threw")
	case e.State == lazy.StatePending:
		return styled("not ended yet", table.Faint)
	case e.State != lazy.StateUnfinished:
		return table.Value{}
	}
	return styled(l.env.Glyphs.Threw+what, format.StyleAlarm)
}

func styled(text string, s format.Style) table.Value {
	return table.Styled(text, []format.Span{{End: len(text), Style: s}})
}

// treeIndent is how many cells a thread is indented by more than the one above it.
const treeIndent = 2

// nameOf is the first column of a thread: in the tree with its indent, then the name, and after it what is faint.
func (l *ThreadList) nameOf(thread int, t lazy.ThreadInfo) table.Value {
	name, rest := l.name(thread, t)
	f, style, before := &l.family, table.Strong, ""
	if l.order == asTree {
		sign := " "
		switch {
		case f.Below(thread) == 0:
		case l.Scan == nil && f.isFolded(thread):
			sign = l.env.Glyphs.Closed
		default:
			sign = l.env.Glyphs.Open
		}
		if f.of != nil && !f.passes(thread) {
			style = table.Faint
		}
		indent, most := treeIndent*f.Depth(thread), l.env.Front.Area.Width/4
		if indent > most {
			sign = l.env.Glyphs.More + strconv.Itoa(f.Depth(thread)) + " " + sign
			indent = max(0, most-l.env.Glyphs.TextWidth(sign))
		}
		before = strings.Repeat(" ", indent) + sign + " "
	}
	at, end := len(before), len(before)+len(name)
	return table.Styled(before+name+rest, []format.Span{{End: at, Style: table.Faint}, {Start: at, End: end, Style: style}, {Start: end, End: end + len(rest), Style: table.Faint}})
}

// name returns the name of a thread, or the function of its goroutine, and what follows it: the number of the goroutine,
// and where it was started. It leaves out what the thread above it in the tree shows.
func (l *ThreadList) name(thread int, t lazy.ThreadInfo) (name, rest string) {
	n, ok := goroutines.Parse(t.Name)
	switch {
	case t.Name == "":
		return screen.Thread(t), ""
	case !ok:
		return t.Name, ""
	}
	name = cmp.Or(n.Start, n.String())
	above := false
	if l.order == asTree {
		_, above = l.family.Parent(thread)
		above = above && !l.family.Adopted(thread)
	}
	if n.Start != "" {
		rest = " " + goroutines.Label(n.Number)
	}
	switch {
	case above || n.Program == "":
	case n.Start == "":
		name = n.Program + " " + l.env.Glyphs.Crumb + " " + name
	default:
		rest += " of " + n.Program
	}
	switch by := " " + l.env.Glyphs.Again + " "; {
	case above && n.At != "":
		rest += by + n.At
	case !above && n.Parent != 0:
		rest += by + goroutines.Label(n.Parent) + " " + n.By + " " + n.At
	}
	return name, rest
}

func (l *ThreadList) head(width int) string {
	head, out := l.layout.Head(), screen.NewLine(width, l.env.Glyphs)
	out.Spans(head.Text, head.Spans, screen.OfHead, nil, 0)
	return out.End()
}

// line returns the i-th line. What a filter matches is lit in the name.
func (l *ThreadList) line(i int) prompt.Item {
	row, ok := l.seen[l.number(i)]
	if !ok {
		return prompt.Item{} // arrives with the next settle
	}
	line := l.layout.Values(row)
	cell := prompt.Cell{Text: line.Text, Spans: line.Spans, Of: screen.OfTable, Skip: margin, Aside: true}
	if name := row[0].Text(); l.Scan != nil {
		n := 0
		for n < len(name) && margin+n < len(line.Text) && name[n] == line.Text[margin+n] {
			n++
		}
		for _, r := range l.Scan.P.Ranges([]byte(name[:n])) {
			cell.Lit = append(cell.Lit, [2]int{r[0] + margin, r[1] + margin})
		}
	}
	return prompt.Item{Cells: []prompt.Cell{cell}}
}

// Click sorts by the column whose head is clicked, and puts the cursor on a thread. A double click there goes to it.
func (l *ThreadList) Click(x, y int, double bool) prompt.ListAction {
	if key, ok := l.layout.At(x); ok && y == 1 && !l.Typing() {
		return l.sortBy(key)
	}
	return l.List.Click(x, y, double)
}
