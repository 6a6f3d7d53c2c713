package threads

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/goroutines"
	"tracex/ui/internal/list"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
)

// List is the list of threads. Its methods run on one goroutine; the work that Settle returns
// may run on another.
type List struct {
	list.List
	all   *lazy.ThreadList
	timed bool // the trace has times
	width int
	g     *screen.Glyphs

	order   lazy.ThreadOrder // the order shown
	sorted  []int            // their numbers in that order; nil for the order by id, and for the tree
	family  family           // the lines of the tree
	chosen  bool             // the user has chosen an order
	sorting *sorting         // nil if none is under way
	filter  *list.Scan       // nil if none
	busy    bool             // a turn of the filter is under way
	seen    map[int]lazy.ThreadRow

	statement statement
}

// statement leads to go statements.
type statement struct {
	of   int32                      // id of the thread whose statement the user asked for
	goTo func(thread int32) tea.Cmd // to the statement that made the goroutine of a thread
}

// New returns the list of threads, with the cursor on the thread with the given id. In a trace with
// goroutines that others started it becomes a tree as soon as that is known.
func New(all *lazy.ThreadList, forests *goroutines.Cache, timed bool, g *screen.Glyphs, id int32) *List {
	l := &List{all: all, family: family{forests: forests}, timed: timed, g: g, seen: map[int]lazy.ThreadRow{}}
	l.List = list.List{
		Keys: "Enter goes there", Also: "s sort", Choosable: true,
		Len: l.len, Item: l.line, Filter: l.filterBy, None: l.nothing,
	}
	l.Select(all.Index(id))
	l.relate()
	return l
}

// relate sorts the threads as a tree if they form one and the user has chosen no order.
func (l *List) relate() {
	f := &l.family
	if f.linked = f.linked || goroutines.Likely(l.all); f.linked && !l.chosen {
		l.Also = "s sort   " + statementKey + " its go statement"
		l.sorting = &sorting{order: asTree, all: l.all}
	}
}

// len returns how many threads pass the filter, as far as known.
func (l *List) len() int {
	switch tree := l.order == asTree; {
	case l.filter != nil && tree:
		return len(l.family.found.lines)
	case l.filter != nil:
		return len(l.filter.Passed)
	case tree:
		return l.family.len()
	}
	return l.all.Len()
}

// number returns the number of the i-th thread shown.
func (l *List) number(i int) int {
	switch tree := l.order == asTree; {
	case l.filter != nil && tree:
		return l.family.found.lines[i]
	case l.filter != nil:
		return l.filter.Passed[i]
	case tree:
		return l.family.thread(i)
	case l.sorted != nil:
		return l.sorted[i]
	}
	return i
}

// ID returns the id of the i-th thread shown.
func (l *List) ID(i int) int32 { return l.all.ID(l.number(i)) }

// HandleKey moves in the list, edits its filter, or sorts it.
func (l *List) HandleKey(k tea.KeyPressMsg) list.Action {
	if a, ok := l.handleTree(k.String()); ok {
		return a
	}
	switch name := k.String(); {
	case name == "s" && !l.Typing():
		l.next()
		return list.Action{}
	case name == "esc" && !l.Typing() && l.sorting != nil && l.chosen:
		l.giveUpSorting()
		return list.Action{}
	}
	return l.List.HandleKey(k)
}

// Busy reports whether work runs in the background.
func (l *List) Busy() bool { return l.sorting != nil || l.busy }

// Close stops the work under way.
func (l *List) Close() {
	l.giveUpSorting()
	l.filter = nil
}

