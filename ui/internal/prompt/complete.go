package prompt

import (
	"strings"
	"unicode/utf8"

	"tracex/ui/internal/screen"
)

// Candidate is a text that completes what is typed.
type Candidate struct {
	Text  string // takes the place of what is completed
	Title string // in the list of candidates; "" for Text
	Help  string // what it means
	Keys  string // keys that do the same
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

// look finds the candidates for the text before the cursor.
func (p *Prompt) look() {
	c := &p.complete
	if c.of == nil {
		return
	}
	text := p.input.text
	c.typed, c.after = string(text[:p.input.at]), string(text[p.input.at:])
	c.from, c.with = c.of(c.typed)
	c.picked = -1
}

// typedOn brings the candidates up to date after an edit. Without a text there is no list until
// Tab asks for it.
func (p *Prompt) typedOn() {
	p.complete.with = nil
	if p.input.Value() != "" {
		p.look()
	}
}

// walk puts the next candidate into the text, or the one before; between the last and the first
// is what was typed.
func (p *Prompt) walk(by int) Action {
	c := &p.complete
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
	p.input.SetValue(text + c.after)
	p.input.at = min(utf8.RuneCountInString(text), len(p.input.text))
	return Changed
}

// most is how many candidates are shown at once.
const most = 8

// Menu draws the candidates, at most height lines of width cells, with a rule above them. It is
// empty if there are none.
func (p *Prompt) Menu(width, height int, g *screen.Glyphs) []string {
	c := &p.complete
	n := len(c.with)
	rows := min(n, most, height-1)
	if rows <= 0 || n == 1 && c.with[0].Text == c.typed[c.from:] {
		return nil
	}
	top := max(0, min(c.picked-rows/2, n-rows))
	title := " " + screen.KeyName("tab", g) + ": " + screen.Grouped(int64(c.picked+1)) + " of " + screen.Grouped(int64(n)) + " "
	if c.picked < 0 {
		title = " " + screen.KeyName("tab", g) + " completes: " + screen.Grouped(int64(n)) + " "
	}
	lines := []string{screen.Titled(title, "", width, g)}
	at := 0
	for _, it := range c.with {
		at = max(at, min(screen.TextWidth(it.title(), g.ASCII), width/3))
	}
	for i := top; i < top+rows; i++ {
		lines = append(lines, c.with[i].line(i == c.picked, at, width, g))
	}
	return lines
}

func (c *Candidate) title() string {
	if c.Title != "" {
		return c.Title
	}
	return strings.TrimSpace(c.Text)
}

// line draws a candidate, with its help from a column on.
func (c *Candidate) line(picked bool, at, width int, g *screen.Glyphs) string {
	l := screen.NewLine(width, g)
	l.Cursor = picked
	if picked {
		l.Put(g.Cursor, screen.Accent)
	}
	l.Space(2 - (width - l.Left))
	l.Put(screen.CutEnd(c.title(), at, g), screen.Accent)
	l.Space(at + 4 - (width - l.Left))
	keys := screen.TextWidth(c.Keys, g.ASCII) + 2
	if c.Keys == "" || l.Left < 2*keys {
		return l.Put(c.Help, screen.Plain).End()
	}
	l.Left -= keys
	l.Put(c.Help, screen.Plain)
	l.Space(l.Left)
	l.Left = keys
	l.Space(1)
	return l.Put(c.Keys, screen.Faint).End()
}
