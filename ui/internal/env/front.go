package env

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"

	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// Question is a prompt, and what to do with the text typed there.
type Question struct {
	*prompt.Prompt
	Title  string                      // of a prompt that floats
	Typed  func(t prompt.Text) tea.Cmd // after each change; may be nil
	Refuse func(t prompt.Text) string  // why the text is refused; "" if it is accepted; may be nil
	Submit func(t prompt.Text) tea.Cmd
	Cancel func() // may be nil
}

// List replaces the tree, or floats over it, until it is closed. It is made of a [prompt.List]: see its methods.
type List interface {
	Name() string
	HandleKey(k tea.KeyPressMsg) prompt.ListAction
	// Typing reports whether a text is being typed, such as a filter.
	Typing() bool
	Scroll(n int)
	Click(x, y int, double bool) prompt.ListAction
	// View draws height lines of width cells.
	View(width, height int, g *screen.Glyphs) []string
	Lines() int
	Width(g *screen.Glyphs) int
	Extent() screen.Scroll
	Hint(width int, g *screen.Glyphs) string
}

type shown struct {
	List
	choose func(i int) tea.Cmd
}

// Front is what is open. Its methods run on one goroutine.
type Front struct {
	Typed  prompt.History // makes prompts and remembers the texts typed into them
	Area   screen.Rect    // where the list in front is
	Still  bool           // what came last only moved within the list in front, or edited its filter
	Chosen bool           // the lists were left for a place in the tree, until the explorer has shown it

	env      *Env
	question *Question // nil if none is open
	lists    []shown   // the one in front last
	left     []shown   // those that Return opens again
}

func (f *Front) Ask(q *Question) tea.Cmd {
	f.question = q
	f.env.Status.Clear()
	return nil
}

// Show opens a list in place of those that are open. choose gets the index of a line chosen; nil if none can be.
func (f *Front) Show(l List, choose func(i int) tea.Cmd) {
	f.Leave()
	f.Push(l, choose)
}

// Push is Show over those that are open, which return when the list is closed. Over the tree, a list with a name takes
// the place of the one that Return leads to.
func (f *Front) Push(l List, choose func(i int) tea.Cmd) {
	if len(f.lists) == 0 && l.Name() != "" {
		f.left = nil
	}
	f.lists = append(f.lists, shown{l, choose})
}

// CloseLists closes all lists for good.
func (f *Front) CloseLists() { f.lists, f.left = nil, nil }

// Close closes the list in front.
func (f *Front) Close() { f.lists = f.lists[:len(f.lists)-1] }

// Leave closes the lists to show the tree: Return leads back to the last one with a name.
func (f *Front) Leave() {
	for i, l := range slices.Backward(f.lists) {
		if l.Name() != "" {
			f.left = f.lists[:i+1]
			break
		}
	}
	f.lists = nil
}

// Back returns the name of the list that Return leads to; "" if there is none.
func (f *Front) Back() string {
	if len(f.left) == 0 {
		return ""
	}
	return f.left[len(f.left)-1].Name()
}

// Return opens the lists that were left for the tree last, and reports whether there are any.
func (f *Front) Return() bool {
	f.lists, f.left = f.left, nil
	return len(f.lists) > 0
}

// List returns the list in front, or nil.
func (f *Front) List() List {
	if len(f.lists) == 0 {
		return nil
	}
	return f.lists[len(f.lists)-1].List
}

// Whole returns the list in front of those that replace the tree, or nil.
func (f *Front) Whole() List {
	for _, l := range slices.Backward(f.lists) {
		if l.Lines() == 0 {
			return l.List
		}
	}
	return nil
}

// Floats reports whether a prompt is open that floats over the tree.
func (f *Front) Floats() bool { return f.question != nil && f.question.Floats() }

// Open reports whether a list is open, in front or below others.
func (f *Front) Open(l List) bool {
	return slices.ContainsFunc(f.lists, func(s shown) bool { return s.List == l })
}

// Kept reports whether a list is open, or Return opens it again.
func (f *Front) Kept(l List) bool {
	return f.Open(l) || slices.ContainsFunc(f.left, func(s shown) bool { return s.List == l })
}

// Prompt returns the prompt that is open, or nil.
func (f *Front) Prompt() *prompt.Prompt {
	if f.question == nil {
		return nil
	}
	return f.question.Prompt
}

// HandleKey hands a key to what is open; handled is false if nothing is, or the key does nothing, which it says.
func (f *Front) HandleKey(k tea.KeyPressMsg) (cmd tea.Cmd, handled bool) {
	switch {
	case f.question != nil:
		return f.answer(f.question.HandleKey(k)), true
	case len(f.lists) > 0:
		f.env.Status.Clear()
		what := f.List().HandleKey(k)
		if what.Kind == prompt.Unbound {
			text := keys.KeyName(k.String(), f.env.Glyphs) + " does nothing here"
			if what.Say != "" {
				text += "; " + what.Say
			}
			f.env.Say(text)
			return nil, false
		}
		return f.act(what), true
	}
	return nil, false
}

func (f *Front) Click(x, y int, double bool) tea.Cmd {
	f.env.Status.Clear()
	return f.act(f.List().Click(x, y, double))
}

func (f *Front) Paste(msg tea.PasteMsg) tea.Cmd {
	if f.question == nil {
		return nil
	}
	return f.answer(f.question.Paste(msg))
}

// readClipboard returns the text of the clipboard as a paste, or [Failed].
func readClipboard() tea.Msg {
	text, err := clipboard.ReadAll()
	if err != nil {
		return Failed{"cannot read the clipboard", err}
	}
	return tea.PasteMsg{Content: text}
}

// answer does what a key pressed in the prompt asks for.
func (f *Front) answer(what prompt.Action) tea.Cmd {
	q := f.question
	switch what {
	case prompt.Changed:
		if q.Typed != nil {
			return q.Typed(q.Text())
		}
	case prompt.Wanted:
		return readClipboard
	case prompt.Taken:
		if q.Refuse != nil {
			if why := q.Refuse(q.Text()); why != "" {
				return f.env.Warn(why)
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
func (f *Front) act(what prompt.ListAction) tea.Cmd {
	in := f.lists[len(f.lists)-1]
	if what.Say != "" {
		f.env.Say(what.Say)
	}
	switch f.Still = what.Kind == prompt.NoAction && what.Say == ""; what.Kind {
	case prompt.Closed:
		f.Close()
	case prompt.Chosen:
		f.Leave()
		f.Chosen = true
		return in.choose(what.Index)
	case prompt.Returned:
		f.Close()
		return in.choose(what.Index)
	case prompt.Asked:
		if what.Leave {
			f.Leave()
			f.Chosen = true
		}
		return what.Do()
	}
	return nil
}

// remark returns the message about the text typed, and how it is drawn.
func (f *Front) remark() (text string, role theme.Role) {
	text, alarm := f.env.Status.Message()
	if alarm {
		return text, theme.Alarm
	}
	return text, theme.Faint
}

// PromptView draws the prompt in width cells, with the remarks about the text typed.
func (f *Front) PromptView(width int) string {
	text, role := f.remark()
	return f.question.View(width, text, role, f.env.Glyphs)
}

// PromptBox draws a prompt that floats, with its candidates: height lines of width cells.
func (f *Front) PromptBox(width, height int) []string {
	text, role := f.remark()
	return f.question.Box(f.question.Title, width, height, text, role, f.env.Glyphs)
}
