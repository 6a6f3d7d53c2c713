package prompt

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
)

// Prompt is the line at the bottom for typing a text. A [Memory] makes it.
type Prompt struct {
	label    string
	hint     string // what could be typed, shown while the text is empty
	patterns bool   // the text is a pattern
	expr     bool   // and a regular expression
	input    field
	before   []Text // texts typed before, the newest last; then the current text
	at       int    // index in before of the text shown
	complete completion
}

// Text is the text typed into a prompt.
type Text struct {
	Text string
	Expr bool // as a regular expression
}

// Action is what a key asks for.
type Action int

const (
	None    Action = iota
	Changed        // the text, or the way to read it, has changed
	Taken          // accept the text
	Left           // close the prompt
)

// maxTyped bounds the text typed into a prompt, in characters.
const maxTyped = 500

// Text returns the text typed.
func (p *Prompt) Text() Text { return Text{p.input.Value(), p.expr} }

// HandleKey edits the text, or tells that it is accepted or given up.
func (p *Prompt) HandleKey(k tea.KeyPressMsg) Action {
	switch k.String() {
	case "enter":
		return Taken
	case "backspace":
		if p.input.Value() == "" {
			return Left
		}
	case "tab":
		return p.walk(1)
	case "shift+tab":
		return p.walk(-1)
	case "up", "ctrl+p":
		return p.recall(-1)
	case "down", "ctrl+n":
		return p.recall(1)
	case "esc", "ctrl+c": // as in a shell; the search before it stays
		return Left
	case "ctrl+r", "alt+r":
		if p.patterns {
			p.expr = !p.expr
			return Changed
		}
	}
	return p.edit(k)
}

// Paste inserts a text.
func (p *Prompt) Paste(msg tea.PasteMsg) Action { return p.edit(msg) }

// edit hands a key or a paste to the line editor.
func (p *Prompt) edit(msg tea.Msg) Action {
	at := p.input.at
	changed := p.input.Update(msg)
	if changed || p.input.at != at {
		p.typedOn()
	}
	if changed {
		return Changed
	}
	return None
}

// recall shows an earlier text, or a later one.
func (p *Prompt) recall(by int) Action {
	to := p.at + by
	if to < 0 || to >= len(p.before) {
		return None
	}
	p.before[p.at] = p.Text()
	p.at = to
	p.input.SetValue(p.before[to].Text)
	p.expr = p.before[to].Expr
	p.input.CursorEnd()
	p.complete.with = nil
	return Changed
}

// sign is shown before the text.
func (p *Prompt) sign() string {
	if p.patterns {
		return pattern.Sign(p.expr)
	}
	return p.label
}

// shown returns the parts of the text that fit before and after the cursor.
func (p *Prompt) shown(width int, g *screen.Glyphs) (before, after string) {
	text := []rune(p.input.Value())
	at := min(p.input.Position(), len(text))
	before, after = string(text[:at]), string(text[at:])
	room := width - screen.TextWidth(p.sign(), g.ASCII) - 2
	for screen.TextWidth(before, g.ASCII) > room {
		_, _, n := screen.NextCell(before, g.ASCII)
		before = before[n:]
	}
	return before, after
}

// Column returns where the terminal's cursor belongs in a line of width cells.
func (p *Prompt) Column(width int, g *screen.Glyphs) int {
	before, _ := p.shown(width, g)
	return screen.TextWidth(p.sign()+before, g.ASCII)
}

// View draws the prompt in width cells, with a message about the text typed.
func (p *Prompt) View(width int, message string, ms screen.Style, g *screen.Glyphs) string {
	before, after := p.shown(width, g)
	l := screen.NewLine(width, g).Put(p.sign(), screen.Bold)
	aside := p.aside(g)
	if screen.TextWidth(p.sign()+before+after+message+aside, g.ASCII)+4 > width {
		aside = "" // the text, and what is wrong with it, matter more
	}
	l.Left -= screen.TextWidth(aside, g.ASCII)
	switch {
	case before+after == "" && message == "":
		l.Put(" "+p.hint, screen.Faint)
	default:
		l.Put(before+after+" ", screen.Plain)
		l.Put("  "+message, ms)
	}
	l.Space(l.Left)
	l.Left = screen.TextWidth(aside, g.ASCII)
	return l.Put(aside, screen.Faint).End()
}

// aside tells how the text is read, and which key changes that.
func (p *Prompt) aside(g *screen.Glyphs) string {
	if !p.patterns {
		return ""
	}
	return pattern.SwitchHint(p.expr, g)
}
