package notes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"time"
	"unicode/utf8"

	"tracex/lazy"
)

// Why a file of notes is not used. It is then left alone.
var (
	// ErrNotNotes: the file has other contents.
	ErrNotNotes = errors.New("is not a file of notes")
	// ErrVersion: a later version of tracex wrote the file.
	ErrVersion = errors.New("was written by a later version of tracex")
	// ErrOtherTrace: the marks and notes are about a trace that has come there since the Book was opened.
	ErrOtherTrace = errors.New("belongs to another trace")
	// ErrTooLarge: the file exceeds maxFile.
	ErrTooLarge = errors.New("is too large for a file of notes")
)

// version of the file. It changes if older programs would misread the file.
const version = 1

// maxFile bounds the size of a file, in bytes.
const maxFile = 16 << 20

// contents is what a file says.
type contents struct {
	print   Fingerprint // of the first line
	items   map[string]Item
	session Session
	kept    []string // lines that cannot be read, or have a meaning that is not known
	foreign []string // a header of another trace and all lines after it, up to one of this trace
	damaged int      // how many lines cannot be read, with the foreign ones
}

// header is the first line of a file.
type header struct {
	Tracex  string      `json:"tracex"`
	Version int         `json:"version"`
	Trace   Fingerprint `json:"trace"`
}

// line is any other line.
type line struct {
	ID      string          `json:"id,omitempty"`
	Mark    string          `json:"mark,omitempty"`
	Note    *string         `json:"note,omitempty"`
	Session json.RawMessage `json:"session,omitempty"`
	Event   *int64          `json:"event,omitempty"`
	Thread  int64           `json:"thread,omitempty"` // from 1
	Offset  *int64          `json:"offset,omitempty"`
	Time    time.Time       `json:"time,omitzero"`
	Author  string          `json:"author,omitempty"`
}

// read reads a file of notes about a trace. The error is fs.ErrNotExist if there is none.
func read(path, trace string) (*contents, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s %w", path, ErrNotNotes)
	case st.Size() > maxFile:
		return nil, fmt.Errorf("%s %w", path, ErrTooLarge)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, err
	}
	c, err := parse(b, func(f Fingerprint) (bool, error) { return f.Fits(trace) })
	switch {
	case errors.Is(err, ErrOtherTrace):
		return nil, asOther(path, b)
	case err != nil && !errors.As(err, new(*os.PathError)):
		err = fmt.Errorf("%s %w", path, err)
	}
	return c, err
}

// otherError is ErrOtherTrace for a file.
type otherError struct {
	path  string
	print Fingerprint
	// bare: the file has the last session with the other trace, and nothing else.
	bare bool
}

func (e *otherError) Error() string { return e.path + " " + ErrOtherTrace.Error() }
func (e *otherError) Unwrap() error { return ErrOtherTrace }

// asOther returns the error for a file that begins with the header of another trace.
func asOther(path string, b []byte) error {
	all, err := parse(b, func(Fingerprint) (bool, error) { return true, nil })
	if err != nil {
		return fmt.Errorf("%s %w", path, err)
	}
	return &otherError{path, all.print, len(all.items)+len(all.kept) == 0 && all.session.more == nil}
}

// parse reads the contents of a file. fits reports whether the trace has a fingerprint. An empty
// file has no notes. Files that were joined have several headers; lines after one of another
// trace count as damaged.
func parse(b []byte, fits func(Fingerprint) (bool, error)) (*contents, error) {
	c := &contents{items: make(map[string]Item)}
	ours := false
	for text := range bytes.Lines(b) {
		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			continue
		}
		h, isHeader := parseHeader(text)
		switch {
		case isHeader && h.Version > version:
			return nil, ErrVersion
		case isHeader:
			fit, err := fits(h.Trace)
			switch {
			case err != nil:
				return nil, err
			case c.print == Fingerprint{} && !fit:
				return nil, ErrOtherTrace
			case c.print == Fingerprint{}:
				c.print = h.Trace
			case !fit:
				c.leave(text)
			}
			ours = fit
		case c.print == Fingerprint{}:
			return nil, ErrNotNotes
		case !ours:
			c.leave(text)
		default:
			c.add(text)
		}
	}
	return c, nil
}

