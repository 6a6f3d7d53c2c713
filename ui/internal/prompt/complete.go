package prompt

import (
	"cmp"
	"strings"

	"tracex/lazy/query/display"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

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

// take accepts the text. In a prompt that floats, that is the marked candidate: one that more follows, which ends in a
// blank, is put into the text first.
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

// walk puts the next candidate into the text, or the one before; between the last and the first
// is what was typed.
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

// most is how many candidates are shown at once.
const most = 8

// Box draws a prompt that floats: height lines of width cells, a title, the text, and the candidates.
func (p *Prompt) Box(title string, width, height int, message string, ms theme.Role, g *screen.Glyphs) []string {
	c := &p.complete
	lines := []string{screen.Titled(" "+title+" ", "", width, g), p.View(width, message, ms, g), screen.Titled("", c.usage(width, g), width, g)}
	rows := max(0, height-len(lines))
	for i := max(0, min(c.picked-rows/2, len(c.with)-rows)); i < len(c.with) && len(lines) < height; i++ {
		lines = append(lines, c.with[i].line(i == c.picked, c.column(width, g), width, g))
	}
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

// column returns where the help of the candidates begins.
func (c *completion) column(width int, g *screen.Glyphs) (at int) {
	for _, it := range c.with {
		at = max(at, min(g.TextWidth(it.title()), width/3))
	}
	return at
}

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
	title := " Tab: " + display.Grouped(int64(c.picked+1)) + " of " + display.Grouped(int64(n)) + " "
	if c.picked < 0 {
		title = " Tab completes: " + display.Grouped(int64(n)) + " "
	}
	lines := []string{screen.Titled(title, c.usage(width-g.TextWidth(title), g), width, g)}
	at := c.column(width, g)
	for i := top; i < top+rows; i++ {
		lines = append(lines, c.with[i].line(i == c.picked, at, width, g))
	}
	return lines
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
