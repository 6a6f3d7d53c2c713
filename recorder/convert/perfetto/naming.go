package perfetto

import "strconv"

// label is the category or the name of an event.
type label struct {
	text  []byte
	word  int32  // 0: there is none
	entry *entry // nil: it is not interned
}

// named finds out how an event is called: c.category and c.name.
func (c *Converter) named(s *sequence, e *event) {
	c.category, c.name = label{}, label{}
	switch {
	case len(e.categoryIIDs) == 1 && len(e.categories) == 0:
		if known := s.find(internedCategories, e.categoryIIDs[0]); known != nil {
			c.category = c.labelOf(known)
		} else {
			c.category = c.newLabel([]byte("unknown(" + strconv.FormatUint(e.categoryIIDs[0], 10) + ")"))
		}
	case len(e.categoryIIDs)+len(e.categories) > 0:
		c.joinCategories(s, e)
	}
	switch {
	case e.nameIID != 0:
		if known := s.find(internedEventNames, e.nameIID); known != nil {
			c.name = c.labelOf(known)
		}
	case e.hasName:
		c.name = c.newLabel(e.name)
	}
}

func (c *Converter) labelOf(e *entry) label {
	if len(e.text) == 0 {
		return label{}
	}
	if e.word == 0 {
		e.word = c.dictionary.word(e.text)
	}
	return label{e.text, e.word, e}
}

func (c *Converter) newLabel(text []byte) label {
	if len(text) == 0 {
		return label{}
	}
	return label{text: text, word: c.dictionary.word(text)}
}

// joinCategories makes one category of several.
func (c *Converter) joinCategories(s *sequence, e *event) {
	text := c.text[:0]
	for _, iid := range e.categoryIIDs {
		if len(text) > maxText {
			break // it is cut anyway
		}
		if known := s.find(internedCategories, iid); known != nil {
			text = append(append(text, ','), known.text...)
		}
	}
	for _, category := range e.categories {
		if len(text) > maxText {
			break
		}
		text = append(append(text, ','), category...)
	}
	if c.text = text; len(text) > 1 {
		c.category = c.newLabel(text[1:])
	}
}

// method returns the number of the method that an event is a call of.
func (c *Converter) method() int32 {
	e := c.name.entry
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
	id := c.dictionary.method(class, name)
	if e != nil {
		e.category, e.method, e.joined = c.category.word, id, true
	}
	return id
}
