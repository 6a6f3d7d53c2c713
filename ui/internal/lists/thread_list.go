package lists

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/goroutines"
	"tracex/lazy/query/pattern"
	"tracex/lazy/query/table"
	"tracex/ui/internal/env"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
)

// ThreadList is the list of threads. Its methods run on Bubble Tea's goroutine.
type ThreadList struct {
	prompt.List
	env    *env.Env
	starts *tree.Starts // leads to go statements
	all    *lazy.ThreadList
	timed  bool // the trace has times

	order   lazy.ThreadOrder      // the order shown
	back    bool                  // it is shown the other way round
	sorted  []int                 // their numbers in that order; nil for the order by id, and for the tree
	family  family                // the lines of the tree
	chosen  bool                  // the user has chosen an order
	sorting *sorting              // nil if none is under way
	looking env.Task              // a turn of the filter
	table   *table.Table          // its columns; the rows are those seen
	layout  *table.Layout         // of table
	which   []int                 // the threads on the screen, by number
	rows    []lazy.ThreadRow      // of these
	whole   lazy.Population       // of all
	length  time.Duration         // of the recording
	seen    map[int][]table.Value // the lines on the screen, by number; nil until they are drawn
	ends    *threadEnds
}

// threadEnds is what went wrong in threads, by number, as far as it is known; that needs reading.
type threadEnds struct {
	of   *lazy.ThreadList
	what map[int]table.Value
}

// newThreadList returns the list of threads, with the cursor on the thread with the given id. In a trace
// with goroutines that others started it becomes a tree as soon as that is known.
func newThreadList(e *env.Env, starts *tree.Starts, all *lazy.ThreadList, timed bool, id int32) *ThreadList {
	l := &ThreadList{env: e, starts: starts, all: all, timed: timed, ends: new(threadEnds)}
	l.List = prompt.List{
		Called: "threads", Keys: "s sort   Enter goes there", Choosable: true,
		Len: l.len, Item: l.line, Head: l.head, Long: true, NoLine: "no thread", Wide: l.wide,
	}
	l.table = &table.Table{Columns: threadColumns(timed)}
	l.layout = table.NewLayout(l.table, e.Front.Area.Width, margin, e.Glyphs.Glyphs).Bars(roomy)
	l.showOrder()
	l.Select(all.Index(id))
	l.relate()
	return l
}

// wide returns how many cells the list needs: all if it scrolls, so that it stays as wide.
func (l *ThreadList) wide() int {
	if l.Lines() > l.env.Front.Area.Height {
		return prompt.AllRoom()
	}
	l.format()
	return l.layout.Need()
}

// relate sorts the threads as a tree if they form one and the user has chosen no order.
func (l *ThreadList) relate() {
	f := &l.family
	if f.linked = f.linked || goroutines.Likely(l.all); f.linked && !l.chosen {
		l.Keys = "s sort   " + statementKey + " what started it   Enter goes there"
		l.sorting = &sorting{order: asTree, all: l.all}
	}
}

// len returns how many threads pass the filter, as far as known.
func (l *ThreadList) len() int {
	switch {
	case l.order == asTree:
		return l.family.len()
	case l.Scan != nil:
		return len(l.Scan.Passed)
	}
	return l.all.Len()
}

// number returns the number of the i-th thread shown.
func (l *ThreadList) number(i int) int {
	switch {
	case l.order == asTree:
		return l.family.thread(i)
	case l.Scan != nil:
		return l.Scan.Passed[i]
	case l.sorted != nil:
		return l.sorted[i]
	}
	return i
}

func (l *ThreadList) ID(i int) int32 { return l.all.ID(l.number(i)) }

// HandleKey moves in the list, edits its filter, or sorts it.
func (l *ThreadList) HandleKey(k tea.KeyPressMsg) prompt.ListAction {
	if a, ok := l.handleTree(k.String()); ok {
		return a
	}
	switch name := k.String(); {
	case name == "s" && !l.Typing():
		l.next()
		return prompt.ListAction{}
	case name == "S" && !l.Typing():
		return l.sortBy(l.table.Sorted)
	case name == "esc" && !l.Typing() && l.sorting != nil && l.chosen:
		l.giveUpSorting()
		return prompt.ListAction{}
	}
	return l.List.HandleKey(k)
}

func (l *ThreadList) busy() bool { return l.sorting != nil || l.looking.Running() }

func (l *ThreadList) close() {
	l.giveUpSorting()
	l.looking.Stop()
}

// settle looks up the lines on the screen of height lines, so that View asks the trace for nothing, and
// begins work in the background. now are the threads known by now.
func (l *ThreadList) settle(now *lazy.ThreadList, height int) tea.Cmd {
	cmd := l.work(now)
	if l.order == asTree {
		if line, first := l.family.follow(l.Scan); first && l.Selected() == 0 {
			l.Select(line)
		}
	}
	from, to := l.Visible(height)
	l.which = l.which[:0]
	for i := from; i < to; i++ {
		l.which = append(l.which, l.number(i))
	}
	l.look()
	return cmd
}

