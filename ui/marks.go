package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/notes"
	"tracex/lazy/query/places"
	"tracex/ui/internal/details"
	"tracex/ui/internal/env"
	"tracex/ui/internal/front"
	"tracex/ui/internal/job"
	"tracex/ui/internal/marks"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
)

// marking is the marks and notes, with their keys.
type marking struct {
	*marks.Part
	env      *env.Env
	keyboard *keyboard
	tree     *tree.Part
	jobs     *job.Part
	front    *front.Front
	results  *results
}

// letter returns the letter from a to z that a key types; ok is false if it types none.
func letter(key string) (l byte, ok bool) {
	return key[0], len(key) == 1 && key[0] >= 'a' && key[0] <= 'z'
}

// askMark waits for the letter of a mark for the row.
func (m *marking) askMark(int) tea.Cmd {
	n := m.tree.Out.Cursor.Node
	if n == nil {
		m.env.Say("the row is not loaded: it cannot be marked")
		return nil
	}
	m.env.Say("mark: a letter from a to z")
	m.keyboard.then = func(key string) tea.Cmd {
		l, ok := letter(key)
		if !ok {
			m.refuseLetter(key)
			return nil
		}
		return m.Mark(l, n)
	}
	return nil
}

// askMarked waits for the letter of a mark to go to.
func (m *marking) askMarked(int) tea.Cmd {
	m.env.Say("go to mark: its letter; ' for where you were before the last jump")
	m.keyboard.then = func(key string) tea.Cmd {
		if key == "'" {
			return m.jobs.Before()
		}
		l, ok := letter(key)
		if !ok {
			m.refuseLetter(key)
			return nil
		}
		it, ok := m.Marked(l)
		if !ok {
			m.env.Warn("there is no mark " + key + "; " + screen.ActionKey("notes", m.env.Glyphs) + " lists the marks")
			return nil
		}
		return m.jobs.ToPoint(it.At, it.Event)
	}
	return nil
}

// refuseLetter tells that a key is no letter of a mark. Esc needs no word.
func (m *marking) refuseLetter(key string) {
	if key != "esc" {
		m.env.Say(screen.KeyName(key, m.env.Glyphs) + " is no letter from a to z")
	}
}

// A note has one line in the prompt: a line break is shown as \n.
var (
	noteToLine = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	lineToNote = strings.NewReplacer(`\\`, `\`, `\n`, "\n")
)

// longestNote is the longest text that a prompt can edit, in characters.
const longestNote = 500

// askNote asks for the text of the row's note.
func (m *marking) askNote(int) tea.Cmd {
	n := m.tree.Out.Cursor.Node
	if n == nil {
		m.env.Say("the row is not loaded: it cannot have a note")
		return nil
	}
	note, _ := m.Note(n)
	text, several := note.Text, strings.Contains(note.Text, "\n")
	if several {
		text = noteToLine.Replace(text)
	}
	if len([]rune(text)) > longestNote {
		m.env.Warn("the note is too long to be edited here; tracex notes removes and adds notes")
		return nil
	}
	p := m.front.Typed.Open("note: ", "Markdown; Esc keeps it as it is")
	p.Paste(tea.PasteMsg{Content: text})
	return m.front.Ask(&front.Question{
		Prompt: p,
		Submit: func(t prompt.Text) tea.Cmd {
			typed := t.Text
			if several {
				typed = lineToNote.Replace(typed)
			}
			return m.Write(note, n, typed)
		},
	})
}

// showList shows the marks and notes to choose from.
func (m *marking) showList(int) tea.Cmd {
	here, _ := m.tree.Out.Here()
	l := m.Open(notes.Item{At: here})
	m.front.Show(l, func(i int) tea.Cmd {
		it := l.Choose(i)
		m.walk()
		return m.jobs.ToPoint(it.At, it.Event)
	})
	return nil
}

// walk makes the marks and notes the current result.
func (m *marking) walk() {
	set := places.New()
	for _, at := range m.Places() {
		set.Add(at.Thread, at.At)
	}
	set.Finish()
	m.results.use(&result{
		one: "marked row", several: "marked rows", raw: !m.tree.Out.Tree.Folded(), set: func() *places.Set { return set },
	})
}

// shown returns the list of marks and notes, if it is in front.
func (m *marking) shown() *marks.List {
	l, _ := m.front.List().(*marks.List)
	return l
}

// noted returns the marks and notes of the cursor's row for the details.
func (m *marking) noted() (list []details.Note) {
	for _, it := range m.Of(m.tree.Out.Cursor.Node) {
		if it.Mark != 0 {
			list = append(list, details.Note{Label: "mark", Text: string(rune(it.Mark))})
			continue
		}
		note := details.Note{Label: "your note", Text: it.Text}
		var by []string
		if it.Author != "" {
			by = append(by, it.Author)
		}
		if !it.Time.IsZero() {
			by = append(by, it.Time.UTC().Format("2006-01-02 15:04 UTC"))
		}
		note.By = strings.Join(by, ", ")
		list = append(list, note)
	}
	return list
}
