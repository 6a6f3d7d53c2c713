package ui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/notes"
	"tracex/ui/internal/details"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

// pane is a part of the window besides the tree. Its methods run on Bubble Tea's goroutine.
type pane struct {
	*details.Lines
	content
}

// content is what a pane shows.
type content interface {
	Title() string
	// View draws height lines of width cells.
	View(width, height int) []string
	// Enter does what the cursor's line offers.
	Enter() tea.Cmd
}

// panes is how the window is divided between the tree and the other panes, and which of them has the keys. Which of them
// fit in a small terminal: screen.Layout.
type panes struct {
	env    *env.Env
	layout *screen.Layout         // as drawn last
	all    [screen.PaneCount]pane // by screen.Pane; the tree is none

	sizes screen.Sizes
	keys  screen.Pane
	front screen.Pane // of the others, the one that was shown or had the keys last
	zoom  bool
	aside bool           // they do not replace the tree: it is what the user wants to see, or has not asked for a pane yet
	drag  screen.Divider // that the mouse is moving
}

// toggle shows a pane, or hides it if it is on the screen.
func (x *panes) toggle(p screen.Pane) {
	if x.zoom || !x.all[p].On() || x.layout.Panes[p].Width > 0 {
		x.all[p].Toggle()
	}
	if x.zoom = false; x.all[p].On() {
		x.front, x.aside = p, false
	} else if x.keys == p {
		x.give(screen.TreePane)
	}
}

func (x *panes) give(p screen.Pane) {
	x.keys = p
	for i, each := range x.all {
		if each.Lines != nil {
			each.SetKeys(screen.Pane(i) == p)
		}
	}
	if p != screen.TreePane {
		x.front, x.aside = p, false
	}
}

// uncover shows the tree also where a pane would replace it.
func (x *panes) uncover() {
	x.aside = true
	if x.covers() {
		x.give(screen.TreePane)
	}
}

// covers reports whether a pane replaces the tree.
func (x *panes) covers() bool { return x.layout.Side == screen.Only }

// hide hides the pane that was shown last, and reports whether there was one.
func (x *panes) hide() bool {
	if x.layout.Side == screen.Nowhere && !x.zoom {
		return false
	}
	x.zoom = false
	for p := range screen.PaneCount {
		if p == screen.TreePane {
			p = x.front // the first to be hidden
		}
		if p != screen.TreePane && x.all[p].Hide() {
			x.give(screen.TreePane)
			return true
		}
	}
	return false
}

// do does what a command does in the pane that has the keys, some times, one way; done is false if it is for the tree.
func (x *panes) do(c keys.Name, times, way int) (cmd tea.Cmd, done bool) {
	if x.keys == screen.TreePane {
		return nil, false
	}
	p, page := x.all[x.keys], max(1, x.layout.Panes[x.keys].Height-1)
	switch c {
	case keys.Down:
		p.Move(times)
	case keys.PageDown:
		p.Move(times * page)
	case keys.HalfPageDown:
		p.Move(way * max(1, page/2))
	case keys.ScrollDown:
		p.Scroll(times)
	case keys.First:
		p.Move(math.MinInt32)
	case keys.Last:
		p.Move(math.MaxInt32)
	case keys.Toggle, keys.Expand:
		return p.Enter(), true
	case keys.Stop, keys.Collapse:
		x.uncover()
		x.give(screen.TreePane)
	default:
		return nil, false
	}
	return nil, true
}

// paneKeys are what may follow the key of the panes.
var paneKeys = []env.Choice{
	{Key: "w", Text: "keys to the next pane", Name: "next"},
	{Key: ">", Text: "wider", Name: "wider"},
	{Key: "<", Text: "narrower", Name: "narrower"},
	{Key: "+", Text: "higher", Name: "higher"},
	{Key: "-", Text: "lower", Name: "lower"},
	{Key: "=", Text: "sizes as at first", Name: "even"},
	{Key: "z", Text: "this pane alone, or all again", Name: "zoom"},
	{Key: "q", Text: "close the pane", Name: "close"},
}

// ask waits for the key that says what to do with the panes.
func (x *panes) ask() tea.Cmd {
	return x.env.Offer(&env.Prefix{Title: "panes", Choices: paneKeys, By: x})
}

// checkPanes tells what is wrong with what was typed after the command.
func checkPanes(word string) error {
	_, with := completePanes("")
	words := make([]string, len(with))
	for i, c := range with {
		words[i] = c.Text
	}
	if word == "" || slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("no change %s: there are %s", word, strings.Join(words, ", "))
}

// completePanes completes a word of paneKeys: see [prompt.Completer].
func completePanes(text string) (from int, with []prompt.Candidate) {
	for _, c := range paneKeys {
		if strings.HasPrefix(c.Name, text) {
			with = append(with, prompt.Candidate{Text: c.Name, Help: c.Text})
		}
	}
	return 0, with
}

func (x *panes) Choose(c env.Choice) tea.Cmd { return x.change(c.Name) }

// change does what a word says, one of those of paneKeys.
func (x *panes) change(word string) tea.Cmd {
	l, width := x.layout, x.env.Width
	p := x.keys
	if p == screen.TreePane {
		p = x.front
	}
	if p == screen.TreePane || !x.all[p].On() {
		return x.env.Say("there is only the tree: " + keys.ActionKey("details", x.env.Glyphs) + " shows the details, " + keys.ActionKey("show-source", x.env.Glyphs) + " the source")
	}
	switch word {
	case "next":
		next := x.keys + 1
		for int(next) < len(x.all) && !x.all[next].On() {
			next++
		}
		x.give(next % screen.Pane(len(x.all)))
	case "wider", "narrower":
		columns := 4
		if (word == "narrower") != (x.keys == screen.TreePane) {
			columns = -columns
		}
		x.sizes = l.Resize(p, columns, 0, width, x.sizes)
	case "higher", "lower":
		lines := 2
		if (word == "lower") != (x.keys == screen.TreePane && l.Side == screen.Below) {
			lines = -lines
		}
		x.sizes = l.Resize(p, 0, lines, width, x.sizes)
	case "even":
		x.sizes, x.zoom = screen.Sizes{}, false
	case "zoom":
		x.zoom = !x.zoom
	case "close":
		x.toggle(p)
	}
	return nil
}

func (x *panes) draw(f *frame) {
	for i, p := range x.all {
		if r := f.layout.Panes[i]; r.Width > 0 {
			lines := p.View(r.Width-1, r.Height)
			f.panes[i] = paneLines{title: p.Title(), lines: lines, shown: p.Extent(), cursor: p.Cursor(), keys: screen.Pane(i) == x.keys}
		}
	}
}

// dragged moves the divider that the mouse has hold of.
func (x *panes) dragged(e tea.MouseMotionMsg) {
	if x.drag != screen.NoDivider && e.Button == tea.MouseLeft {
		x.sizes = x.layout.Drag(x.drag, e.X, e.Y, x.env.Width, x.sizes)
	}
}

// restore shows the panes as in the last session.
func (x *panes) restore(s *notes.Session) {
	x.sizes = screen.SizesOf(s.Sizes)
	for p, on := range map[screen.Pane]bool{screen.SourcePane: s.Source, screen.DetailsPane: s.Details} {
		if on && !x.all[p].On() {
			x.toggle(p)
		}
	}
	x.aside = true
}
