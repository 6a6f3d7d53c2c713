package ui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// Trace is a trace to explore, which may still have to be opened.
type Trace interface {
	Path() string // as the user gave it
	// Open opens it. It is called once, on any goroutine. The caller of RunAll closes the reader.
	Open(ctx context.Context) (*lazy.LazyTraceReader, Options, error)
}

// Tabs are one or several traces, each with a Model of its own: the root of Bubble Tea's program. Keys and clicks are for the
// Model that is shown; what a command of a Model delivers is for that Model: see own.
type Tabs struct {
	list  []*tab
	shown int
	asked *Model     // the last one shown; draws for tabs without a Model
	count keys.Count // typed where there is no Model
	ctx   context.Context
	diffs diffs
}

// tab is one trace.
type tab struct {
	trace Trace
	name  string   // told apart from those of the others
	model *Model   // nil until it is open
	err   error    // why it cannot be opened
	diff  *diffTab // what it compares; nil if it is no diff made here
}

// owned is a message for the Model of a tab.
type owned struct {
	tab *tab
	msg tea.Msg
}

// opened is the message that a tab is open, or why it is not.
type opened struct {
	reader  *lazy.LazyTraceReader
	options Options
	err     error
}

// RunAll is [Run] for several traces, in tabs. It shows the first that can be opened, and opens the others meanwhile.
func RunAll(ctx context.Context, all []Trace) error {
	t := &Tabs{ctx: ctx, shown: -1, diffs: diffs{engine: newEngine}}
	var color Color
	var failed error
	for i, name := range tabNames(all) {
		t.list = append(t.list, &tab{trace: all[i], name: name})
		if t.shown >= 0 {
			continue
		}
		r, o, err := all[i].Open(ctx)
		failed = errors.Join(failed, err)
		if t.list[i].err = err; err == nil {
			t.adopt(i, r, o)
			t.shown, t.asked, color = i, t.list[i].model, o.Color
		}
	}
	if t.shown < 0 {
		return failed
	}
	return t.run(color)
}

// run shows the tabs until the user quits.
func (t *Tabs) run(color Color) error {
	err := run(t.ctx, t, t.asked, color)
	for _, tab := range t.list {
		if tab.model != nil {
			tab.model.env.Close()
			err = errors.Join(err, tab.model.leave())
		}
	}
	return errors.Join(err, t.diffs.close())
}

func (t *Tabs) adopt(i int, r *lazy.LazyTraceReader, o Options) {
	o.ASCII = o.ASCII || !o.Unicode && screen.PlainTerminal()
	m := New(r, o)
	m.tabs = t
	t.list[i].model = m
}

// Init starts the first Model, and opens what is not open.
func (t *Tabs) Init() tea.Cmd {
	var cmds []tea.Cmd
	for _, tab := range t.list {
		switch {
		case tab.model != nil:
			cmds = append(cmds, t.own(tab, tab.model.Init()))
		case tab.err == nil && tab.diff == nil:
			cmds = append(cmds, t.own(tab, env.Watched(func() tea.Msg {
				r, o, err := tab.trace.Open(t.ctx)
				return opened{r, o, err}
			})))
		}
	}
	return tea.Batch(cmds...)
}

// Update passes a message to the Model that it is for.
func (t *Tabs) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	to := t.list[t.shown]
	switch in := msg.(type) {
	case owned:
		to, msg = in.tab, in.msg
	case env.Returned: // Bubble Tea's own message has it, which is not owned
		if i := slices.IndexFunc(t.list, func(b *tab) bool { return b.model != nil && b.model.env == in.By }); i >= 0 {
			to = t.list[i]
		}
	case tea.WindowSizeMsg, tea.BackgroundColorMsg, tea.FocusMsg, tea.BlurMsg:
		return t, t.toAll(msg)
	case tea.MouseClickMsg:
		n, ok := t.header().TabAt(in.X, t.asked.env.Width, t.asked.env.Glyphs)
		if ok && in.Button == tea.MouseLeft && in.Y == 0 {
			t.show(n)
			return t, nil
		}
	}
	if !slices.Contains(t.list, to) { // of a tab that was closed
		return t, nil
	}
	if o, ok := msg.(opened); ok {
		return t, t.opened(slices.Index(t.list, to), o)
	}
	m := to.model
	if ran, ok := msg.(env.Ran); ok && m == nil {
		return t, t.own(to, ran.Then())
	}
	if m == nil {
		return t, t.without(msg)
	}
	_, cmd := m.Update(msg)
	return t, t.own(to, cmd)
}

