package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/background"
	"tracex/ui/internal/clipboard"
	"tracex/ui/internal/counting"
	"tracex/ui/internal/details"
	"tracex/ui/internal/history"
	"tracex/ui/internal/job"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/status"
	"tracex/ui/internal/terminal"
	"tracex/ui/internal/threads"
	"tracex/ui/internal/tour"
)

// patience is how long a key may wait for loading before the screen is drawn without the data.
// Pages in the system's cache arrive in time, so nothing flickers.
const patience = 8 * time.Millisecond

// The smallest usable window, in cells.
const (
	minWidth  = 40
	minHeight = 10
)

// Model is the explorer. It is the only [tea.Model] here. Its methods run on Bubble Tea's goroutine.
type Model struct {
	surroundings
	trace
	front
	input
	outside

	out      *outline.Outline
	loads    *loads
	begun    *lazy.Node // the thread expanded at the start; nil if none yet
	follow   following
	history  history.History
	jobs     job.Job
	counting counts
	search   *search.Part
	details  details.Pane
	status   status.Line
	tour     *tour.Tour // nil if none
}

// surroundings are the explorer's environment.
type surroundings struct {
	o             Options
	g             *screen.Glyphs
	clock         clock
	life          context.Context // ends with the Model
	close         context.CancelFunc
	width, height int       // of the window, in cells
	deadline      time.Time // when the patience of the current Update ends
}

// trace is the explorer's knowledge about the trace.
type trace struct {
	r          *lazy.TraceReader
	known      lazy.Status // status of the reader, for a whole Update and for what is drawn afterwards
	generation int         // of the reader at the last refresh
	recorded   int64       // bytes of all threads at the last refresh
	facts      facts       // what the screen shows, as of the end of the last Update
	watching   bool        // a command waits for the reader to change
}

// settled reports whether the reader knows the whole trace.
func (t *trace) settled() bool {
	return t.known.Phase == lazy.PhaseReady || t.known.Phase == lazy.PhaseFailed
}

// reading reports whether the reader is still reading the data written so far.
func (t *trace) reading() bool { return !t.settled() && t.known.Phase != lazy.PhaseFollowing }

// front is what is open in front of the tree.
type front struct {
	prompt  *asking // nil if none is open
	typed   prompt.Memory
	overlay *opened       // nil if none is open
	listed  *threads.List // the list of threads, if it was the last overlay; otherwise nil
}

// hitList returns the list of hits if it is shown, otherwise nil.
func (f *front) hitList() *search.HitList {
	if f.overlay == nil {
		return nil
	}
	h, _ := f.overlay.overlay.(*search.HitList)
	return h
}

// input tells what keys and clicks mean, and keeps earlier ones that matter.
type input struct {
	keys    []binding
	count   counter
	click   click
	touched bool // a person has pressed a key
	ahead   bool // a key has moved the cursor: load what is next to the screen too
}

// outside is everything outside the screen.
type outside struct {
	clip   clipboard.Clipboard
	job    *terminal.Control // nil if the terminal does not belong to a shell
	source sources
}

// counts are the numbers computed in the background.
type counts struct {
	children counting.Children // of the nodes on the screen
	calls    counting.Calls    // of the trace
}

// New returns the explorer for a trace. The caller keeps r and closes it.
func New(r *lazy.TraceReader, o Options) *Model {
	m := &Model{
		surroundings: surroundings{o: o, g: &screen.Unicode, clock: systemClock()},
		trace:        trace{r: r, watching: true, known: r.Status()},
		input:        input{keys: bindings()},
		outside:      outside{clip: clipboard.Own()},
	}
	if o.ASCII {
		m.g = &screen.ASCII
	}
	m.life, m.close = context.WithCancel(context.Background())
	m.search = search.New(m.life, r, func() time.Time { return m.clock.now() })
	m.out = outline.New(r.Tree(!o.Raw))
	m.loads = newLoads(m.life)
	m.follow.on = o.Follow
	m.follow.rebase(m.out.Cursor)
	m.touched = o.Follow // the user did not ask for the beginning
	if o.Tour {
		m.tour = new(tour.Tour)
	}
	return m
}

// Init starts watching the reader.
func (m *Model) Init() tea.Cmd { return m.watch() }

// effect is the result of a command: a message that knows what to do.
type effect interface {
	apply(m *Model) tea.Cmd
}

// Update passes a message to the part that it is for, and brings the screen up to date.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.deadline = time.Now().Add(patience)
	m.known = m.r.Status()
	cmd := m.route(msg)
	m.known = m.r.Status() // an action may have changed it
	return m, tea.Batch(cmd, m.settle())
}

func (m *Model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case effect:
		return msg.apply(m)
	case search.Msg:
		return m.found(m.search.Update(msg, m.searchFacts()))
	case counting.Counted:
		m.counting.children.Update(msg)
	case counting.Told:
		m.counting.calls.Update(msg)
	case status.Msg:
		m.status.Update(msg)
	case threads.Msg:
		if l := m.threadList(); l != nil {
			l.Take(msg)
		}
	case background.Panic:
		msg.Again()
	case terminal.Retaken:
		return m.retaken(msg)
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		if m.prompt != nil {
			return m.answer(m.prompt.Paste(msg))
		}
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case tea.MouseClickMsg:
		return m.clicked(msg)
	}
	return nil
}

// run runs an action of a part.
func (m *Model) run(a action) tea.Cmd {
	if a == nil {
		return nil
	}
	return a(m)
}

// settle determines the rows on the screen and requests what is missing there.
func (m *Model) settle() tea.Cmd {
	if m.width < minWidth || m.height < minHeight {
		return nil
	}
	m.follow.moved(m.out.Cursor)
	m.refresh()
	m.out.Height = m.layout().tree
	cmds := []tea.Cmd{m.begin(), m.stay()}
	m.out.Settle()
	cmds = append(cmds, m.loadVisible(), m.countVisible(), m.takeCensus(), m.prefetch(), m.sourceVisible(), m.settleSearch())
	if p := m.out.Cursor; p.Node != nil {
		m.out.Tree.Keep(p)
	}
	m.follow.row = m.out.Cursor
	cmds = append(cmds, m.settleThreads(), m.spin())
	m.takeRows()
	return tea.Batch(cmds...)
}

// begin opens what a person would open anyway: the first thread, and each only child below it.
// It may turn out late which thread is the first. Once a person has pressed a key, nothing
// moves by itself.
func (m *Model) begin() tea.Cmd {
	first := m.out.Tree.ThreadAt(0)
	if m.touched || first == nil || first == m.begun {
		return nil
	}
	if m.begun != nil {
		m.out.Tree.CollapseAll(m.begun)
	}
	m.begun = first
	m.out.Put(outline.RowOf(m.begun), 0)
	m.out.Tree.Expand(m.begun)
	return m.aim(outline.ExpandOnly(m.begun))
}

// View draws the screen.
func (m *Model) View() tea.View {
	v := tea.NewView(m.draw())
	v.AltScreen = true
	if !m.o.NoMouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.prompt != nil && m.width >= minWidth && m.height >= minHeight {
		v.Cursor = tea.NewCursor(m.prompt.Column(m.width, m.g), m.height-1)
	}
	return v
}
