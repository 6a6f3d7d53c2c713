package ui

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"tracex/lazy"
	"tracex/ui/internal/details"
	"tracex/ui/internal/env"
	"tracex/ui/internal/flame"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/lists"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/tables"
	"tracex/ui/internal/tree"
)

// Model is the explorer: it routes keys and messages to its parts, and draws them. Besides routing, its methods are the
// keys that concern the whole explorer, and facts about all parts. They run on Bubble Tea's goroutine. It has more than
// 15 fields, as each part is one. To the parts it is no more than a [tables.CommandLine].
type Model struct {
	env      *env.Env
	tree     *tree.Tree
	follow   *tree.Following
	search   *search.Search
	filter   *search.Filter
	results  *search.Results
	changes  *search.Differences
	counting *tree.Counting
	details  *details.Pane
	source   *details.CodePane
	panes    panes
	threads  *lists.Threads
	tables   *tables.Tables
	clip     *tree.Copying
	marks    *lists.Marks
	overview *lists.Overview
	tour     *lists.Tour
	arrival  arrival
	answers  *tables.Answers
	steps    *tree.Steps
	flames   *flame.Flame
	exports  *tables.Exports
	starts   *tree.Starts
	themes   *themes
	chips    chips
	compare  comparing

	tabs   *Tabs           // all that are open, with this one; nil in tests of one
	atList ends            // what was on when the last list was closed
	frame  frame           // what the screen shows, as of the end of the last Update
	behind screen.Backdrop // what floats
}

// New returns the explorer for a trace. The caller keeps r and closes it.
func New(r *lazy.LazyTraceReader, o Options) *Model {
	g := screen.Unicode
	if o.ASCII {
		g = screen.ASCII
	}
	bound := keys.New(o.Keys, &g)
	g.Keys = bound.Firsts
	e := env.New(&g)
	e.NoMouse, e.Keyboard.Keys, e.Trace = o.NoMouse, bound, env.NewTrace(r, o.Name, o.Path)
	if o.Diff != nil {
		e.Trace.Diff = &env.Diff{Sides: o.Diff.Sides, Made: true}
	}
	m := &Model{env: e, tree: tree.New(e, !o.raw()), themes: newThemes(e, &o)}
	m.compare = comparing{m: m, given: o}
	if o.Diff != nil {
		m.compare.pairs = tree.NewPairs(e, m.tree, o.Diff.Pairs, o.Diff.Timed)
	}
	m.connect(&o)
	m.tree.Sticky = !o.NoSticky
	m.tree.Columns.Begin(tree.Choice{Columns: o.Columns, Raw: o.RawUnits})
	e.Keyboard.Touched = o.Follow // the user did not ask for the beginning
	if o.Details {
		m.panes.toggle(screen.DetailsPane)
	}
	if o.Remark != "" {
		e.Warn(o.Remark)
	}
	m.compare.readIgnored()
	m.begin(&o)
	return m
}

// connect makes the parts that use others.
func (m *Model) connect(o *Options) {
	e, t := m.env, m.tree
	m.follow, m.counting, m.steps = tree.NewFollowing(e, t, o.Follow && o.At == nil), tree.NewCounting(e, t), t.Steps
	m.search, m.filter, m.results = search.New(e, t)
	m.changes = search.NewDifferences(e, t, m.results)
	m.marks = lists.NewMarks(e, t, m.results, o.Notes)
	m.starts = tree.NewStarts(e, t)
	m.overview = lists.NewOverview(e, t)
	if o.Diff != nil {
		m.overview.Given = m.compare.facts
	}
	m.clip = tree.NewCopying(e, t)
	m.details = details.New(e, t, m.search, m.marks, m.starts, m.overview, m.clip, o.Source)
	m.source = details.NewCodePane(e, t, m.details.Source)
	m.panes = panes{env: e, layout: &m.frame.layout, all: [screen.PaneCount]pane{screen.SourcePane: {&m.source.Lines, m.source}, screen.DetailsPane: {&m.details.Lines, m.details}}}
	m.threads = lists.NewThreads(e, t, m.starts)
	m.tour = lists.NewTour(e, t, o.Tour)
	m.arrival = arrival{env: e, tree: t, details: m.details, filter: m.filter}
	m.tables = tables.NewTables(e, m.clip, m)
	m.answers = tables.NewAnswers(e, t, m.search, m.results, m.changes, m.filter, m.steps, m.tables)
	m.answers.Compared = m.compare.comparison()
	m.flames = flame.New(e, t, m.results, m.filter, m.search, m.marks, m.answers)
	m.chips = chips{e, m.filter, m.changes, m.steps, m.tables}
	m.exports = tables.NewExports(e, t, m.steps, m.filter, m.marks, m.tables, o.Program)
}