// toAll passes what the terminal tells to all Models.
func (t *Tabs) toAll(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, tab := range t.list {
		if tab.model != nil {
			_, cmd := tab.model.Update(msg)
			cmds = append(cmds, t.own(tab, cmd))
		}
	}
	return tea.Batch(cmds...)
}

// opened takes over a trace that has been opened.
func (t *Tabs) opened(i int, o opened) tea.Cmd {
	if t.list[i].err = o.err; o.err != nil {
		return nil
	}
	t.adopt(i, o.reader, o.options)
	m := t.list[i].model
	m.env.DrawLike(t.asked.env)
	m.themes.kept = t.asked.themes.kept
	begin := m.Init()
	_, cmd := m.Update(tea.WindowSizeMsg{Width: t.asked.env.Width, Height: t.asked.env.Height})
	if i == t.shown {
		t.show(i)
	}
	return t.own(t.list[i], tea.Batch(begin, cmd))
}

// own returns a command whose messages are for a tab, except those that ask Bubble Tea for something.
func (t *Tabs) own(by *tab, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		msg := cmd()
		if msg == nil {
			return nil
		}
		if all := asCommands(msg); all != nil {
			for j, c := range all {
				all[j] = t.own(by, c)
			}
			return msg
		}
		if _, of := msg.(owned); of {
			return msg
		}
		if reflect.TypeOf(msg).PkgPath() == reflect.TypeFor[tea.QuitMsg]().PkgPath() {
			return msg
		}
		return owned{by, msg}
	}
}

// asCommands returns the commands of a message of tea.Batch or tea.Sequence, to be changed in place; nil if it is none.
func asCommands(msg tea.Msg) []tea.Cmd {
	if kind := reflect.TypeFor[[]tea.Cmd](); reflect.TypeOf(msg).ConvertibleTo(kind) {
		return reflect.ValueOf(msg).Convert(kind).Interface().([]tea.Cmd)
	}
	return nil
}

// without takes a message while a tab without a Model is shown.
func (t *Tabs) without(msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		switch msg.(type) {
		case tea.PasteMsg, tea.MouseMsg:
			return nil
		}
		_, cmd := t.asked.Update(msg) // of the terminal
		return cmd
	}
	name := k.String()
	if d, ok := t.count.Digit(name); ok {
		return t.count.Add(d, t.asked.env.Clock.After)
	}
	n := t.count.Take()
	switch c := t.asked.env.Keyboard.Keys.Of(name); c {
	case keys.Tab:
		if n <= len(t.list) { // who asks for another one is told nothing: there is no room
			return t.asked.do(c, n)
		}
	case keys.Quit, keys.Suspend, keys.Redraw:
		return t.asked.do(c, 0)
	case keys.Stop:
		return t.stopDiff(t.shown)
	case keys.Close:
		return t.closeTab(t.asked.env, "")
	}
	return nil
}

// pick is :trace, and its key.
func (t *Tabs) pick(e *env.Env, arg string) tea.Cmd {
	i, err := t.find(arg)
	if err != nil {
		return e.Say(err.Error())
	}
	t.show(i)
	return nil
}