func parseHeader(text []byte) (h header, ok bool) {
	return h, json.Unmarshal(text, &h) == nil && h.Tracex == "notes" && h.Version > 0 && h.Trace != Fingerprint{}
}

func (c *contents) keep(text []byte, damaged bool) {
	c.kept = append(c.kept, string(text))
	if damaged {
		c.damaged++
	}
}

// leave keeps a line about another trace.
func (c *contents) leave(text []byte) {
	c.foreign = append(c.foreign, string(text))
	c.damaged++
}

// add reads a line after the header.
func (c *contents) add(text []byte) {
	var l line
	if !utf8.Valid(text) || json.Unmarshal(text, &l) != nil {
		c.keep(text, true)
		return
	}
	switch {
	case l.Session != nil:
		s, ok := decodeSession(l.Session, l.Time)
		if !ok {
			c.keep(text, true)
		} else if !s.Time.Before(c.session.Time) {
			c.session = s
		}
	case l.Mark == "" && l.Note == nil:
		c.keep(text, false) // a kind of line that this version does not know
	default:
		it, ok := l.item()
		if !ok {
			c.keep(text, true)
			return
		}
		it.more = unknown(text, "id", "mark", "note", "event", "thread", "offset", "time", "author")
		if other, twice := c.items[it.ID]; twice { // of files that were joined
			it = later(it, other)
		}
		c.items[it.ID] = it
	}
}

// item returns the mark or the note of a line; ok is false if its values are out of bounds.
func (l *line) item() (it Item, ok bool) {
	it = Item{ID: l.ID, At: lazy.Position{Thread: int32(l.Thread - 1), At: -1}, Event: -1, Time: l.Time, Author: l.Author}
	switch {
	case l.ID == "" || len(l.ID) > maxID || len(l.Author) > maxAuthor || l.Thread < 1 || l.Thread > math.MaxInt32+1,
		(l.Event == nil) != (l.Offset == nil):
		return it, false
	case l.Event != nil:
		if *l.Event < math.MinInt32 || *l.Event > math.MaxInt32 || *l.Offset < 0 {
			return it, false
		}
		it.Event, it.At.At = int32(*l.Event), *l.Offset
	}
	if l.Note != nil {
		it.Text = *l.Note
		return it, l.Mark == "" && len(it.Text) <= maxText
	}
	if len(l.Mark) != 1 || l.Mark[0] < 'a' || l.Mark[0] > 'z' || l.ID != markID(l.Mark[0]) {
		return it, false
	}
	it.Mark = l.Mark[0]
	return it, true
}

// encode returns the line of an item.
func (it *Item) encode() ([]byte, error) {
	l := line{ID: it.ID, Thread: int64(it.At.Thread) + 1, Time: it.Time, Author: it.Author}
	if it.Mark != 0 {
		l.Mark = string(rune(it.Mark))
	} else {
		l.Note = &it.Text
	}
	if it.At.At >= 0 {
		event := int64(it.Event)
		l.Event, l.Offset = &event, &it.At.At
	}
	return it.more.appendTo(l)
}

// encode returns the contents of a file: the header, the items by place, the session, and the
// lines that are not understood.
func (c *contents) encode() ([]byte, error) {
	first, err := encode(header{"notes", version, c.print})
	if err != nil {
		return nil, err
	}
	b := append(first, '\n')
	for _, it := range slices.SortedFunc(maps.Values(c.items), Compare) {
		text, err := it.encode()
		if err != nil {
			return nil, err
		}
		b = append(append(b, text...), '\n')
	}
	if c.session.Some() {
		s, err := c.session.encode()
		if err != nil {
			return nil, err
		}
		text, err := encode(line{Session: s, Time: c.session.Time})
		if err != nil {
			return nil, err
		}
		b = append(append(b, text...), '\n')
	}
	for _, text := range slices.Concat(c.kept, c.foreign) {
		b = append(append(b, text...), '\n')
	}
	return b, nil
}
