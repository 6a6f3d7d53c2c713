package filter

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tracex/format"
)

// Complete returns what can be typed at a cursor, an offset in bytes: the part of the text to replace,
// and the candidates for it, the best first, at most 50: fields, operators after a field, and the
// values that the trace has for it.
func Complete(text string, cursor int, a About) (from, to int, candidates []Candidate) {
	if a.Context == nil {
		a.Context = format.NewContext(format.Newest)
	}
	cursor = min(max(cursor, 0), len(text))
	w := wordAt(text, cursor)
	c := candidatesFor{typed: w.typed(cursor), about: &a}
	switch {
	case w.field == nil:
		c.terms()
	case w.valueAt < 0:
		c.fields()
		c.operators(w.name, w.field)
	default:
		c.values(w.field)
	}
	return w.from, w.to, c.sorted()
}

// atCursor is the part of a filter that a cursor is in.
type atCursor struct {
	text     string
	from, to int
	name     string // of the field, as typed
	field    *Field // nil if the part is no field and no value of one
	valueAt  int    // where the value begins: from; -1 if the part is a field
	quoted   bool
}

// typed returns the part before the cursor, without its quote.
func (w *atCursor) typed(cursor int) string {
	s := w.text[w.from:cursor]
	if w.quoted {
		s = strings.TrimPrefix(s, `"`)
	}
	return s
}

// wordAt finds the part of a filter, which may be faulty, that a cursor is in.
func wordAt(text string, cursor int) atCursor {
	p := parser{text: text}
	for {
		for p.at < cursor && p.at < len(text) {
			r, n := utf8.DecodeRuneInString(p.rest())
			if !unicode.IsSpace(r) && r != '(' && r != ')' && r != '-' {
				break
			}
			p.at += n
		}
		if p.at >= cursor {
			return atCursor{text: text, from: cursor, to: cursor, valueAt: -1}
		}
		w := atCursor{text: text, from: p.at, valueAt: -1}
		if rest := p.rest(); strings.HasPrefix(rest, "in(") || strings.HasPrefix(rest, "has(") || strings.HasPrefix(rest, "not(") {
			if open := p.at + strings.IndexByte(rest, '('); open < cursor {
				p.at = open + 1
				continue
			}
		}
		name := fieldName(p.rest())
		f, _, known := fieldNamed(name)
		end := p.at + len(name)
		if known {
			w.name, w.field = name, f
			if o, n := operator(text[end:]); o != opNone && end+n <= cursor {
				w.from, w.valueAt = end+n, end+n
			}
		}
		p.at = w.from
		w.quoted = strings.HasPrefix(p.rest(), `"`)
		p.wordEnd(cursor)
		if w.to = p.at; cursor <= w.to {
			if w.valueAt < 0 && cursor != end {
				w.field = nil
			}
			return w
		}
	}
}

// wordEnd moves to the end of a text in quotes, or a word; to the cursor if it is not closed.
func (p *parser) wordEnd(cursor int) {
	if strings.HasPrefix(p.rest(), `"`) {
		if _, err := p.quoted(); err != nil {
			p.at = max(p.at, cursor)
		}
		return
	}
	at := p.at
	p.word()
	if p.at == at && p.at < cursor {
		p.at++ // a character that begins no word
	}
}
