package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
)

// prompt is the line at the bottom where something is typed.
type prompt struct {
	label  string
	hint   string // what could be typed, while nothing is
	input  field
	typed  func(m *Model, text string) // after each change; may be nil
	refuse func(text string) string    // why the text cannot be taken; "" when it can; may be nil
	submit func(m *Model, text string) tea.Cmd
	cancel func(m *Model)
	before []typedText // what was typed before, the newest last; in the end what is typed now
	at     int         // index in before of what is shown

	patterns bool // the text is that of a pattern
	expr     bool // and a regular expression
}

// typedText is what was typed into a prompt.
type typedText struct {
	text string
	expr bool // as a regular expression
}

// maxBefore bounds how much of what was typed is kept, for each sort of prompt.
const maxBefore = 100

// maxTyped bounds what is typed into a prompt, in characters.
const maxTyped = 500

func (m *Model) ask(label, hint string) *prompt {
	before := m.typed[label]
	m.prompt = &prompt{label: label, hint: hint, input: field{limit: maxTyped}, before: append(slices.Clone(before), typedText{}), at: len(before)}
	m.status.message = ""
	return m.prompt
}

// HandleKey edits the text, takes it or gives it up.
func (p *prompt) HandleKey(k tea.KeyPressMsg) action {
	switch k.String() {
	case "enter":
		return p.take
	case "backspace":
		if p.input.Value() == "" {
			return p.leave
		}
	case "up", "ctrl+p":
		return p.recall(-1)
	case "down", "ctrl+n":
		return p.recall(1)
	case "esc", "ctrl+c": // as in a shell, and what was searched stays
		return p.leave
	case "ctrl+r", "alt+r":
		if p.patterns {
			p.expr = !p.expr
			return p.changed()
		}
	}
	return p.edit(k)
}

// take takes what was typed, unless it cannot be taken.
func (p *prompt) take(m *Model) tea.Cmd {
	text := p.input.Value()
	if p.refuse != nil {
		if why := p.refuse(text); why != "" {
			m.warn(why)
			return nil
		}
	}
	m.prompt = nil
	m.keepTyped(p.label, typedText{text, p.expr})
	return p.submit(m, text)
}

// keepTyped keeps what was typed into a prompt, for the next one of its sort.
func (m *Model) keepTyped(label string, what typedText) {
	if strings.TrimSpace(what.text) == "" {
		return
	}
	before := slices.DeleteFunc(m.typed[label], func(t typedText) bool { return t == what })
	m.typed[label] = append(before[max(0, len(before)+1-maxBefore):], what)
}

// recall shows what was typed before, or after that.
func (p *prompt) recall(by int) action {
	to := p.at + by
	if to < 0 || to >= len(p.before) {
		return nil
	}
	p.before[p.at] = typedText{p.input.Value(), p.expr}
	p.at = to
	p.input.SetValue(p.before[to].text)
	p.expr = p.before[to].expr
	p.input.CursorEnd()
	return p.changed()
}

// changed tells that there is another text.
func (p *prompt) changed() action {
	if p.typed == nil {
		return nil
	}
	return func(m *Model) tea.Cmd {
		p.typed(m, p.input.Value())
		return nil
	}
}

func (p *prompt) paste(msg tea.PasteMsg) action { return p.edit(msg) }

// edit hands a key or a paste to the line editor.
func (p *prompt) edit(msg tea.Msg) action {
	if !p.input.Update(msg) {
		return nil
	}
	return p.changed()
}

func (p *prompt) leave(m *Model) tea.Cmd {
	m.prompt, m.status.message = nil, "" // which was about what was typed
	if p.cancel != nil {
		p.cancel(m)
	}
	return nil
}

// sign is what stands before the text.
func (p *prompt) sign() string {
	if p.patterns {
		return pattern.Sign(p.expr)
	}
	return p.label
}

// shown is the part of the text that fits before and behind the cursor.
func (p *prompt) shown(width int, g *screen.Glyphs) (before, behind string) {
	text := []rune(p.input.Value())
	at := min(p.input.Position(), len(text))
	before, behind = string(text[:at]), string(text[at:])
	room := width - screen.TextWidth(p.sign(), g.ASCII) - 2
	for screen.TextWidth(before, g.ASCII) > room {
		_, _, n := screen.NextCell(before, g.ASCII)
		before = before[n:]
	}
	return before, behind
}

// column is where the terminal's cursor stands.
func (p *prompt) column(width int, g *screen.Glyphs) int {
	before, _ := p.shown(width, g)
	return screen.TextWidth(p.sign()+before, g.ASCII)
}

func (p *prompt) view(m *Model) string {
	before, behind := p.shown(m.width, m.g)
	l := screen.NewLine(m.width, m.g).Put(p.sign(), screen.Bold)
	aside := p.aside(m.g)
	if screen.TextWidth(p.sign()+before+behind+m.status.message+aside, m.g.ASCII)+4 > m.width {
		aside = "" // what is typed, and what is wrong with it, matter more
	}
	l.Left -= screen.TextWidth(aside, m.g.ASCII)
	switch {
	case before+behind == "" && m.status.message == "":
		l.Put(" "+p.hint, screen.Faint)
	default:
		l.Put(before+behind+" ", screen.Plain)
		s := screen.Faint
		if m.status.alarm {
			s = screen.Alarm
		}
		l.Put("  "+m.status.message, s)
	}
	l.Space(l.Left)
	l.Left = screen.TextWidth(aside, m.g.ASCII)
	return l.Put(aside, screen.Faint).End()
}

// aside says how the text is read, and which key changes that.
func (p *prompt) aside(g *screen.Glyphs) string {
	if !p.patterns {
		return ""
	}
	return pattern.SwitchHint(p.expr, g)
}