func (t *Tabs) show(i int) {
	t.shown, t.count = i, keys.Count{}
	m := t.list[i].model
	if m == nil {
		return
	}
	m.themes.kept = t.asked.themes.kept
	m.themes.settle()
	t.asked = m
	m.frame = m.newFrame()
}

func (t *Tabs) View() tea.View {
	if m := t.list[t.shown].model; m != nil {
		m.frame.header.Tab, m.frame.header.Tabs = t.shown, t.header().Tabs
		return m.View()
	}
	g, width, height := t.asked.env.Glyphs, t.asked.env.Width, t.asked.env.Height
	v := t.asked.View()
	v.Cursor = nil
	if !screen.Usable(width, height) {
		return v
	}
	lines := []string{t.header().View(width, g), screen.NewLine(width, g).End()}
	put := func(text string, role theme.Role) {
		for _, part := range strings.Split(ansi.Wrap(text, width-2, ""), "\n") {
			lines = append(lines, screen.NewLine(width, g).Put(" "+part, role).End())
		}
	}
	hint := " " + keys.ActionKey(string(keys.Tab), g) + " other tab   " + keys.ActionKey(string(keys.Close), g) + " close   " + keys.ActionKey("quit", g) + " quit"
	switch tab := t.list[t.shown]; {
	case tab.err != nil:
		put(g.Warn+" "+screen.ErrorLine(tab.err), theme.Alarm)
	case tab.diff != nil:
		hint = " " + keys.KeyName("esc", g) + " stops  " + hint
		tab.diff.tell(t.asked.env, put)
	default:
		put("opening "+tab.trace.Path()+" "+g.More, theme.Plain)
	}
	lines = append(screen.Fill(lines, width, height-1, g), screen.NewLine(width, g).Put(hint, theme.Faint).End())
	v.Content = strings.Join(lines, "\n")
	return v
}

// header has the names of the tabs, with a mark at those that cannot be opened.
func (t *Tabs) header() env.Header {
	h := env.Header{Tab: t.shown}
	if len(t.list) == 1 {
		return h
	}
	for _, tab := range t.list {
		name := tab.name
		if tab.err != nil {
			name = t.asked.env.Glyphs.Warn + " " + name
		}
		h.Tabs = append(h.Tabs, name)
	}
	return h
}

// find returns the tab that the argument of :trace means: a number, counted from 1, or a name; "" is the next one.
func (t *Tabs) find(arg string) (int, error) {
	switch {
	case t == nil || len(t.list) == 1:
		return 0, errors.New("only one trace is open; tracex A B opens two")
	case arg == "":
		return (t.shown + 1) % len(t.list), nil
	}
	var names []string
	for i, tab := range t.list {
		if tab.name == arg || tab.trace.Path() == arg || strconv.Itoa(i+1) == arg {
			return i, nil
		}
		names = append(names, tab.name)
	}
	return 0, fmt.Errorf("no trace %s; there are 1 to %d: %s", arg, len(names), strings.Join(names, ", "))
}

func (t *Tabs) complete(text string) (from int, with []prompt.Candidate) {
	if t == nil || len(t.list) == 1 {
		return 0, nil
	}
	for _, tab := range t.list {
		if strings.HasPrefix(tab.name, text) {
			with = append(with, prompt.Candidate{Text: tab.name, Title: tab.name, Help: tab.trace.Path()})
		}
	}
	return 0, with
}

// tabNames returns the base names of traces, each with as many directories as tell it apart.
func tabNames(all []Trace) []string {
	names := make([]string, len(all))
	for i, trace := range all {
		for n := 1; ; n++ {
			names[i] = lastParts(trace.Path(), n)
			if n > strings.Count(trace.Path(), "/") || !slices.ContainsFunc(all, func(other Trace) bool {
				return other != trace && lastParts(other.Path(), n) == names[i]
			}) {
				break
			}
		}
	}
	return names
}

// lastParts returns the last elements of a path.
func lastParts(path string, n int) string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	return strings.Join(parts[max(0, len(parts)-n):], "/")
}