// Init starts watching the reader, and asks for the background of the terminal.
func (m *Model) Init() tea.Cmd {
	return env.Watched(tea.Batch(m.env.Trace.Watch(m.env.Life.Done()), m.env.AskBackground()))
}

// Update passes a message to the part that it is for, and brings the screen up to date.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.env.Start()
	m.env.Trace.Look()
	m.env.Front.Still = false
	pens := m.env.Glyphs.Pens
	cmds := []tea.Cmd{m.route(msg)}
	m.env.Trace.Look() // an action may have changed it

	_, leads := m.env.Front.List().(*search.HitList) // shows the path of its hit
	still := m.env.Front.Still && m.frame.layout.Floats && !leads
	if still {
		cmds = append(cmds, m.settleList(m.layout()))
	} else if screen.Usable(m.env.Width, m.env.Height) {
		cmds = append(cmds, m.settle())
	}
	if still && pens == m.env.Glyphs.Pens {
		m.frame = listFrame(m)
	} else {
		m.frame = m.newFrame()
	}
	return m, env.Watched(tea.Batch(cmds...))
}

func (m *Model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case env.Ran:
		return msg.Then()
	case tree.LoadMsg:
		return m.tree.Update(msg)
	case env.PrefixWaited:
		msg.Show()
	case env.StatusMsg:
		m.env.Status.Update(msg)
	case env.Copied:
		return m.clip.Update(msg)
	case tree.FollowTicked:
		m.follow.Ticked()
	case env.TraceChanged:
		return m.env.Trace.Watch(m.env.Life.Done())
	case env.Panic:
		msg.Again()
	case env.Failed:
		m.env.Fail(msg.What, msg.Err)
	case env.Returned:
		m.env.Fail(msg.What, msg.Err)
		return tea.Batch(tea.ClearScreen, m.env.AskBackground())
	case tea.WindowSizeMsg:
		m.arrival.welcome(msg.Width, m.tour.On())
		m.env.Width, m.env.Height = msg.Width, msg.Height
	case tea.FocusMsg, tea.BlurMsg:
		m.env.Status.Away = msg == tea.Msg(tea.BlurMsg{})
	case uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent:
		return m.env.AskBackground()
	case tea.BackgroundColorMsg:
		m.env.Background(msg)
	case tea.PasteMsg:
		return m.env.Front.Paste(msg)
	}
	return m.routeInput(msg)
}

