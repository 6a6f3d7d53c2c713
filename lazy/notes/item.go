// Package notes keeps what people add to a trace, in a file beside it: marks, notes, and where
// the last session was. The trace itself is never changed.
//
// The file trace.bin.notes is JSON Lines in UTF-8. The first line identifies the format and the
// trace, each other one is a mark, a note or the session:
//
//	{"tracex":"notes","version":1,"trace":{"size":81920,"head":"5f2ab1c0","middle":"00c4d7e2"}}
//	{"id":"mark-a","mark":"a","event":1204,"thread":2,"offset":88120,"time":"2026-11-23T04:30:00Z"}
//	{"id":"9f86d081884c7d65","note":"balance below 0","event":1204,"thread":2,"offset":88120,"time":…,"author":"ada"}
//	{"session":{"at":"@2+88120","line":12,"expanded":["@2","@2+9"]},"time":…}
//
// A thread is counted from 1; an offset is logical, as in [lazy.Position], and is left out, like
// the event, if the thread itself is meant. A text is Markdown. On disk, do not change.
//
// Lines that cannot be read and members that are not known are kept as they are. A trace is
// recognized by a [Fingerprint], which fits it even after it has grown.
//
// A [Book] is the file in memory. [Book.Save] merges it with what other programs have written
// meanwhile, by the ids, and replaces the file in one step. Between reading the file and
// replacing it, for some milliseconds, a save of another program can be lost on disk; that
// program still has it in memory.
package notes

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"tracex/lazy"
)

// Item is a mark or a note at a point of a trace.
type Item struct {
	ID     string
	Mark   byte   // the letter of a mark, a to z; 0 for a note
	Text   string // Markdown, of a note
	At     lazy.Position
	Event  int32 // -1 if At is a thread
	Time   time.Time
	Author string // may be ""

	more members // unknown ones, kept for later versions
}

// The bounds of an item. A line that exceeds them counts as damaged.
const (
	maxText   = 64 << 10
	maxAuthor = 200
	maxID     = 64
)

// Handle returns the handle of the item's place.
func (it *Item) Handle() lazy.Handle {
	if it.At.At < 0 {
		return lazy.PositionHandle(it.At)
	}
	return lazy.EventHandle(it.Event)
}

// FirstLine returns the first line of the text that is not blank.
func (it *Item) FirstLine() string {
	for line := range strings.Lines(it.Text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// markID is the id of a mark: there is one mark of a letter.
func markID(letter byte) string { return "mark-" + string(rune(letter)) }

// newID returns an id that no other note has.
func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Compare orders items by place, marks before notes.
func Compare(a, b Item) int {
	return cmp.Or(
		cmp.Compare(a.At.Thread, b.At.Thread), cmp.Compare(a.At.At, b.At.At),
		-cmp.Compare(a.Mark, b.Mark), a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID))
}

// same reports whether two items have the same content.
func same(a, b Item) bool {
	return a.ID == b.ID && a.Mark == b.Mark && a.Text == b.Text && a.At == b.At && a.Event == b.Event &&
		a.Time.Equal(b.Time) && a.Author == b.Author
}

// later returns the item that was made or changed last.
func later(a, b Item) Item {
	if a.Time.Before(b.Time) {
		return b
	}
	return a
}

// members are members of an object that this version does not know.
type members map[string]json.RawMessage

// unknown returns the members of an object other than the known ones; nil if there are none.
func unknown(object []byte, known ...string) members {
	var all members
	if json.Unmarshal(object, &all) != nil {
		return nil
	}
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return slices.Contains(known, name) })
	if len(all) == 0 {
		return nil
	}
	return all
}

// appendTo returns a value as a JSON object, with the members appended in order of their names.
func (m members) appendTo(value any) ([]byte, error) {
	b, err := encode(value)
	if err != nil || len(m) == 0 {
		return b, err
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		key, err := encode(name)
		if err != nil {
			return nil, err
		}
		var value bytes.Buffer
		if err := json.Compact(&value, m[name]); err != nil {
			return nil, err
		}
		b = append(b[:len(b)-1], ',')
		b = append(append(append(b, key...), ':'), value.Bytes()...)
		b = append(b, '}')
	}
	return b, nil
}

// encode returns a value as JSON in one line; unlike json.Marshal it leaves < and > as they are.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