// Settle looks up the lines on a screen of this size, so that View asks the trace for nothing. now
// are the threads known by now. It returns work for the background, or nil: its message is for Take.
func (l *List) Settle(life context.Context, now *lazy.ThreadList, width, height int) (work func() tea.Msg) {
	l.width = width
	if !l.Busy() && !now.Same(l.all) {
		l.grow(now)
	}
	switch {
	case l.sorting != nil && !l.sorting.begun:
		work = l.sorting.begin(life, l.family.forests)
	case l.sorting == nil && l.filter != nil && !l.filter.Ended && !l.busy:
		l.busy = true
		work = l.turn()
	}
	if l.order == asTree {
		if line, first := l.family.follow(l.filter); first && l.Selected() == 0 {
			l.Select(line)
		}
	}
	from, to := l.Visible(height)
	which := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		which = append(which, l.number(i))
	}
	clear(l.seen)
	for i, row := range l.all.Rows(which) {
		l.seen[which[i]] = row
	}
	if clear(l.family.ends); l.order == asTree {
		l.family.learn(l.all.Ends(which), which)
	}
	return work
}

// grow takes over the threads known by now: at once in the order by id, otherwise after they
// have been sorted.
func (l *List) grow(now *lazy.ThreadList) {
	if l.order != lazy.ByID {
		l.sorting = &sorting{order: l.order, all: now}
		return
	}
	at, any := int32(0), l.Selected() < l.Count()
	if any {
		at = l.ID(l.Selected())
	}
	l.all = now
	switch {
	case l.filter != nil && l.filter.P.Fault == "":
		l.filterBy(l.filter.P)
	case l.filter == nil && any:
		l.Select(now.Index(at))
	}
	l.relate()
}

// Msg is the result of a List's work: see Take.
type Msg interface{ end(l *List) }

// Take handles the result of work.
func (l *List) Take(m Msg) { m.end(l) }

// View draws the list: height lines of width cells.
func (l *List) View(width, height int, g *screen.Glyphs) []string {
	l.Title, l.After = screen.Plural(int64(l.all.Len()), "thread"), ""
	if l.order != lazy.ByID {
		l.Title += " " + orderNames[l.order]
	}
	if l.filter != nil {
		l.Title = screen.Grouped(int64(len(l.filter.Passed))) + " of " + l.Title
		if above := len(l.family.found.lines) - l.family.found.taken; l.order == asTree && above > 0 {
			l.Title += " and " + screen.Grouped(int64(above)) + " above"
		}
		if !l.filter.Ended {
			l.After = screen.Percent(int64(l.filter.Looked), int64(l.filter.Of(l.all.Len()))) + " searched "
		}
	}
	if s := l.sorting; s != nil {
		l.Title += ", sorting " + orderNames[s.order] + " " + screen.Percent(s.done.Load(), max(1, s.total.Load()))
	}
	return l.List.View(width, height, g)
}

// line returns the i-th line: a thread, and what is known about it.
func (l *List) line(i int) list.Item {
	number := l.number(i)
	t, ok := l.seen[number]
	if !ok {
		return list.Item{} // arrives with the next Settle
	}
	what, ended := nodetext.Calls(t.Population, "", l.g), l.ended(number)
	switch {
	case t.Bytes == 0:
		what = "no calls in this thread"
	case ended == "":
		what += ", " + screen.Size(t.Bytes)
	}
	from := l.width - 38
	if l.timed {
		from -= 2
		if t.Timed {
			what = screen.Duration(t.Time.Duration, l.g) + ", " + what
		}
	}
	if ended != "" {
		what = ended + ", " + what
	}
	if l.order == asTree {
		return l.treeLine(number, t.ThreadInfo, what, from)
	}
	from = max(28, from)
	name := screen.CutMiddle(nodetext.Thread(t.ThreadInfo), from-3, l.g)
	return list.Item{Cells: []list.Cell{{Text: name, Style: screen.Plain, At: 2}, {Text: what, Style: screen.Faint, At: from, Aside: true}}}
}

// nothing explains why the list is empty.
func (l *List) nothing() string {
	switch f := l.filter; {
	case f == nil:
		return "nothing here"
	case !f.Ended:
		return "none yet"
	default:
		return f.P.None("no thread", f.Others)
	}
}

// filterBy filters the threads; a nil pattern shows all.
func (l *List) filterBy(p *pattern.Pattern) {
	before := l.filter
	l.filter, l.busy, l.family.found = nil, false, found{}
	if p != nil {
		l.filter = list.NewScan(p, before)
	}
}
