// Package prompt is what the user types into and chooses from: the line at the bottom ([Prompt]) with
// the keys of a shell, earlier texts and completion; and the list of lines in place of the tree ([List]),
// whose cost depends on the lines on the screen, even with a million lines.
package prompt

import (
	"cmp"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/display"
	"tracex/lazy/query/pattern"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

const (
	maxTyped = 500 // characters of a text
	maxKept  = 100 // texts kept for each label
	most     = 8   // candidates shown at once
)

// Text is the text typed into a prompt.
type Text struct {
	Text string
	Expr bool // as a regular expression
}

// History makes prompts and remembers the texts typed into those of the same label, the newest last.
type History map[string][]Text

// Open returns a prompt. The hint tells what can be typed.
func (h History) Open(label, hint string) *Prompt {
	before := h[label]
	p := &Prompt{label: label, hint: hint, input: textinput.New(), before: append(slices.Clone(before), Text{}), at: len(before)}
	p.input.CharLimit = maxTyped
	p.input.SetVirtualCursor(false)
	p.input.Focus()
	return p
}

// OpenPattern returns a prompt for a pattern.
func (h History) OpenPattern(label, hint string) *Prompt {
	p := h.Open(label, hint)
	p.patterns = true
	return p
}

// Keep remembers the text typed, for the next prompt of the same label.
func (h *History) Keep(p *Prompt) {
	what := p.Text()
	if strings.TrimSpace(what.Text) == "" {
		return
	}
	if *h == nil {
		*h = make(History)
	}
	before := slices.DeleteFunc((*h)[p.label], func(t Text) bool { return t == what })
	(*h)[p.label] = append(before[max(0, len(before)+1-maxKept):], what)
}

// Prompt is the line at the bottom for typing a text. A [History] makes it.
type Prompt struct {
	label    string
	hint     string          // what could be typed, shown while the text is empty
	selected bool            // all of the text is: what is typed takes its place
	floats   bool            // it floats over the tree, with its candidates below it: see Float
	patterns bool            // the text is a pattern
	expr     bool            // and a regular expression
	input    textinput.Model // edits the text; View draws it, as what is pasted may be hostile
	before   []Text          // texts typed before, the newest last; then the current text
	at       int             // index in before of the text shown
	complete completion
}

// Action is what a key asks for.
type Action int

const (
	None    Action = iota
	Changed        // the text, or the way to read it, has changed
	Taken          // accept the text
	Left           // close the prompt
	Wanted         // paste the text of the clipboard
)

func (p *Prompt) Text() Text { return Text{p.input.Value(), p.expr} }

// HandleKey edits the text, or tells that it is accepted or given up.
func (p *Prompt) HandleKey(k tea.KeyPressMsg) Action {
	switch k.String() {
	case "enter":
		p.selected = false
		return p.take()
	case "backspace":
		if p.input.Value() == "" {
			return Left
		}
	case "tab":
		return p.walk(1)
	case "shift+tab":
		return p.walk(-1)
	case "up", "ctrl+p":
		if p.floats {
			return p.pick(-1)
		}
		return p.recall(-1)
	case "down", "ctrl+n":
		if p.floats {
			return p.pick(1)
		}
		return p.recall(1)
	case "esc", "ctrl+c": // as in a shell; the search before it stays
		return Left
	case "ctrl+r", "alt+r":
		if p.patterns {
			p.expr = !p.expr
			return Changed
		}
	case "ctrl+v":
		return Wanted
	}
	return p.edit(k)
}

// Edits reports whether a key with Alt edits the text.
func (p *Prompt) Edits(k tea.KeyPressMsg) bool {
	keys := &p.input.KeyMap
	return key.Matches(k, keys.WordForward, keys.WordBackward, keys.DeleteWordForward, keys.DeleteWordBackward)
}

func (p *Prompt) Paste(msg tea.PasteMsg) Action {
	msg.Content = strings.ReplaceAll(msg.Content, "\r\n", "\n") // one blank each
	return p.edit(msg)
}

// Propose puts a text into the prompt, selected: typing replaces it, any other key keeps it to be edited.
func (p *Prompt) Propose(text string) {
	p.edit(tea.PasteMsg{Content: text})
	p.selected = text != ""
}

// edit hands a key or a paste to the text input.
func (p *Prompt) edit(msg tea.Msg) Action {
	text, at := p.input.Value(), p.input.Position()
	k, pressed := msg.(tea.KeyPressMsg)
	if p.selected && (!pressed || k.Text != "" || key.Matches(k, p.input.KeyMap.DeleteCharacterBackward, p.input.KeyMap.DeleteCharacterForward)) {
		p.set("", "")
	}
	p.selected = false
	switch keys := &p.input.KeyMap; {
	case key.Matches(k, keys.DeleteWordForward):
		p.cutWord(tea.KeyRight)
	case key.Matches(k, keys.DeleteWordBackward):
		p.cutWord(tea.KeyLeft)
	default:
		p.input, _ = p.input.Update(msg)
	}
	changed := p.input.Value() != text
	if changed || p.input.Position() != at {
		p.complete.with = nil // without a text there are no candidates until Tab asks for them
		if p.input.Value() != "" || p.floats {
			p.look()
		}
	}
	if changed {
		return Changed
	}
	return None
}

// cutWord removes the text over which an arrow key with Ctrl moves the cursor. The deletions of
// words in textinput 2.2.1 panic before the last character, and may take a second word along.
func (p *Prompt) cutWord(arrow rune) {
	text, from := []rune(p.input.Value()), p.input.Position()
	p.input, _ = p.input.Update(tea.KeyPressMsg{Code: arrow, Mod: tea.ModCtrl})
	to := p.input.Position()
	p.set(string(text[:min(from, to)]), string(text[max(from, to):]))
}

// set replaces the text: the cursor is between the two parts.
func (p *Prompt) set(before, after string) {
	p.input.SetValue(before)
	p.input.CursorEnd()
	at := p.input.Position()
	p.input.SetValue(before + after)
	p.input.SetCursor(at)
}

// parts returns the text before and after the cursor.
func (p *Prompt) parts() (before, after string) {
	text, at := []rune(p.input.Value()), p.input.Position()
	return string(text[:at]), string(text[at:])
}

// recall shows an earlier text, or a later one.
func (p *Prompt) recall(by int) Action {
	p.selected = false
	to := p.at + by
	if to < 0 || to >= len(p.before) {
		return None
	}
	p.before[p.at] = p.Text()
	p.at = to
	p.set(p.before[to].Text, "")
	p.expr = p.before[to].Expr
	p.complete.with = nil
	return Changed
}

func (p *Prompt) sign() string {
	if p.patterns {
		return pattern.Sign(p.expr)
	}
	return p.label
}

// shown returns the parts of the text that fit before and after the cursor.
func (p *Prompt) shown(width int, g *screen.Glyphs) (before, after string) {
	before, after = p.parts()
	room := width - g.TextWidth(p.sign()) - 2
	for over := g.TextWidth(before) - room; over > 0 && before != ""; {
		_, w, n := g.NextCell(before)
		before, over = before[n:], over-w
	}
	return before, after
}

// Column returns where the terminal's cursor belongs in a line of width cells.
func (p *Prompt) Column(width int, g *screen.Glyphs) int {
	before, _ := p.shown(width, g)
	return g.TextWidth(p.sign() + before)
}

// View draws the prompt in width cells, with a message about the text typed.
func (p *Prompt) View(width int, message string, ms theme.Role, g *screen.Glyphs) string {
	before, after := p.shown(width, g)
	l := screen.NewLine(width, g).Put(p.sign(), theme.Bold)
	aside := "" // how the text is read, and which key changes that
	if p.patterns {
		aside = switchHint(p.expr)
	}
	if g.TextWidth(p.sign()+before+after+message+aside)+4 > width {
		aside = "" // the text, and what is wrong with it, matter more
	}
	l.Left -= g.TextWidth(aside)
	switch {
	case before+after == "" && message == "":
		l.Put(" "+p.hint, theme.Faint)
	default:
		style := theme.Plain
		if p.selected {
			style = theme.CursorLine
		}
		l.Put(before+after, style).Put(" ", theme.Plain)
		l.Put("  "+message, ms)
	}
	l.Space(l.Left)
	l.Left = g.TextWidth(aside)
	return l.Put(aside, theme.Faint).End()
}

// switchHint tells which key switches to the other reading, and what that is.
func switchHint(expr bool) string {
	if expr {
		return "Ctrl-R text "
	}
	return "Ctrl-R regex "
}

// Candidate is a text that completes what is typed.
type Candidate struct {
	Text  string // takes the place of what is completed
	Title string // in the list of candidates; "" for Text
	Help  string // what it means
	Usage string // with what follows it, shown of the one that is picked; "" if nothing does
	Keys  string // keys that do the same
	Lit   []int  // bytes of the title that match what is typed
}

// Completer returns the candidates for a text: they replace text[from:].
type Completer func(text string) (from int, with []Candidate)

// completion is the list of candidates above a prompt, and which one is in the text.
type completion struct {
	of     Completer // nil if there is none
	typed  string    // the text before the cursor, as typed
	after  string    // the text after the cursor
	from   int       // where in typed the candidates begin
	with   []Candidate
	picked int // index of the candidate in the text; -1 for what was typed
}

// Complete makes Tab complete the text before the cursor.
func (p *Prompt) Complete(of Completer) *Prompt {
	p.complete.of = of
	return p
}

// Float makes the prompt float over the tree. The candidates are below it, and one of them is taken by Enter.
func (p *Prompt) Float() *Prompt {
	p.floats = true
	p.look()
	return p
}

func (p *Prompt) Floats() bool { return p.floats }

// pick moves the mark among the candidates of a prompt that floats.
func (p *Prompt) pick(by int) Action {
	if n := len(p.complete.with); n > 0 {
		p.complete.picked = (max(0, p.complete.picked) + by + n) % n
	}
	return None
}

// take accepts the text, or the marked candidate of a prompt that floats; one that more follows goes into the text.
func (p *Prompt) take() Action {
	c := &p.complete
	if !p.floats || c.picked < 0 || c.picked >= len(c.with) {
		return Taken
	}
	text := c.typed[:c.from] + c.with[c.picked].Text
	more := strings.HasSuffix(text, " ") && text != c.typed
	p.set(text, c.after)
	if !more {
		return Taken
	}
	p.look()
	return Changed
}

// look finds the candidates for the text before the cursor.
func (p *Prompt) look() {
	c := &p.complete
	if c.of == nil {
		return
	}
	c.typed, c.after = p.parts()
	c.from, c.with = c.of(c.typed)
	c.picked = -1
	if p.floats && c.from == 0 && len(c.with) > 0 {
		c.picked = 0 // the command that is meant
	}
}

// walk puts the next candidate into the text, or the one before; after the last one comes what was typed.
func (p *Prompt) walk(by int) Action {
	c := &p.complete
	p.selected = false
	if c.of == nil {
		return None
	}
	if c.with == nil {
		p.look()
	}
	n := len(c.with)
	if n == 0 {
		return None
	}
	c.picked = (c.picked+1+by+n+1)%(n+1) - 1
	text := c.typed
	if c.picked >= 0 {
		text = c.typed[:c.from] + c.with[c.picked].Text
	}
	p.set(text, c.after)
	return Changed
}

// Box draws a prompt that floats: height lines of width cells, a title, the text, and the candidates.
func (p *Prompt) Box(title string, width, height int, message string, ms theme.Role, g *screen.Glyphs) []string {
	c := &p.complete
	lines := []string{screen.Titled(" "+title+" ", "", width, g), p.View(width, message, ms, g), screen.Titled("", c.usage(width, g), width, g)}
	lines = append(lines, c.rows(max(0, height-len(lines)), width, g)...)
	return screen.Fill(lines, width, height, g)
}

// BoxHint tells what the keys of a prompt that floats do.
func BoxHint(g *screen.Glyphs) string {
	choose := "↑ ↓ choose"
	if g.ASCII {
		choose = "Up Down choose"
	}
	return choose + "   Enter takes it   Tab completes   Esc closes"
}

// rows draws so many candidates, with the one picked in the middle if possible.
func (c *completion) rows(n, width int, g *screen.Glyphs) (lines []string) {
	at := 0 // where the help begins
	for _, it := range c.with {
		at = max(at, min(g.TextWidth(it.title()), width/3))
	}
	top := max(0, min(c.picked-n/2, len(c.with)-n))
	for i := top; i < min(top+n, len(c.with)); i++ {
		lines = append(lines, c.with[i].line(i == c.picked, at, width, g))
	}
	return lines
}

// Menu draws the candidates in at most height lines, with a rule above them; nil if there are none.
func (p *Prompt) Menu(width, height int, g *screen.Glyphs) []string {
	c := &p.complete
	n := len(c.with)
	rows := min(n, most, height-1)
	if rows <= 0 || n == 1 && c.with[0].Text == c.typed[c.from:] {
		return nil
	}
	title := " Tab: " + display.Grouped(int64(c.picked+1)) + " of " + display.Grouped(int64(n)) + " "
	if c.picked < 0 {
		title = " Tab completes: " + display.Grouped(int64(n)) + " "
	}
	return append([]string{screen.Titled(title, c.usage(width-g.TextWidth(title), g), width, g)}, c.rows(rows, width, g)...)
}

// usage returns how the candidate that is picked is typed, as a title in width cells.
func (c *completion) usage(width int, g *screen.Glyphs) string {
	if c.picked < 0 || c.picked >= len(c.with) || c.with[c.picked].Usage == "" {
		return ""
	}
	return " " + g.CutEnd(c.with[c.picked].Usage, max(0, width-6)) + " "
}

func (c *Candidate) title() string { return cmp.Or(c.Title, strings.TrimSpace(c.Text)) }

// line draws a candidate, with its help from a column on.
func (c *Candidate) line(picked bool, at, width int, g *screen.Glyphs) string {
	l := screen.NewRow(width, picked, g)
	l.Space(2 - (width - l.Left))
	var lit [][2]int
	for _, i := range c.Lit {
		lit = append(lit, [2]int{i, i + 1})
	}
	title := g.CutEnd(c.title(), at)
	l.Spans(title, screen.Whole(title), screen.Always(theme.Accent), lit, 0)
	l.Space(at + 4 - (width - l.Left))
	keys := g.TextWidth(c.Keys) + 2
	if c.Keys == "" || l.Left < 2*keys {
		return l.Put(c.Help, theme.Plain).End()
	}
	l.Left -= keys
	l.Put(c.Help, theme.Plain)
	l.Space(l.Left)
	l.Left = keys
	l.Space(1)
	return l.Put(c.Keys, theme.Faint).End()
}
