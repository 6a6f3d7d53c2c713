package ui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/theme"
	"tracex/ui/internal/tree"
)

// frame is what the screen shows, besides what is open in front. Update makes it, so View asks the trace for nothing:
// it waits for no lock and reads no mapped file. It is only a value: each field is a different part of the screen.
type frame struct {
	g             *screen.Glyphs
	width, height int // of the window, in cells
	layout        screen.Layout
	made          int              // which frame it is; one with another number has other lines behind what floats
	window        string           // the title of the terminal's window
	progress      *tea.ProgressBar // how far what is running has come, as the terminal itself shows it
	done          int              // the same, in cells of the header

	header   env.Header
	chips    []screen.Chip // what is in force, as much as fits
	ends     string        // the keys that end it
	crumbs   []string      // the path to the cursor's node, as much as fits
	troubles []string      // what is wrong with the trace
	strip    string        // what the thread does over its time
	rows     []tree.Row
	scroll   screen.Scroll // of the rows
	whole    env.List      // that replaces the tree; nil if none does
	view     tree.View
	indent   tree.Indent
	nothing  string                      // why there are no rows
	panes    [screen.PaneCount]paneLines // by screen.Pane, without the tree
	tour     []string
	position string      // where the cursor is, and what is loaded
	activity string      // what is running; "" if nothing is
	export   string      // the same while something is exported, for lists
	message  string      // "" if none
	alarm    bool        // the message reports a failure
	hints    []keys.Hint // the most useful keys
	hintsAt  int         // the column that they begin in
	choices  []string    // keys that may follow the last one
	chosenIn screen.Rect // where they float
}

// draw returns the whole screen: height lines of width cells.
func (f *frame) draw(in *env.Front, behind *screen.Backdrop) string {
	switch {
	case f.width == 0 || f.height == 0:
		return ""
	case !screen.Usable(f.width, f.height):
		return f.tooSmall()
	}
	l := in.List()
	var lines []string
	if !f.layout.Floats {
		lines = f.lines(l)
	} else {
		if behind.Of != f.made {
			behind.Of, behind.Lines = f.made, behind.Dim(f.lines(l), f.width, f.g)
		}
		lines = slices.Clone(behind.Lines)
		behind.Float(lines, l.View(f.layout.List.Width, f.layout.List.Height, f.g), f.layout.List, l.Extent(), f.width, f.g)
	}
	if f.layout.Box.Width > 0 {
		lines = behind.Dim(lines, f.width, f.g)
		behind.Float(lines, in.PromptBox(f.layout.Box.Width, f.layout.Box.Height), f.layout.Box, screen.Scroll{}, f.width, f.g)
	}
	if len(f.choices) > 0 {
		behind.Float(lines, f.choices, f.chosenIn, screen.Scroll{}, f.width, f.g)
	}
	if p := in.Prompt(); p != nil && !in.Floats() {
		menu := p.Menu(f.width, f.height-3, f.g)
		copy(lines[len(lines)-len(menu):], menu)
	}
	lines[0] = screen.Underline(lines[0], f.done)
	return strings.Join(append(lines, f.lastLine(in)), "\n")
}

// lines draws all lines but the last, without what floats over them.
func (f *frame) lines(l env.List) []string {
	lines := make([]string, 0, f.height)
	lines = append(lines, f.header.View(f.width, f.g))
	if f.layout.Chips {
		lines = append(lines, screen.ChipLine(f.chips, f.ends, f.width, f.g))
	}
	lines = append(lines, screen.CrumbLine(f.crumbs, f.width, f.g))
	if f.layout.Trouble {
		lines = append(lines, f.troubleLine())
	}
	if whole := f.whole; whole != nil && f.layout.Floats {
		lines = append(lines, whole.View(f.width, f.height-1-len(lines), f.g)...)
	} else if l != nil && !f.layout.Floats {
		lines = append(lines, l.View(f.width, f.layout.List.Height, f.g)...)
	} else {
		if f.layout.Strip {
			lines = append(lines, f.strip)
		}
		lines = append(lines, f.middle()...)
		if f.layout.Hints {
			lines = append(lines, f.statusLine())
		}
	}
	return lines
}

// paneLines is what a pane besides the tree shows.
type paneLines struct {
	title  string
	lines  []string
	shown  screen.Scroll
	cursor int  // the line of its cursor; -1 if it has not got the keys
	keys   bool // it has the keys
}

