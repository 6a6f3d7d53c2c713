package perfetto

import (
	"strconv"

	"tracex/format"
	"tracex/format/pbfield"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// label is the category or the name of an event.
type label struct {
	text     []byte
	word     int32         // 0 if there is none
	interned *internedText // nil if it is not interned
}

// called is the category and name of an event. The texts are valid until the next
// event.
type called struct{ category, name label }

// Names used where the trace has none.
const (
	noCategory = "uncategorized"
	noName     = "unnamed"
)

// void is the type of the results of all methods.
var void = format.Type{Kind: format.TypeVoid}

// labels determines the names of events.
type labels struct {
	dictionary *calltrace.Dictionary
	text       []byte // scratch for joined categories
}

// of sets the category and name of an event, which are empty.
func (n *labels) of(s *sequence, e *event, c *called) {
	switch {
	case len(e.categoryIIDs) == 1 && len(e.categories) == 0:
		if known := s.find(pbfield.InternedData_EventCategories, e.categoryIIDs[0]); known != nil {
			c.category = n.interned(known)
		} else {
			c.category = n.label([]byte("unknown(" + strconv.FormatUint(e.categoryIIDs[0], 10) + ")"))
		}
	case len(e.categoryIIDs)+len(e.categories) > 0:
		c.category = n.joinCategories(s, e)
	}
	switch {
	case e.nameIID != 0:
		if known := s.find(pbfield.InternedData_EventNames, e.nameIID); known != nil {
			c.name = n.interned(known)
		}
	case e.hasName:
		c.name = n.label(e.name)
	}
}

func (n *labels) interned(e *internedText) label {
	if len(e.text) == 0 {
		return label{}
	}
	if e.word == 0 {
		e.word = n.dictionary.Word(e.text)
	}
	return label{e.text, e.word, e}
}

func (n *labels) label(text []byte) label {
	if len(text) == 0 {
		return label{}
	}
	return label{text: text, word: n.dictionary.Word(text)}
}

// joinCategories joins several categories into one.
func (n *labels) joinCategories(s *sequence, e *event) label {
	text := n.text[:0]
	for _, iid := range e.categoryIIDs {
		if len(text) > fit.MaxText {
			break // it will be cut anyway
		}
		if known := s.find(pbfield.InternedData_EventCategories, iid); known != nil {
			text = append(append(text, ','), known.text...)
		}
	}
	for _, category := range e.categories {
		if len(text) > fit.MaxText {
			break
		}
		text = append(append(text, ','), category...)
	}
	if n.text = text; len(text) > 1 {
		return n.label(text[1:])
	}
	return label{}
}

// method returns the number of the method for an event's category and
// name.
func (n *labels) method(c *called) int32 {
	e := c.name.interned
	if e != nil && e.joined && e.category == c.category.word {
		return e.method
	}
	class, name := c.category.text, c.name.text
	if c.category.word == 0 {
		class = []byte(noCategory)
	}
	if c.name.word == 0 {
		name = []byte(noName)
	}
	if fit.MayHaveClass(name) {
		name = []byte(fit.Method(string(class), string(name)))
	}
	id := n.dictionary.Method(class, name, void)
	if e != nil {
		e.category, e.method, e.joined = c.category.word, id, true
	}
	return id
}
