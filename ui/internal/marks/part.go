// Package marks is the marks and notes of the explorer: the signs at rows, the list of all of
// them, and saving them in the background. A [notes.Book] holds them.
package marks

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/notes"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
)

// Part is the marks and notes of a trace. Its methods run on one goroutine. Messages for the user
// go to the line of the environment.
type Part struct {
	r    *lazy.LazyTraceReader
	env  *env.Env
	book *notes.Book

	at      map[lazy.Position][]notes.Item // the items of the book by place
	all     []notes.Item                   // in the order of the trace
	removed []notes.Item                   // the last one last
	saving  bool
	again   bool // there are changes since the save under way began
}

// New returns the Part for a book; nil means one in memory.
func New(r *lazy.LazyTraceReader, e *env.Env, b *notes.Book) *Part {
	if b == nil {
		b = notes.InMemory()
	}
	p := &Part{r: r, env: e, book: b}
	p.index()
	return p
}

// Msg is the result of work in the background, for Update.
type Msg interface{ apply(p *Part) tea.Cmd }

// Update handles such a result.
func (p *Part) Update(msg Msg) tea.Cmd { return msg.apply(p) }

// index brings what the Part knows about the book up to date.
func (p *Part) index() {
	p.all, p.at = p.book.Items(), make(map[lazy.Position][]notes.Item)
	for _, it := range p.all {
		p.at[it.At] = append(p.at[it.At], it)
	}
}

// place returns the place of a node, as items have it.
func place(n *lazy.Node) (at lazy.Position, event int32) {
	if n.IsThread() {
		return lazy.Position{Thread: n.Thread(), At: -1}, -1
	}
	return n.Position(), n.Point().Event
}

// Of returns the marks and notes at a node.
func (p *Part) Of(n *lazy.Node) (items []notes.Item) {
	if n == nil || len(p.all) == 0 {
		return nil
	}
	at, event := place(n)
	for _, it := range p.at[at] {
		if it.Event == event {
			items = append(items, it)
		}
	}
	return items
}

// Places returns the trace points that have marks or notes, in the order of the trace.
func (p *Part) Places() (list []lazy.Position) {
	for at := range p.at {
		if at.At >= 0 {
			list = append(list, at)
		}
	}
	slices.SortFunc(list, func(a, b lazy.Position) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.At, b.At))
	})
	return list
}

// Sign returns the sign of a node's row and a short text; "" if nothing is there.
func (p *Part) Sign(n *lazy.Node) (sign, text string) {
	var words []string
	for _, it := range p.Of(n) {
		if it.Mark != 0 {
			if sign == "" {
				sign = "'"
			}
			words = append(words, "'"+string(rune(it.Mark)))
			continue
		}
		sign = p.env.Glyphs.Note
		words = append(words, sign+" "+it.FirstLine())
	}
	return sign, strings.Join(words, "  ")
}

// Mark puts the mark of a letter at a node.
func (p *Part) Mark(letter byte, n *lazy.Node) tea.Cmd {
	at, event := place(n)
	it := p.book.Mark(letter, at, event)
	p.env.Say("mark " + string(rune(letter)) + " is at " + it.Handle().String() + p.unkept())
	return p.changed()
}

// unkept adds to a message that the change is kept in memory only.
func (p *Part) unkept() string {
	if p.book.Kept() {
		return ""
	}
	return ", until you quit"
}

// Marked returns the mark of a letter.
func (p *Part) Marked(letter byte) (notes.Item, bool) { return p.book.Marked(letter) }

// Note returns the newest note at a node.
func (p *Part) Note(n *lazy.Node) (note notes.Item, ok bool) {
	for _, it := range p.Of(n) {
		if it.Mark == 0 {
			note, ok = it, true
		}
	}
	return note, ok
}

// Write replaces a note at a node, or adds one if its ID is "". Without a text it removes the note.
func (p *Part) Write(note notes.Item, n *lazy.Node, text string) tea.Cmd {
	text = strings.TrimSpace(text)
	switch {
	case text == "" && note.ID == "", text == note.Text:
		return nil
	case text == "":
		return p.remove(note.ID)
	}
	note.Text = text
	note.At, note.Event = place(n)
	it := p.book.Put(note)
	p.env.Say("note at " + it.Handle().String() + p.unkept())
	return p.changed()
}

// remove removes an item.
func (p *Part) remove(id string) tea.Cmd {
	it, ok := p.book.Remove(id)
	if !ok {
		return nil
	}
	what := "the note"
	if it.Mark != 0 {
		what = "mark " + string(rune(it.Mark))
	}
	p.removed = append(p.removed, it)
	p.env.Say("removed " + what + " at " + it.Handle().String() + "; u in the list of notes (" + screen.ActionKey("notes", p.env.Glyphs) + ") brings it back")
	return p.changed()
}

// undo puts back what was removed last.
func (p *Part) undo() tea.Cmd {
	k := len(p.removed)
	if k == 0 {
		p.env.Say("nothing was removed")
		return nil
	}
	it := p.removed[k-1]
	p.removed = p.removed[:k-1]
	p.book.Restore(it)
	p.env.Say("it is back at " + it.Handle().String())
	return p.changed()
}

// changed saves the book after a change.
func (p *Part) changed() tea.Cmd {
	p.index()
	if !p.book.Kept() {
		return nil
	}
	if p.saving {
		p.again = true
		return nil
	}
	p.saving = true
	book := p.book
	return func() tea.Msg { return saved{book, book.Save()} }
}

// saved is the result of a save.
type saved struct {
	book *notes.Book
	err  error
}

func (s saved) apply(p *Part) tea.Cmd {
	if s.book != p.book {
		return nil
	}
	p.saving = false
	p.warn(s.err)
	p.index() // the file may have had changes of others
	if p.again {
		p.again = false
		return p.changed()
	}
	return nil
}

// Reopen reads the notes again, after another trace has taken the place of the one before.
func (p *Part) Reopen() tea.Cmd {
	old := p.book
	p.book, p.saving, p.again, p.removed = notes.InMemory(), false, false, nil
	p.index()
	return func() tea.Msg {
		b, err := old.Reopen()
		return reopened{b, err}
	}
}

// reopened is the notes of another trace.
type reopened struct {
	book *notes.Book
	err  error
}

func (o reopened) apply(p *Part) tea.Cmd {
	for _, it := range p.all { // made meanwhile
		o.book.Restore(it)
	}
	p.book = o.book
	p.index()
	p.warn(o.err)
	if to := p.book.Aside(); to != "" {
		p.env.Say("the notes are of another trace; they become " + filepath.Base(to) + " when there are some to keep of this one")
	}
	return nil
}

// warn tells why notes are not kept, with the file's name without its directory.
func (p *Part) warn(err error) {
	if err == nil {
		return
	}
	text := screen.ErrorLine(err)
	if path := p.book.Path(); path != "" {
		text = strings.ReplaceAll(text, path, filepath.Base(path))
	}
	p.env.Warn(text)
}

// Session returns the last session of the trace.
func (p *Part) Session() notes.Session { return p.book.Session() }

// Close saves the session, unless it is nil, and what is not saved yet. It returns an error if
// marks or notes are lost.
func (p *Part) Close(s *notes.Session) error {
	if !p.book.Kept() {
		return nil
	}
	if s != nil {
		p.book.SetSession(*s)
	}
	err := p.book.Save()
	if p.book.Unsaved() == 0 {
		return nil // only the session is lost
	}
	return err
}