// settle determines the rows on the screen and requests what is missing there.
func (m *Model) settle() tea.Cmd {
	// Which tree is shown, with what is known of the trace by now.
	cmds := []tea.Cmd{m.steps.Settle(), m.adopt()}
	m.follow.Moved()
	cmds = append(cmds, m.refresh())
	if m.env.Front.Chosen {
		m.env.Front.Chosen = false
		m.panes.uncover()
	}
	// Where the cursor goes: to the place to begin at, to the newest row. That needs the size of the tree.
	l := m.layout()
	m.tree.Out.Height, m.tree.Out.Width, m.tree.Out.Sticky = l.Tree, l.TreeWidth, l.Sticky
	cmds = append(cmds, m.arrival.arrive())
	if !m.env.Keyboard.Touched && !m.arrival.looking() {
		cmds = append(cmds, m.tree.Begin())
	}
	if to := m.follow.Next(); to != nil {
		cmds = append(cmds, m.tree.Aim(to))
	}
	// What is missing on the screen: matches first, as they tell which rows there are.
	cmds = append(cmds, m.filter.Settle(), m.search.Settle(), m.changes.Settle(), m.results.Settle(), m.tree.Settle())
	m.search.At()
	if len(m.frame.rows) == 0 { // the first screen does not wait for numbers
		m.env.Hurry()
	}
	// What waits until nothing else runs: numbers, and what is beside the tree and in front of it.
	idle := m.env.Trace.Known.Phase == lazy.PhaseReady && !m.tree.Jobs.Running() && !m.tree.Busy() && !m.search.Running() && !m.filter.Cur.Running() && !m.changes.Running() && !m.details.Source.Busy()
	cmds = append(cmds, m.compare.pairs.Settle(), m.counting.Settle(idle), m.tree.Prefetch())
	cmds = append(cmds, m.details.Settle(), m.source.Settle(), m.overview.Settle(idle && !m.counting.Busy()))
	cmds = append(cmds, m.settleList(l))
	if p := m.tree.Out.Cursor; p.Node != nil {
		m.tree.Out.Tree.Keep(p)
	}
	m.follow.Put() // from here on it is the user who moves the cursor
	return tea.Batch(append(cmds, m.follow.Tick())...)
}

// adopt notices that another tree is shown: hits and counts belong to the one before.
func (m *Model) adopt() tea.Cmd {
	if !m.tree.Replaced() {
		return nil
	}
	m.follow.Rebase()
	return tea.Batch(m.filter.Adopt(), m.search.Again(), m.changes.Adopt())
}

// refresh brings the tree up to date with what the reader knows.
func (m *Model) refresh() (cmd tea.Cmd) {
	if m.follow.Again() {
		cmd = m.marks.Reopen()
		m.tree.Jobs.Stop()
		m.tree.StartOver()
		m.details.Forget()
		cmd = tea.Batch(cmd, m.adopt())
		m.env.Front.CloseLists()
		m.follow.Restart()
	}
	m.follow.Turn()
	if m.env.Trace.Refresh() {
		m.tree.Out.Tree.Refresh()
	}
	if o := m.tree.Out; o.Cursor == (lazy.Row{}) {
		o.Cursor, _ = o.Tree.First()
	}
	return cmd
}

// settleList brings the list that is open up to date, and ends the work of one that is closed.
func (m *Model) settleList(l screen.Layout) tea.Cmd {
	m.env.Front.Area = l.List
	m.themes.settle()
	if now := endsOf(m); now.list || m.atList.list {
		m.atList = now
	}
	if m.exports.Running() {
		m.tables.Retry()
	}
	return tea.Batch(m.search.SettleList(l.List.Height), m.threads.Settle(l.List.Height), m.marks.Settle(l.List.Height), m.tables.Settle(l.List.Height), m.flames.Settle(l.List.Height),
		m.env.Status.Settle(m.busy(), m.env.Clock.After))
}

func (m *Model) View() tea.View {
	v := tea.NewView(m.frame.draw(&m.env.Front, &m.behind))
	v.AltScreen, v.ReportFocus, v.WindowTitle, v.ProgressBar = true, true, m.frame.window, m.frame.progress
	if !m.env.NoMouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if p := m.env.Front.Prompt(); p != nil && screen.Usable(m.env.Width, m.env.Height) {
		v.Cursor = tea.NewCursor(p.Column(m.env.Width, m.env.Glyphs), m.env.Height-1)
		if box := m.frame.layout.Box; box.Width > 0 {
			v.Cursor = tea.NewCursor(box.X+p.Column(box.Width, m.env.Glyphs), box.Y+1)
		}
	}
	return v
}
