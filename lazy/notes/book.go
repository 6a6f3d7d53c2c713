package notes

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"tracex/format"
	"tracex/lazy"
)

// Book is the marks and notes of a trace, and its session, in memory. Any goroutine may call
// its methods. All but Save return at once.
type Book struct {
	trace, path string // "" for a book without a file
	options     Options
	author      string
	now         func() time.Time

	saving sync.Mutex // one save at a time; taken before mu

	mu      sync.Mutex
	mine    state
	disk    state       // what is in the file, as of the last time that it was read or written
	rest    contents    // the lines in the file that are not understood
	refused error       // why the file is left alone; nil if it is not
	other   Fingerprint // of another trace that the file belongs to; zero if it does not. Save replaces or moves it
	aside   bool        // the file has notes of the other trace: Save moves it, see Aside
}

// state is what a Book can change.
type state struct {
	items   map[string]Item
	session Session
}

func (s state) clone() state { return state{maps.Clone(s.items), s.session} }

// Options configure Open.
type Options struct {
	Author string           // of the notes; "" if unknown
	Now    func() time.Time // nil for the clock of this machine
	// NoWrite keeps all changes in memory.
	NoWrite bool
}

// Open reads the notes beside a trace, if there are any. A file that belongs to a trace that was there before
// counts as none: the first Save that has something to write replaces it if it has nothing but a session, and
// otherwise moves it aside, see [Book.Aside]. If the notes cannot be used, the error says so, and the Book is empty
// and leaves the file alone: Save returns the same error.
func Open(trace string, o Options) (*Book, error) {
	b := &Book{trace: trace, path: trace + format.NotesSuffix, author: o.Author, now: o.Now, options: o}
	if b.now == nil {
		b.now = time.Now
	}
	c, err := read(b.path, trace)
	if errors.Is(err, fs.ErrNotExist) {
		c, err = &contents{}, nil
	}
	if other := new(otherError); errors.As(err, &other) {
		c, err, b.other, b.aside = &contents{}, nil, other.print, !other.bare
	}
	if err != nil {
		c, b.refused = &contents{}, fmt.Errorf("notes are not kept: %w", err)
	}
	if o.NoWrite {
		b.path = ""
	}
	b.disk = state{c.items, c.session}
	if b.disk.items == nil {
		b.disk.items = make(map[string]Item)
	}
	b.mine, b.rest = b.disk.clone(), *c
	return b, b.refused
}

// Reopen is Open for the same path with the same options, after another trace has taken the
// place of the one before.
func (b *Book) Reopen() (*Book, error) {
	if b.trace == "" {
		return InMemory(), nil
	}
	return Open(b.trace, b.options)
}

// InMemory returns a Book without a file.
func InMemory() *Book {
	empty := state{items: make(map[string]Item)}
	return &Book{now: time.Now, mine: empty, disk: empty.clone()}
}

// Kept reports whether Save keeps changes in a file.
func (b *Book) Kept() bool { return b.path != "" && b.refused == nil }

// Path returns the path of the file; "" if there is none.
func (b *Book) Path() string { return b.path }

// Aside returns the path to which Save will move the notes of another trace, as soon as there is something to write
// in their place; "" if there are none. It looks at the disk.
func (b *Book) Aside() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.aside || b.path == "" {
		return ""
	}
	return asideFor(b.path)
}

// asideFor returns a path that is free for what is at a path: with .old added, and a number if that is there.
func asideFor(path string) string {
	to := path + ".old"
	for i := 2; ; i++ {
		if _, err := os.Lstat(to); err != nil {
			return to
		}
		to = fmt.Sprintf("%s.old%d", path, i)
	}
}

// Damaged returns how many lines of the file cannot be read. They stay in it.
func (b *Book) Damaged() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rest.damaged
}

// Items returns the marks and notes by place.
func (b *Book) Items() []Item {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.SortedFunc(maps.Values(b.mine.items), Compare)
}

// Mark puts the mark of a letter, a to z, at a point. It moves the mark if there is one.
func (b *Book) Mark(letter byte, at lazy.Position, event int32) Item {
	return b.Put(Item{ID: markID(letter), Mark: letter, At: at, Event: event})
}

// Marked returns the mark of a letter.
func (b *Book) Marked(letter byte) (Item, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	it, ok := b.mine.items[markID(letter)]
	return it, ok
}

// Put adds an item, or replaces the one with its ID. A note without an ID gets one. Time and
// author of the item returned are those of now. A text beyond the bounds is cut.
func (b *Book) Put(it Item) Item {
	b.mu.Lock()
	defer b.mu.Unlock()
	it.ID = cmp.Or(it.ID, newID())
	it.Time, it.Author = b.now().UTC().Truncate(time.Millisecond), b.author
	it.Text = strings.ToValidUTF8(it.Text[:min(len(it.Text), maxText)], "")
	if len(it.Author) > maxAuthor {
		it.Author = ""
	}
	it.more = b.mine.items[it.ID].more
	b.mine.items[it.ID] = it
	return it
}

// Remove removes an item and returns it.
func (b *Book) Remove(id string) (it Item, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	it, ok = b.mine.items[id]
	delete(b.mine.items, id)
	return it, ok
}

// Restore puts an item back as Remove returned it.
func (b *Book) Restore(it Item) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mine.items[it.ID] = it
}

// Session returns the last session; see [Session.Some].
func (b *Book) Session() Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mine.session
}

// SetSession replaces the session, with the time of now.
func (b *Book) SetSession(s Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.Time, s.more = b.now().UTC().Truncate(time.Millisecond), b.mine.session.more
	b.mine.session = s
}

// Unsaved returns how many marks and notes differ from those in the file.
func (b *Book) Unsaved() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for id, it := range b.mine.items {
		if was, ok := b.disk.items[id]; !ok || !same(it, was) {
			n++
		}
	}
	for id := range b.disk.items {
		if _, ok := b.mine.items[id]; !ok {
			n++
		}
	}
	return n
}
