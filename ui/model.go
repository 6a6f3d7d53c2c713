package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/goroutines"
	"tracex/ui/internal/answer"
	"tracex/ui/internal/background"
	"tracex/ui/internal/clipboard"
	"tracex/ui/internal/code"
	"tracex/ui/internal/counting"
	"tracex/ui/internal/env"
	"tracex/ui/internal/flame"
	"tracex/ui/internal/follow"
	"tracex/ui/internal/front"
	"tracex/ui/internal/here"
	"tracex/ui/internal/job"
	"tracex/ui/internal/layout"
	"tracex/ui/internal/loading"
	"tracex/ui/internal/marks"
	"tracex/ui/internal/rows"
	"tracex/ui/internal/saving"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/sheet"
	"tracex/ui/internal/sift"
	"tracex/ui/internal/status"
	"tracex/ui/internal/terminal"
	"tracex/ui/internal/threads"
	"tracex/ui/internal/tour"
	"tracex/ui/internal/tracestate"
	"tracex/ui/internal/tree"
)

// Model is the explorer. It is the only [tea.Model] here: it routes keys and messages to its
// parts, and draws them. Its methods run on Bubble Tea's goroutine. Besides routing, they are the
// keys that concern the whole explorer, and facts about all parts. It has more than 15 fields, as
// each part is one. Parts have pointers to the parts that they use, and none to the Model.
type Model struct {
	env      *env.Env
	keyboard keyboard

	trace    tracestate.State
	tree     *tree.Part
	jobs     *job.Part
	follow   following
	search   *searching
	filter   *filtering
	results  *results
	counting counting.Part
	details  pane
	front    front.Front
	threads  threadList
	tables   tables
	points   logPoints
	clip     *copying
	marks    *marking
	tour     touring
	arrival  arrival
	commands commandLine
	steps    *stepping
	flames   *flaming
	compare  *comparing
	exports  *exporting
	starts   *starting

	frame frame // what the screen shows, as of the end of the last Update
}

// New returns the explorer for a trace. The caller keeps r and closes it.
func New(r *lazy.LazyTraceReader, o Options) *Model {
	g := screen.Unicode
	if o.ASCII {
		g = screen.ASCII
	}
	keys := bound(bindings(), o.Keys)
	g.Keys, g.Theme = keyNames(keys, &g), screen.Theme(o.Colors)
	e := env.New(&g)
	e.NoMouse = o.NoMouse
	t := tree.New(r, e, !o.raw())
	m := &Model{
		env: e, keyboard: keyboard{keys: keys, standard: standard(keys, o.Keys)},
		trace:    tracestate.New(r, o.Name, o.Path),
		tree:     t,
		jobs:     job.New(r, e, t),
		counting: counting.New(r, e),
		front:    front.New(e),
	}
	m.connect(r, &o)
	m.tree.Columns, m.tree.Sticky = rows.Choice{Columns: o.Columns, Raw: o.RawUnits}, !o.NoSticky
	m.keyboard.touched = o.Follow // the user did not ask for the beginning
	if o.Details {
		m.details.Toggle()
	}
	if o.Remark != "" {
		m.env.Warn(o.Remark)
	}
	if o.Tour {
		m.tour.Tour = new(tour.Tour)
	}
	m.begin(&o)
	return m
}

