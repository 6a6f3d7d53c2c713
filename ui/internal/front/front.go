// Package front is what is open in front of the tree: a prompt at the bottom, or a list that
// replaces the tree.
package front

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/env"
	"tracex/ui/internal/list"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

// Question is a prompt, and what to do with the text typed there.
type Question struct {
	*prompt.Prompt
	Typed  func(t prompt.Text)        // after each change; may be nil
	Refuse func(t prompt.Text) string // why the text is refused; "" if it is accepted; may be nil
	Submit func(t prompt.Text) tea.Cmd
	Cancel func() // may be nil
}

// List replaces the tree until it is closed.
type List interface {
	// HandleKey returns what a key asks for.
	HandleKey(k tea.KeyPressMsg) list.Action
	// Scroll moves the lines shown by n, for the mouse wheel.
	Scroll(n int)
	// View draws height lines of width cells.
	View(width, height int, g *screen.Glyphs) []string
	// Hint returns the bottom line, if possible in width cells.
	Hint(width int, g *screen.Glyphs) string
}

// Front is what is open. Its methods run on one goroutine.
type Front struct {
	// Typed makes prompts and remembers the texts typed into them.
	Typed prompt.History

	env      *env.Env
	question *Question // nil if none is open
	list     List      // nil if none is open
	choose   func(i int) tea.Cmd
}

// New returns a Front with nothing open.
func New(e *env.Env) Front { return Front{env: e} }

// Ask opens a prompt.
func (f *Front) Ask(q *Question) tea.Cmd {
	f.question = q
	f.env.Status.Clear()
	return nil
}

// Show opens a list. choose is called with the index of the line chosen; it may be nil if
// lines cannot be chosen.
func (f *Front) Show(l List, choose func(i int) tea.Cmd) { f.list, f.choose = l, choose }

// CloseList closes the list.
func (f *Front) CloseList() { f.list, f.choose = nil, nil }

// List returns the list that is open, or nil.
func (f *Front) List() List { return f.list }

// Prompt returns the prompt that is open, or nil.
func (f *Front) Prompt() *prompt.Prompt {
	if f.question == nil {
		return nil
	}
	return f.question.Prompt
}

// HandleKey hands a key to what is open; handled is false if nothing is.
func (f *Front) HandleKey(k tea.KeyPressMsg) (cmd tea.Cmd, handled bool) {
	switch {
	case f.question != nil:
		return f.answer(f.question.HandleKey(k)), true
	case f.list != nil:
		return f.act(f.list.HandleKey(k)), true
	}
	return nil, false
}

// Paste inserts a text into the prompt.
func (f *Front) Paste(msg tea.PasteMsg) tea.Cmd {
	if f.question == nil {
		return nil
	}
	return f.answer(f.question.Paste(msg))
}

// answer does what a key pressed in the prompt asks for.
func (f *Front) answer(what prompt.Action) tea.Cmd {
	q := f.question
	switch what {
	case prompt.Changed:
		if q.Typed != nil {
			q.Typed(q.Text())
		}
	case prompt.Taken:
		if q.Refuse != nil {
			if why := q.Refuse(q.Text()); why != "" {
				f.env.Warn(why)
				return nil
			}
		}
		f.question = nil
		f.Typed.Keep(q.Prompt)
		return q.Submit(q.Text())
	case prompt.Left:
		f.question = nil
		f.env.Status.Clear() // the message was about the text typed
		if q.Cancel != nil {
			q.Cancel()
		}
	}
	return nil
}

// act does what a key pressed in the list asks for.
func (f *Front) act(what list.Action) tea.Cmd {
	choose := f.choose
	switch what.Kind {
	case list.Closed:
		f.CloseList()
	case list.Chosen:
		f.CloseList()
		return choose(what.Index)
	}
	return nil
}

// PromptView draws the prompt in width cells, with the remarks about the text typed.
func (f *Front) PromptView(width int) string {
	text, alarm := f.env.Status.Message()
	s := screen.Faint
	if alarm {
		s = screen.Alarm
	}
	return f.question.View(width, text, s, f.env.Glyphs)
}