// middle draws the lines between the breadcrumb and the status: the tree with its headings, the panes and the tour.
func (f *frame) middle() (lines []string) {
	l := &f.layout
	var rows []string
	if l.Side != screen.Only {
		rows = f.tree()
	}
	y := l.Top
	if l.Rule {
		y--
	}
	for ; y < l.Bottom-l.Tour; y++ {
		line := ""
		switch {
		case l.Side == screen.Only:
		case y < l.Top:
			line = f.view.Head(l.TreeWidth)
		case y < l.Top+l.Tree:
			line = rows[y-l.Top]
		}
		lines = append(lines, line+f.divider(y)+f.beside(y))
	}
	return append(lines, f.tour...)
}

// line draws a line of a pane, with the mark of the cursor before it.
func (p *paneLines) line(i int, g *screen.Glyphs) string {
	mark := " "
	if i == p.cursor {
		mark = g.Cursor
	}
	return screen.NewLine(1, g).Put(mark, theme.Accent).End() + p.lines[i] + p.shown.At(i, len(p.lines), " ", g)
}

// divider draws the sign between the tree and what is beside it.
func (f *frame) divider(y int) string {
	l, sign := &f.layout, f.g.Side
	switch {
	case l.Side != screen.Beside:
		return ""
	case y < l.Top:
		sign = f.g.Below
	case l.Panes[screen.SourcePane].Width > 0 && y == l.Panes[screen.DetailsPane].Y-1:
		sign = f.g.Branch
	}
	return f.scroll.At(y-l.Top, l.Tree, sign, f.g)
}

// beside draws what the other panes have on line y of the screen. A title begins a cell before its pane.
func (f *frame) beside(y int) string {
	for p := screen.SourcePane; p < screen.PaneCount; p++ {
		switch r := f.layout.Panes[p]; {
		case r.Width == 0:
		case r.Has(r.X, y):
			return f.panes[p].line(y-r.Y, f.g)
		case y == r.Y-1:
			return screen.PaneTitle(f.panes[p].title, f.panes[p].keys, r.Width+1, f.g)
		}
	}
	return ""
}

// tree draws the rows of the tree: always as many lines as the layout has for them.
func (f *frame) tree() []string {
	height, width := f.layout.Tree, f.layout.TreeWidth
	lines := make([]string, 0, height)
	for i := range f.rows[:min(len(f.rows), height)] {
		lines = append(lines, f.view.Draw(&f.rows[i], f.indent, width))
	}
	if len(lines) == 0 {
		lines = append(lines, screen.NewLine(width, f.g).Put("  "+f.nothing, theme.Plain).End())
	}
	lines = screen.Fill(lines, width, height, f.g)
	if f.layout.Side != screen.Beside && f.view.Columned(width) {
		f.scroll.Over(lines, width, f.g)
	}
	return lines
}

// tooSmall draws a window in which nothing else has room.
func (f *frame) tooSmall() string {
	text := ""
	need := fmt.Sprintf("%d×%d", screen.MinWidth, screen.MinHeight)
	for _, text = range []string{fmt.Sprintf("%d×%d: tracex needs %s", f.width, f.height, need), "needs " + need, need} {
		if f.g.TextWidth(text) <= f.width {
			break
		}
	}
	if f.g.ASCII {
		text = strings.ReplaceAll(text, "×", "x")
	}
	lines := []string{screen.NewLine(f.width, f.g).Put(text, theme.Plain).End()}
	return strings.Join(screen.Fill(lines, f.width, f.height, f.g), "\n")
}

// statusLine tells where the cursor is and what is running, or, in a window without a line for them, the most useful keys.
func (f *frame) statusLine() string {
	if !f.layout.Hints && f.activity == "" {
		return screen.Ends(" "+f.position, keys.HintsText(f.hints)+" ", theme.Plain, theme.Faint, f.width, f.g)
	}
	return screen.Ends(" "+f.position, f.activity+" ", theme.Plain, theme.Plain, f.width, f.g)
}