// work begins what has to be done, until some of it is not done within the patience of the Update.
func (l *ThreadList) work(now *lazy.ThreadList) (cmd tea.Cmd) {
	for cmd == nil {
		if !l.busy() && !now.Same(l.all) {
			l.sorting = &sorting{order: l.order, back: l.back, all: now}
		}
		switch {
		case l.sorting != nil && !l.sorting.task.Running():
			cmd = l.sort()
		case l.sorting == nil && l.Scan != nil && !l.Scan.Ended && !l.looking.Running():
			cmd = l.sift()
		default:
			return nil
		}
	}
	return cmd
}

// sift looks at some more threads for the filter.
func (l *ThreadList) sift() tea.Cmd {
	all, number := l.all, func(i int) int { return i }
	if l.order == asTree {
		number = l.family.At
	}
	if sorted := l.sorted; sorted != nil {
		number = func(i int) int { return sorted[i] }
	}
	work := l.Scan.Turn(l.all.Len(), number, func(_ context.Context, numbers []int, test func(int, func(*pattern.Pattern) bool)) error {
		var name []byte
		match := func(p *pattern.Pattern) bool { return p.Match(name) }
		all.Names(slices.Values(numbers), func(i int, of []byte) bool {
			name = of
			test(i, match)
			return true
		})
		return nil
	})
	return l.looking.Run(l.env, func(ctx context.Context) func() tea.Cmd { return env.Done(work(ctx)) })
}

func (l *ThreadList) View(width, height int, g *screen.Glyphs) []string {
	l.Title = display.Plural(int64(l.all.Len()), "thread")
	if l.env.Trace.Made() {
		l.Title += " of the diff"
	}
	if l.order != lazy.ByID {
		l.Title += " " + orderNames[l.order]
	}
	if above := len(l.family.lines) - l.family.taken; l.order == asTree && l.family.of != nil && above > 0 {
		l.Title += " and " + display.Grouped(int64(above)) + " above"
	}
	if s := l.sorting; s != nil {
		l.Title += ", sorting " + orderNames[s.order] + " " + display.Percent(s.progress.Told())
	}
	l.format()
	l.fit(width)
	return l.List.View(width, height, g)
}

// Threads shows the list of threads, and runs its work while it is shown.
type Threads struct {
	env    *env.Env
	tree   *tree.Tree
	starts *tree.Starts
	list   *ThreadList // nil if none is shown
	ends   threadEnds
}

func NewThreads(e *env.Env, t *tree.Tree, starts *tree.Starts) *Threads {
	return &Threads{env: e, tree: t, starts: starts}
}

// Show shows the threads to choose from, with the cursor on that of the tree's.
func (p *Threads) Show() tea.Cmd {
	p.close()
	id, _ := p.tree.Out.Thread()
	l := newThreadList(p.env, p.starts, p.env.Trace.Reader.ThreadList(), p.env.Trace.Size.Timed, id)
	p.list, l.ends = l, &p.ends
	p.env.Front.Show(l, func(i int) tea.Cmd {
		p.tree.ToThread(l.ID(i))
		return nil
	})
	return nil
}

func (p *Threads) close() {
	if p.list != nil {
		p.list.close()
		p.list = nil
	}
}

// Settle brings the list up to date, as many lines as height, if it is in front, and ends its work once it is closed.
func (p *Threads) Settle(height int) tea.Cmd {
	switch {
	case p.list == nil:
	case p.env.Front.List() == env.List(p.list):
		return p.list.settle(p.env.Trace.Reader.ThreadList(), height)
	case !p.env.Front.Kept(p.list):
		p.close()
	}
	return nil
}

func (p *Threads) Busy() bool { return p.list != nil && p.list.busy() }

// statementKey goes to the go statement of the cursor's thread.
const statementKey = "O"

// handleTree handles the keys of a list whose threads are goroutines; ok is false for any other key.
func (l *ThreadList) handleTree(name string) (a prompt.ListAction, ok bool) {
	if l.Typing() || l.Selected() >= l.len() {
		return a, false
	}
	if name == statementKey && l.family.linked {
		thread := l.ID(l.Selected())
		return prompt.ListAction{Kind: prompt.Asked, Leave: true, Do: func() tea.Cmd { return l.starts.ToStatement(thread) }}, true
	}
	if l.order != asTree || l.Scan != nil {
		return a, false
	}
	f, line := &l.family, l.Selected()
	thread := f.thread(line)
	switch name {
	case "right", "l":
		switch {
		case f.isFolded(thread):
			f.fold(thread, false)
		case f.Below(thread) > 0:
			l.Select(line + 1)
		default:
			return a, false // goes there
		}
	case "left", "h":
		parent, has := f.Parent(thread)
		switch {
		case f.Below(thread) > 0 && !f.isFolded(thread):
			f.fold(thread, true)
		case has:
			l.Select(f.line(parent))
		default:
			return a, false // closes the list
		}
	default:
		return a, false
	}
	return a, true
}