// connect makes the parts that use others.
func (m *Model) connect(r *lazy.LazyTraceReader, o *Options) {
	e, k, s, t, j, f := m.env, &m.keyboard, &m.trace, m.tree, m.jobs, &m.front
	m.follow = following{Follow: follow.New(o.Follow && o.At == nil, t.Out.Cursor), env: e, trace: s, tree: t, jobs: j}
	m.search = &searching{
		Part: search.New(e.Life, r, func() time.Time { return e.Clock.Now() }),
		env:  e, trace: s, tree: t, jobs: j, front: f,
	}
	m.results = &results{env: e, trace: s, tree: t, jobs: j, search: m.search, tables: &m.tables}
	m.filter = &filtering{
		Part: sift.New(e.Life, r, func() time.Time { return e.Clock.Now() }),
		env:  e, trace: s, tree: t, jobs: j, front: f, results: m.results,
	}
	m.results.filter = func() *result { return m.filter.result }
	m.search.began, m.search.await = func() { m.results.use(nil) }, m.results.await
	m.search.shown = &shownHits{searching: m.search, filter: m.filter}
	m.results.hits = func() *result { return m.search.shown.hits }
	m.marks = &marking{Part: marks.New(r, e, o.Notes), env: e, keyboard: k, tree: t, jobs: j, front: f, results: m.results}
	m.starts = &starting{env: e, trace: s, tree: t, jobs: j, forests: new(goroutines.Cache)}
	m.details = pane{env: e, trace: s, tree: t, code: code.New(r, e, o.Source), here: here.New(r, e), search: m.search, marks: m.marks, starts: m.starts}
	m.threads = threadList{Part: threads.NewPart(r, e, m.starts.forests), tree: t, front: f}
	m.threads.Statement = m.starts.toStatement
	m.clip = &copying{Copier: clipboard.NewCopier(e, clipboard.Own()), env: e, trace: s, tree: t}
	m.tour = touring{env: e, keyboard: k, tree: t, jobs: j, front: f}
	m.steps = &stepping{env: e, keyboard: k, trace: s, tree: t, jobs: j, front: f}
	m.search.shown.steps = m.steps
	m.steps.filter, m.steps.unfilter = m.filter.expr, m.filter.clear
	j.Make, m.filter.steps = m.steps.maker, m.steps.now
	m.arrival = arrival{env: e, keyboard: k, trace: s, tree: t, jobs: j, filter: m.filter, steps: m.steps}
	m.tables = tables{
		Part: sheet.NewPart(e), env: e, front: f, clip: m.clip,
		ask: func(text string) tea.Cmd { return m.commands.open(text) },
	}
	m.flames = &flaming{
		Part: flame.New(r, e), env: e, trace: s, tree: t, jobs: j, front: f, steps: m.steps, results: m.results, filter: m.filter, search: m.search, marks: m.marks,
		top: func() tea.Cmd { return m.commands.answer("top") },
	}
	ask := &asking{
		env: e, keyboard: k, trace: s, tree: t, jobs: j, search: m.search, results: m.results, tables: &m.tables, steps: m.steps, points: &m.points,
	}
	m.compare = &comparing{asking: ask}
	m.exports = &exporting{Part: saving.New(e), env: e, trace: s, tree: t, front: f, steps: m.steps, marks: m.marks, program: o.Program,
		filtered: func() bool { return m.filter.Cur() != nil },
	}
	m.commands = commandLine{
		env: e, keyboard: k, front: f, jobs: j, search: m.search, filter: m.filter, perform: m.perform,
		answers: append(answers(ask), m.compare, m.flames, m.exports),
	}
}

// Init starts watching the reader, and asks for the background of the terminal.
func (m *Model) Init() tea.Cmd {
	return background.Watched(tea.Batch(m.watch(), m.env.AskBackground()))
}

func (m *Model) watch() tea.Cmd { return m.trace.Watch(m.env.Life.Done()) }

// Update passes a message to the part that it is for, and brings the screen up to date.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.env.Start()
	m.trace.Look()
	cmds := []tea.Cmd{m.route(msg)}
	m.trace.Look() // an action may have changed it
	if layout.Usable(m.env.Width, m.env.Height) {
		cmds = append(cmds, m.settle())
	}
	m.frame = m.newFrame()
	return m, background.Watched(tea.Batch(cmds...))
}

// route passes a message to the part that it is for.
func (m *Model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case loading.Msg:
		return m.tree.Update(msg)
	case job.Msg:
		return m.jobs.Update(msg)
	case search.Msg:
		return m.search.found(m.search.Update(msg, m.search.facts()))
	case sift.Msg:
		cmd, err := m.filter.Update(msg)
		if err != nil {
			m.env.Fail("the search for matches ended early", err)
		}
		return cmd
	case counting.Msg:
		m.counting.Update(msg)
	case status.Msg:
		m.env.Status.Update(msg)
	case threads.Msg:
		m.threads.Update(msg)
	case flame.Msg:
		m.flames.Update(msg)
	case startsKnown:
		m.starts.busy = false
	case hitsShownMsg:
		m.search.shown.update(msg)
	case placedMsg:
		return m.flames.placed(msg)
	case sheet.Msg:
		m.tables.Update(msg)
	case saving.Msg:
		m.exports.Update(msg)
		m.tables.Retry()
	case answer.Msg:
		if msg.Err != nil {
			m.env.Fail("the answer is not complete", msg.Err)
		}
		return msg.Next
	case code.Msg:
		return m.details.code.Update(msg)
	case here.Msg:
		m.details.here.Update(msg)
	case marks.Msg:
		return m.marks.Update(msg)
	case clipboard.Copied:
		return m.clip.Update(msg)
	case follow.Ticked:
		m.follow.Ticked()
	case tracestate.Changed:
		return m.watch()
	case background.Panic:
		msg.Again()
	case terminal.Retaken:
		if msg.Err != nil {
			m.env.Fail("cannot use the terminal", msg.Err)
		}
		return tea.ClearScreen
	case tea.WindowSizeMsg:
		m.env.Width, m.env.Height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.env.Background(msg)
	case tea.PasteMsg:
		return m.front.Paste(msg)
	}
	return m.routeInput(msg)
}