// lastLine draws the prompt, a message, or the most useful keys.
func (f *frame) lastLine(in *env.Front) string {
	line := screen.NewLine(f.width, f.g)
	switch l := in.List(); {
	case in.Prompt() != nil && !in.Floats():
		return in.PromptView(f.width)
	case in.Prompt() != nil:
		return line.Put(" "+prompt.BoxHint(f.g), theme.Faint).End()
	case f.message != "" && f.alarm:
		return f.told(f.g.Warn+" "+f.message, theme.Alarm)
	case f.message != "":
		return f.told(f.message, theme.Bold)
	case len(f.choices) > 0:
		return line.Put(" the keys above choose"+keys.HintGap+keys.KeyName("esc", f.g)+" closes", theme.Faint).End()
	case l != nil && f.export != "":
		room := f.width - f.g.TextWidth(f.export) - 3
		return screen.Ends(" "+l.Hint(room, f.g), f.export+" ", theme.Faint, theme.Plain, f.width, f.g)
	case l != nil:
		return line.Put(" "+l.Hint(f.width-1, f.g), theme.Faint).End()
	case !f.layout.Hints:
		return f.statusLine()
	}
	return line.Put(" "+keys.HintsText(f.hints), theme.Faint).End()
}

// directories are those of a path, with the slashes.
var directories = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(/[^/\s:;,]+)+/`) })

// told draws a line about something. If it is too long, it leaves out directories, and says where to read all of it.
func (f *frame) told(text string, role theme.Role) string {
	more := ""
	if f.g.TextWidth(text)+1 > f.width {
		more = ":" + string(keys.Messages) + " "
		text = directories().ReplaceAllLiteralString(text, f.g.More+"/")
	}
	return screen.Ends(" "+text, more, role, theme.Faint, f.width, f.g)
}

// troubleLine shows the first thing that is wrong with the trace, and where to find the others.
func (f *frame) troubleLine() string {
	all := f.troubles
	text := f.g.Warn + " " + all[0]
	if more := fmt.Sprintf("1 of %d: %s at a thread ", len(all), keys.ActionKey("details", f.g)); len(all) > 1 && f.g.TextWidth(" "+text+more) < f.width {
		return screen.Ends(" "+text, more, theme.Alarm, theme.Faint, f.width, f.g)
	}
	return f.told(text, theme.Alarm)
}

// What the parts need to know about each other.

// layout divides the window, which is usable.
func (m *Model) layout() screen.Layout {
	w := screen.Wants{
		Width: m.env.Width, Height: m.env.Height, Trouble: len(m.env.Trace.Troubles(m.env.Glyphs)) > 0, Source: m.source.On(), Details: m.details.On(),
		Sizes: m.panes.sizes, Front: m.panes.front, Aside: m.panes.aside, Zoom: m.panes.zoom, Keys: m.panes.keys,
		Chips: m.filter.Cur != nil || len(m.steps.List) > 0 || len(m.changes.Ignored) > 0, Strip: m.flames.On, Sticky: m.tree.Sticky, Tour: m.tour.Height(m.env.Width), Asking: m.env.Front.Floats(),
	}
	if list := m.env.Front.List(); list != nil {
		w.Floating, w.FloatingWidth = list.Lines(), list.Width(m.env.Glyphs)
	}
	return screen.LayoutFor(w)
}

// busy reports whether something runs in the background.
func (m *Model) busy() bool {
	return m.tree.Jobs.Running() || m.tree.Busy() || m.search.Running() || m.filter.Cur.Running() || m.changes.Running() || m.counting.Busy() || m.env.Trace.Reading() || m.threads.Busy() || m.tables.Busy() || m.flames.Busy() || m.exports.Running()
}

// activity tells what is running and how to stop it, if possible in room cells; "" if nothing is.
func (m *Model) activity(room int) string {
	g, st, now := m.env.Glyphs, m.env.Trace.Known, m.env.Clock.Now()
	stoppable := func(text string) string { return m.env.Spinner() + " " + text + "  Esc stops" }
	switch {
	case m.tree.Jobs.Running():
		return stoppable(m.tree.Jobs.Text())
	case m.exports.Running():
		return stoppable(m.exports.Text())
	case m.search.Some():
		return m.search.Text(room)
	case m.changes.Running():
		return stoppable("looking for differences")
	case m.env.Trace.Reading():
		return m.env.Spinner() + " " + env.Phase(st, now, room-2, g)
	case m.tree.Moving():
		return stoppable("loading")
	case st.Growth.On:
		return env.Growth(st, m.follow.On(), now, room, g)
	case m.counting.Busy():
		return stoppable(m.counting.Text())
	}
	return ""
}

// progress returns how far what is running has come; total is 0 if nothing runs, or that is not known.
func progress(m *Model) (done, total int64) {
	switch st := m.env.Trace.Known; {
	case m.tree.Jobs.Running():
		return m.tree.Jobs.Progress()
	case m.exports.Running():
		return m.exports.Progress()
	case m.search.Running():
		return m.search.Progress()
	case m.env.Trace.Reading():
		return st.Done, st.Total
	case m.tables.Busy():
		return m.tables.Progress()
	case m.overview.Running():
		return m.overview.Done()
	}
	return 0, 0
}

// listFrame returns what the screen shows after a key that only moved within the list that floats.
func listFrame(m *Model) frame {
	f := m.frame
	f.layout.List = m.layout().List
	m.env.Front.Area = f.layout.List
	f.message, f.alarm = m.env.Status.Message()
	return f
}

// newFrame returns what the screen shows: nothing of the trace in a window that is too small.
func (m *Model) newFrame() frame {
	g := m.env.Glyphs
	f := frame{g: g, width: m.env.Width, height: m.env.Height, made: m.frame.made + 1}
	if done, total := progress(m); total > 0 {
		f.done = int(float64(m.env.Width) * float64(done) / float64(total))
		if m.env.ShowsProgress {
			f.progress = tea.NewProgressBar(tea.ProgressBarDefault, int(100*float64(done)/float64(total)))
		}
	}
	f.window = map[bool]string{false: "tracex – ", true: "tracex - "}[g.ASCII] + string(format.AppendEscaped(nil, m.env.Trace.Name()))
	if !screen.Usable(f.width, f.height) {
		return f
	}
	l := m.layout()
	f.layout, m.frame.layout, m.env.Front.Area = l, l, l.List // what follows asks for the layout, too
	f.whole = m.env.Front.Whole()
	o := m.tree.Out
	stats := o.Tree.Stats()
	f.header = env.Header{
		Name: m.env.Trace.Name(), About: m.env.Trace.About(o.Tree.Folded(), g), Index: env.Index(m.env.Trace.Known, g),
		Memory: env.Memory{Taken: stats.Bytes + m.search.Bytes() + m.filter.Cur.Bytes(), Budget: stats.Budget, Unloaded: stats.Forgotten},
	}
	if m.env.Trace.Diff != nil {
		f.header.Name, f.header.About = m.env.Trace.DiffName(g), append(m.changes.Text(), m.compare.diffAbout(f.header.About)...)
	}
	if f.troubles = m.env.Trace.Troubles(m.env.Glyphs); !l.Trouble && len(f.troubles) > 0 {
		f.header.Name = g.Warn + " " + f.header.Name // there is no room for the line that explains it
	}
	if l.Strip {
		f.strip = m.flames.Strip(f.width)
	}
	f.crumbs = o.Crumbs(f.width, g)
	if h, ok := m.env.Front.List().(*search.HitList); ok && h.Path() != nil {
		path := h.Path()
		f.crumbs = screen.Crumbs(len(path), func(i int) string { return path[i] }, f.width-2, g)
	}
	f.view, f.indent, f.rows = m.tree.View(), m.tree.Out.Indent(), m.tree.Rows(o.Shown(), m.search.Highlight, m.marks.Sign)
	f.scroll = o.Scroll()
	if len(f.rows) == 0 {
		f.nothing = m.env.Trace.Nothing(m.env.Spinner(), m.env.Clock.Now(), g)
	}
	m.panes.draw(&f)
	if l.Tour > 0 {
		f.tour = m.tour.View(f.width, l.Tour)
	}
	f.position = env.Position(o.Cursor.Node, m.compare.handle(), m.env.Keyboard.Typed(g), g)
	short := "" // the way back, if there is no room for the keys
	switch esc := keys.ActionKey(string(keys.Stop), g); {
	case l.Hints || m.activity(f.width) == "":
	case m.panes.covers():
		short = esc + " tree"
	case back(m) != "":
		short = esc + " back"
	}
	parts := []string{short, f.position, m.compare.remembered(), m.results.Text()}
	f.position = strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " "+g.Dot+" ")
	f.chips, f.ends = m.chips.line(f.width, l.Floats)
	f.activity = m.activity(f.width - g.TextWidth(" "+f.position) - 3)
	if m.exports.Running() {
		f.export = m.activity(f.width / 2)
	}
	f.message, f.alarm = m.env.Status.Message()
	f.choices, f.chosenIn = m.env.PrefixBox(l.Bottom)
	f.hintsAt = 1
	if l.Hints {
		f.hints = hints(m, f.header.Memory.Full(), f.width-1)
	} else if f.activity == "" {
		f.hints = hints(m, f.header.Memory.Full(), f.width-2-g.TextWidth(f.position+keys.HintGap))
		f.hintsAt = f.width - 1 - g.TextWidth(keys.HintsText(f.hints))
	}
	return f
}
