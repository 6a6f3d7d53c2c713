package lists

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
)

// AskMark waits for the letter of a mark for the row.
func (m *Marks) AskMark() tea.Cmd {
	n := m.tree.Out.Cursor.Node
	if n == nil {
		return m.env.Say("the row is not loaded: it cannot be marked")
	}
	free := byte('a')
	choices := m.choices("move it from ")
	for _, c := range choices {
		if c.Key[0] == free {
			free++
		}
	}
	if free <= 'z' {
		choices = append(choices, env.Choice{Key: string(rune(free)), To: "z", Text: "a new mark"})
	}
	return m.env.Offer(&env.Prefix{Title: "mark", Choices: choices, By: marking{m, n}})
}

// marking is a row that a letter marks.
type marking struct {
	*Marks
	n *lazy.Node
}

func (m marking) Choose(c env.Choice) tea.Cmd { return m.mark(c.Key[0], m.n) }

// choices returns the letters of the marks, in their order, with a text before the places.
func (m *Marks) choices(before string) (all []env.Choice) {
	for l := byte('a'); l <= 'z'; l++ {
		if it, ok := m.book.Marked(l); ok {
			all = append(all, env.Choice{Key: string(rune(l)), Text: before + it.Handle().String()})
		}
	}
	return all
}

// AskMarked waits for the letter of a mark to go to.
func (m *Marks) AskMarked() tea.Cmd {
	return m.env.Offer(&env.Prefix{Title: "go to mark", Choices: append(m.choices("to "), before, unset), By: m})
}

// What follows the key of going to a mark, besides those that are set.
var (
	before = env.Choice{Key: "'", Text: "back to before the jump"}
	unset  = env.Choice{Key: "a", To: "z", Text: "no mark yet"}
)

func (m *Marks) Choose(c env.Choice) tea.Cmd {
	if c.Key == before.Key {
		return m.tree.Jobs.Before()
	}
	it, ok := m.book.Marked(c.Key[0])
	if !ok {
		return m.env.Warn("there is no mark " + c.Key + "; " + keys.ActionKey("notes", m.env.Glyphs) + " lists the marks")
	}
	return m.tree.Jobs.ToPoint(it.At, it.Event)
}

// A note has one line in the prompt: a line break is shown as \n.
var (
	noteToLine = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	lineToNote = strings.NewReplacer(`\\`, `\`, `\n`, "\n")
)

// longestNote is the longest text that a prompt can edit, in characters.
const longestNote = 500

// AskNote asks for the text of the row's note.
func (m *Marks) AskNote() tea.Cmd {
	n := m.tree.Out.Cursor.Node
	if n == nil {
		return m.env.Say("the row is not loaded: it cannot have a note")
	}
	note, _ := m.note(n)
	text, several := note.Text, strings.Contains(note.Text, "\n")
	if several {
		text = noteToLine.Replace(text)
	}
	if len([]rune(text)) > longestNote {
		return m.env.Warn("the note is too long to be edited here; tracex notes removes and adds notes")
	}
	p := m.env.Front.Typed.Open("note: ", "Markdown; Esc keeps it as it is")
	p.Paste(tea.PasteMsg{Content: text})
	return m.env.Front.Ask(&env.Question{
		Prompt: p,
		Submit: func(t prompt.Text) tea.Cmd {
			typed := t.Text
			if several {
				typed = lineToNote.Replace(typed)
			}
			m.write(note, n, typed)
			return nil
		},
	})
}
