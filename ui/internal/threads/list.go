package threads

import (
	"context"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
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
	sorted  []int            // their numbers in that order; nil for the order by id
	sorting *sorting         // nil if none is under way
	filter  *list.Scan       // nil if none
	busy    bool             // a turn of the filter is under way
	seen    map[int]lazy.ThreadRow
}

// New returns the list of threads, with the cursor on the thread with the given id.
func New(all *lazy.ThreadList, timed bool, g *screen.Glyphs, id int32) *List {
	l := &List{all: all, timed: timed, g: g, seen: map[int]lazy.ThreadRow{}}
	l.List = list.List{
		Keys: "Enter goes there", Also: "s sort", Choosable: true,
		Len: l.len, Item: l.line, Filter: l.filterBy, None: l.nothing,
	}
	l.Select(all.Index(id))
	return l
}

// len returns how many threads pass the filter, as far as known.
func (l *List) len() int {
	if l.filter != nil {
		return len(l.filter.Passed)
	}
	return l.all.Len()
}

// number returns the number of the i-th thread shown.
func (l *List) number(i int) int {
	if l.filter != nil {
		return l.filter.Passed[i]
	}
	return l.inOrder(i)
}

// inOrder returns the number of the i-th thread in the order of the list.
func (l *List) inOrder(i int) int {
	if l.sorted != nil {
		return l.sorted[i]
	}
	return i
}

// ID returns the id of the i-th thread shown.
func (l *List) ID(i int) int32 { return l.all.ID(l.number(i)) }

// HandleKey moves in the list, edits its filter, or sorts it.
func (l *List) HandleKey(k tea.KeyPressMsg) list.Action {
	switch name := k.String(); {
	case name == "s" && !l.Typing():
		l.next()
		return list.Action{}
	case name == "esc" && !l.Typing() && l.sorting != nil:
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
		work = l.sorting.begin(life)
	case l.sorting == nil && l.filter != nil && !l.filter.Ended && !l.busy:
		l.busy = true
		work = l.turn()
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
}

// Msg is the result of a List's work: see Take.
type Msg interface{ end(l *List) }

// Take handles the result of work.
func (l *List) Take(m Msg) { m.end(l) }

// View draws the list: height lines of width cells.
func (l *List) View(width, height int, g *screen.Glyphs) []string {
	l.Title, l.After = screen.Plural(int64(l.all.Len()), "thread"), ""
	if l.order != lazy.ByID {
		l.Title += " by " + orderNames[l.order]
	}
	if l.filter != nil {
		l.Title = screen.Grouped(int64(len(l.filter.Passed))) + " of " + l.Title
		if !l.filter.Ended {
			l.After = screen.Percent(int64(l.filter.Looked), int64(l.filter.Of(l.all.Len()))) + " searched "
		}
	}
	if s := l.sorting; s != nil {
		l.Title += ", sorting by " + orderNames[s.order] + " " + screen.Percent(s.done.Load(), max(1, s.total.Load()))
	}
	return l.List.View(width, height, g)
}

// line returns the i-th line: a thread, and what is known about it.
func (l *List) line(i int) list.Item {
	t, ok := l.seen[l.number(i)]
	if !ok {
		return list.Item{} // arrives with the next Settle
	}
	what := nodetext.Calls(t.Population, "", l.g) + ", " + screen.Size(t.Bytes)
	if t.Bytes == 0 {
		what = "no calls in this thread"
	}
	from := l.width - 38
	if l.timed {
		from -= 2
		if t.Timed {
			what = screen.Duration(t.Time.Duration, l.g) + ", " + what
		}
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
	l.filter, l.busy = nil, false
	if p != nil {
		l.filter = list.NewScan(p, before)
	}
}

// orderNames are the names of the orders.
var orderNames = map[lazy.ThreadOrder]string{
	lazy.ByID: "number", lazy.ByName: "name", lazy.ByDuration: "duration", lazy.ByCalls: "calls",
}

// next sorts the threads by the next order.
func (l *List) next() {
	o := l.order
	if l.sorting != nil {
		o = l.sorting.order
	}
	l.giveUpSorting()
	if o = (o + 1) % lazy.ThreadOrder(len(orderNames)); o == lazy.ByDuration && !l.timed {
		o++
	}
	l.sorting = &sorting{order: o, all: l.all}
}

func (l *List) giveUpSorting() {
	if l.sorting != nil && l.sorting.cancel != nil {
		l.sorting.cancel()
	}
	l.sorting = nil
}

// sorting is a sort under way.
type sorting struct {
	order       lazy.ThreadOrder
	all         *lazy.ThreadList // the threads to sort
	begun       bool
	cancel      context.CancelFunc
	done, total atomic.Int64
}

func (s *sorting) begin(life context.Context) func() tea.Msg {
	ctx, cancel := context.WithCancel(life)
	s.begun, s.cancel = true, cancel
	return func() tea.Msg {
		numbers, err := s.all.Sort(ctx, s.order, func(done, total int64) {
			s.done.Store(done)
			s.total.Store(total)
		})
		return sortEnd{s, numbers, err}
	}
}

// sortEnd is the result of a sort.
type sortEnd struct {
	s       *sorting
	numbers []int
	err     error
}

func (e sortEnd) end(l *List) {
	if l.sorting != e.s {
		return // it was given up
	}
	l.giveUpSorting()
	if e.err != nil {
		return // the trace is closed
	}
	again := l.order == e.s.order
	l.all, l.order, l.sorted = e.s.all, e.s.order, e.numbers
	if l.filter != nil {
		l.filterBy(l.filter.P)
	}
	if !again {
		l.Select(0)
	}
}
