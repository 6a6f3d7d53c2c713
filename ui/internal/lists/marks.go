package lists

import (
	"context"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/notes"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/tree"
)

// Marks are the marks and notes of a trace, with their keys.
type Marks struct {
	env     *env.Env
	tree    *tree.Tree
	results *search.Results
	book    *notes.Book

	at      map[lazy.Position][]notes.Item // the items of the book by place
	all     []notes.Item                   // in the order of the trace
	Places  []lazy.Position                // trace points that have items, in the order of the trace
	removed []notes.Item                   // the last one last

	unsaved   bool // the book has changed since the last save began
	saving    env.Task
	reopening env.Task
}

// NewMarks returns the marks and notes of a book; nil means one in memory.
func NewMarks(e *env.Env, t *tree.Tree, results *search.Results, b *notes.Book) *Marks {
	if b == nil {
		b = notes.InMemory()
	}
	m := &Marks{env: e, tree: t, results: results, book: b}
	m.index()
	return m
}

// index brings what is known about the book up to date.
func (m *Marks) index() {
	m.all, m.at, m.Places = m.book.Items(), make(map[lazy.Position][]notes.Item), nil
	for _, it := range m.all {
		if it.At.At >= 0 && m.at[it.At] == nil {
			m.Places = append(m.Places, it.At)
		}
		m.at[it.At] = append(m.at[it.At], it)
	}
}

// place returns the place of a node, as items have it.
func place(n *lazy.Node) (at lazy.Position, event int32) {
	if event = -1; !n.IsThread() {
		event = n.Point().Event
	}
	return tree.PlaceOf(n), event
}

func (m *Marks) Of(n *lazy.Node) (items []notes.Item) {
	if n == nil || len(m.all) == 0 {
		return nil
	}
	at, event := place(n)
	for _, it := range m.at[at] {
		if it.Event == event {
			items = append(items, it)
		}
	}
	return items
}

// Sign returns the sign of a node's row and a short text; "" if nothing is there.
func (m *Marks) Sign(n *lazy.Node) (sign, text string) {
	var words []string
	for _, it := range m.Of(n) {
		if it.Mark != 0 {
			if sign == "" {
				sign = "'"
			}
			words = append(words, "'"+string(rune(it.Mark)))
			continue
		}
		sign = m.env.Glyphs.Note
		words = append(words, sign+" "+it.FirstLine())
	}
	return sign, strings.Join(words, "  ")
}

func (m *Marks) mark(letter byte, n *lazy.Node) tea.Cmd {
	at, event := place(n)
	it := m.book.Mark(letter, at, event)
	m.changed()
	return m.env.Say("mark " + string(rune(letter)) + " is at " + m.tree.Named(it.Handle()) + m.unkept())
}

// unkept adds to a message that the change is kept in memory only.
func (m *Marks) unkept() string {
	if m.book.Kept() {
		return ""
	}
	return ", until you quit"
}

// note returns the newest note at a node.
func (m *Marks) note(n *lazy.Node) (note notes.Item, ok bool) {
	for _, it := range m.Of(n) {
		if it.Mark == 0 {
			note, ok = it, true
		}
	}
	return note, ok
}

// write replaces a note at a node, or adds one if its ID is "". Without a text it removes the note.
func (m *Marks) write(note notes.Item, n *lazy.Node, text string) {
	text = strings.TrimSpace(text)
	switch {
	case text == "" && note.ID == "", text == note.Text:
		return
	case text == "":
		m.remove(note.ID)
		return
	}
	note.Text = text
	note.At, note.Event = place(n)
	it := m.book.Put(note)
	m.env.Say("note at " + m.tree.Named(it.Handle()) + m.unkept())
	m.changed()
}

func (m *Marks) remove(id string) {
	it, ok := m.book.Remove(id)
	if !ok {
		return
	}
	what := "the note"
	if it.Mark != 0 {
		what = "mark " + string(rune(it.Mark))
	}
	m.removed = append(m.removed, it)
	m.env.Say("removed " + what + " at " + m.tree.Named(it.Handle()) + "; u in the list of notes (" + keys.ActionKey("notes", m.env.Glyphs) + ") brings it back")
	m.changed()
}

// undo puts back what was removed last.
func (m *Marks) undo() {
	last := len(m.removed) - 1
	if last < 0 {
		m.env.Say("nothing was removed")
		return
	}
	it := m.removed[last]
	m.removed = m.removed[:last]
	m.book.Restore(it)
	m.env.Say("it is back at " + m.tree.Named(it.Handle()))
	m.changed()
}

// changed notes a change of the book, which Settle saves.
func (m *Marks) changed() {
	m.index()
	m.unsaved = m.book.Kept()
}

// save saves the book in the background, one time after the other.
func (m *Marks) save() tea.Cmd {
	if !m.unsaved || m.saving.Running() {
		return nil
	}
	m.unsaved = false
	book := m.book
	return m.saving.Later(m.env, func(context.Context) func() tea.Cmd {
		err := book.Save()
		return env.Done(func() {
			m.warn(err)
			m.index() // the file may have had changes of others
		})
	})
}

// Reopen reads the notes again, after another trace has taken the place of the one before.
func (m *Marks) Reopen() tea.Cmd {
	old := m.book
	m.book, m.unsaved, m.removed = notes.InMemory(), false, nil
	m.saving.Stop()
	m.index()
	return m.reopening.Later(m.env, func(context.Context) func() tea.Cmd {
		b, err := old.Reopen()
		return env.Done(func() {
			for _, it := range m.all { // made meanwhile
				b.Restore(it)
			}
			m.book = b
			m.index()
			m.warn(err)
			if to := b.Aside(); to != "" {
				m.env.Say("the notes are of another trace; they become " + filepath.Base(to) + " when there are some to keep of this one")
			}
		})
	})
}

// warn tells why notes are not kept, with the file's name without its directory.
func (m *Marks) warn(err error) {
	if err == nil {
		return
	}
	text := screen.ErrorLine(err)
	if path := m.book.Path(); path != "" {
		text = strings.ReplaceAll(text, path, filepath.Base(path))
	}
	m.env.Warn(text)
}

func (m *Marks) Session() notes.Session { return m.book.Session() }

// Close saves the session, unless it is nil, and what is unsaved. It returns an error if marks or notes are lost.
func (m *Marks) Close(s *notes.Session) error {
	if !m.book.Kept() {
		return nil
	}
	if s != nil {
		m.book.SetSession(*s)
	}
	err := m.book.Save()
	if m.book.Unsaved() == 0 {
		return nil // only the session is lost
	}
	return err
}
