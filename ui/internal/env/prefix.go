package env

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// prefixWait is how long the keys that may follow a prefix are not shown: who knows them is faster.
const prefixWait = 300 * time.Millisecond

// Choice is a key that may follow a prefix, and what it means.
type Choice struct {
	Key  string
	To   string // the choice is for all letters from Key to this; "" for Key alone
	Text string // what it does, for the user
	Name string // what it does, for the Chooser
}

// Chooser does what a key means that follows a prefix.
type Chooser interface {
	Choose(c Choice) tea.Cmd
}

// Prefix is a key that waits for another one. The first choice for a key counts.
type Prefix struct {
	Title   string
	Choices []Choice
	By      Chooser

	shown bool
}

// PrefixWaited arrives when the keys that may follow a prefix are to be shown.
type PrefixWaited struct{ prefix *Prefix }

// Offer lets the next key choose. If it takes its time, the choices are shown.
func (e *Env) Offer(p *Prefix) tea.Cmd {
	e.Keyboard.Prefix = p
	return e.Clock.After(prefixWait, PrefixWaited{p})
}

// Show shows the choices, if they are still wanted.
func (w PrefixWaited) Show() { w.prefix.shown = true }

// Follow does what a key means after the prefix.
func (e *Env) Follow(key string) tea.Cmd {
	p := e.Keyboard.Prefix
	e.Keyboard.Prefix = nil
	e.Status.Clear()
	var all []string
	for _, c := range p.Choices {
		if c.Key == key || c.To != "" && len(key) == 1 && c.Key <= key && key <= c.To {
			c.Key = key
			return p.By.Choose(c)
		}
		all = append(all, c.keys(e.Glyphs))
	}
	if key != "esc" {
		e.Say(keys.KeyName(key, e.Glyphs) + " is none of " + strings.Join(all, "  "))
	}
	return nil
}

// keys returns the keys of a choice, as the user reads them.
func (c *Choice) keys(g *screen.Glyphs) string {
	name := keys.KeyName(c.Key, g)
	if c.To != "" {
		name += g.More + c.To
	}
	return name
}

// PrefixBox draws the choices above line bottom of the screen, and tells where; no lines while they are not shown.
func (e *Env) PrefixBox(bottom int) (lines []string, in screen.Rect) {
	p, g := e.Keyboard.Prefix, e.Glyphs
	if p == nil || !p.shown {
		return nil, in
	}
	at, width := 0, g.TextWidth(p.Title)+4
	for _, c := range p.Choices {
		at = max(at, g.TextWidth(c.keys(g)))
	}
	for _, c := range p.Choices {
		width = max(width, at+2+g.TextWidth(c.Text))
	}
	in = screen.Rect{X: 1, Width: min(width+2, e.Width-2), Height: min(len(p.Choices)+1, bottom-2)} // with a blank on both sides
	in.Y = bottom - in.Height - 1
	lines = append(lines, screen.Titled(" "+g.CutEnd(p.Title, in.Width-4)+" ", "", in.Width, g))
	for i, c := range p.Choices[:in.Height-1] {
		line := screen.NewLine(in.Width, g)
		line.Space(1)
		if rest := len(p.Choices) - i; p.cut(i, in) {
			c = Choice{Key: g.More, Text: strconv.Itoa(rest) + " more"}
		}
		line.Put(c.keys(g), theme.Accent)
		line.Space(at + 3 - (in.Width - line.Left))
		lines = append(lines, line.Put(c.Text, theme.Plain).End())
	}
	return lines, in
}

// cut reports whether the line of a choice stands for all from that one on, as there is no room for them.
func (p *Prefix) cut(i int, in screen.Rect) bool { return i == in.Height-2 && i < len(p.Choices)-1 }

// KeyAt returns the key at a cell of the box; that of leaving if there is none.
func (p *Prefix) KeyAt(x, y int, in screen.Rect) string {
	if i := y - in.Y - 1; in.Has(x, y) && i >= 0 && !p.cut(i, in) {
		return p.Choices[i].Key
	}
	return "esc"
}

// Typed returns what is typed before a key: a number, or a prefix.
func (k *Keyboard) Typed(g *screen.Glyphs) string {
	if k.Prefix != nil {
		return k.Prefix.Title + g.More
	}
	return k.Count.String()
}