// settle determines the rows on the screen and requests what is missing there.
func (m *Model) settle() tea.Cmd {
	steps := m.steps.settle()
	other := tea.Batch(steps, m.adopt())
	m.follow.Moved(m.tree.Out.Cursor)
	another := tea.Batch(other, m.refresh())
	l := m.layout()
	if l.Tree > m.tree.Out.Height { // a larger window is filled
		m.tree.Out.Packed = true
	}
	m.tree.Out.Height, m.tree.Out.Width, m.tree.Out.Sticky = l.Tree, l.TreeWidth, l.Sticky
	cmds := []tea.Cmd{another, m.arrival.arrive()}
	if !m.keyboard.touched && !m.arrival.looking {
		cmds = append(cmds, m.tree.Begin())
	}
	if to := m.follow.Next(m.tree.Out.Tree, m.follow.facts()); to != nil {
		cmds = append(cmds, m.tree.Aim(to))
		m.follow.Put(m.tree.Out.Cursor)
	}
	cmds = append(cmds, m.filter.settle(), m.search.shown.settle(), m.results.settle(), m.tree.Settle())
	if at, ok := m.tree.Out.Here(); ok {
		m.search.At(at)
	}
	idle := m.trace.Known.Phase == lazy.PhaseReady && !m.jobs.Running() && !m.tree.Busy() && !m.search.Running() && !m.filter.Cur().Running() && !m.details.code.Busy()
	cmds = append(cmds, m.counting.Settle(m.countingFacts(), m.trace.Generation, idle), m.tree.Prefetch())
	cmds = append(cmds, m.details.settle())
	cmds = append(cmds, m.settleList(l), m.exports.Settle())
	if p := m.tree.Out.Cursor; p.Node != nil {
		m.tree.Out.Tree.Keep(p)
	}
	m.follow.Put(m.tree.Out.Cursor)
	return tea.Batch(append(cmds,
		m.env.Status.Settle(m.busy(), m.env.Clock.After),
		m.follow.Tick(m.trace.Known.Growth, m.env.Clock.After))...)
}

// adopt notices that another tree is shown: hits and counts belong to the one before.
func (m *Model) adopt() tea.Cmd {
	if !m.tree.Replaced() {
		return nil
	}
	m.counting.Children.Reset()
	m.follow.Rebase(m.tree.Out.Cursor)
	from, _ := m.tree.Out.Here()
	return tea.Batch(m.filter.adopt(), m.search.found(m.search.Again(from, m.search.facts())))
}

// refresh brings the tree up to date with what the reader knows.
func (m *Model) refresh() (cmd tea.Cmd) {
	c := m.follow.Turn(m.trace.Known)
	if c.Again {
		cmd = m.marks.Reopen()
		m.jobs.Stop()
		m.tree.StartOver()
		m.details.here.Forget()
		cmd = tea.Batch(cmd, m.adopt())
		m.front.CloseLists()
		m.follow.Restart(m.tree.Out.Cursor)
	}
	switch {
	case c.Alarm:
		m.env.Warn(c.Message)
	case c.Message != "":
		m.env.Say(c.Message)
	}
	if m.trace.Refresh() {
		m.tree.Out.Tree.Refresh()
	}
	if o := m.tree.Out; o.Cursor == (lazy.Row{}) {
		o.Cursor, _ = o.Tree.First()
	}
	return cmd
}

// settleList brings the list that is open up to date, and ends the work of one that is closed.
func (m *Model) settleList(l layout.Layout) tea.Cmd {
	hits, _ := m.front.List().(*search.HitList)
	work, cmd := m.search.Settle(hits, l.List, m.search.facts())
	cmds := []tea.Cmd{cmd}
	if work != nil {
		msg, cmd := m.env.Soon(work)
		if msg != nil {
			cmd = m.route(msg)
		}
		cmds = append(cmds, cmd)
	}
	if m.exports.Running() {
		m.tables.Retry()
	}
	sheetOpen := func(s *sheet.Sheet) bool { return m.front.Open(s) }
	return tea.Batch(append(cmds, m.threads.settle(l.List), m.marks.Settle(m.marks.shown(), l.List), m.tables.Settle(sheetOpen, l.List), m.flames.settle(l.List))...)
}

// View draws the screen.
func (m *Model) View() tea.View {
	v := tea.NewView(m.frame.draw(&m.front))
	v.AltScreen = true
	if !m.env.NoMouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if p := m.front.Prompt(); p != nil && layout.Usable(m.env.Width, m.env.Height) {
		v.Cursor = tea.NewCursor(p.Column(m.env.Width, m.env.Glyphs), m.env.Height-1)
	}
	return v
}
