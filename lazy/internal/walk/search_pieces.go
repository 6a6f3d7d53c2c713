package walk

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"tracex/lazy/literal"
)

// The text of a point is made of names, numbers, strings and fixed words, its atoms. Between two
// of them there is a space or punctuation. A search that needs a literal text cuts it there: each
// piece must be within one atom, and the atoms of most points are known by their ids, or can be
// looked at in the raw bytes. A point whose atoms lack a piece is never decoded.

// pieceSet is a set of pieces, by index, with three more bits.
type pieceSet uint64

const (
	maxPieces = 61
	allPieces = pieceSet(1)<<maxPieces - 1

	// A point of this method, or at this code location, matches whatever its values are: for the
	// first finder, and for the second.
	sureFirst  = pieceSet(1) << 61
	sureSecond = pieceSet(1) << 62
	tested     = pieceSet(1) << 63 // in tables: the entry is set
)

// pieces are the pieces of all literals of a search.
type pieces struct {
	texts []literal.Text
	// needs are sets of pieces, by finder: the text of a match has all pieces of at least
	// one set. If there is none, nothing is known.
	needs  [2][]pieceSet
	one    pieceSet // the only set of the only finder; 0 if there are more or none
	digits pieceSet // may be in an integer
	floats pieceSet // may be in the text of a float
}

// add adds the literals of a finder: each match contains at least one.
func (p *pieces) add(finder int, needs []literal.Text) {
	var sets []pieceSet
	for i := range needs {
		set := p.cut(&needs[i])
		if set == 0 {
			return
		}
		sets = append(sets, set)
	}
	p.needs[finder] = sets
}

// cut adds the pieces of a text and returns their set; 0 if there is none.
func (p *pieces) cut(t *literal.Text) (set pieceSet) {
	text := t.String()
	if !utf8.ValidString(text) {
		return 0 // a match may begin or end within a character
	}
	from := -1
	for i, r := range text + " " {
		if !joins(r) {
			if from < 0 {
				from = i
			}
			continue
		}
		if from >= 0 {
			set |= p.put(t.Part(from, i))
		}
		from = -1
	}
	return set
}

// put adds a piece and returns its set; 0 if there are too many.
func (p *pieces) put(t literal.Text) pieceSet {
	same := func(o literal.Text) bool { return o.String() == t.String() && o.Fold() == t.Fold() }
	if i := slices.IndexFunc(p.texts, same); i >= 0 {
		return 1 << i
	}
	if len(p.texts) == maxPieces {
		return 0
	}
	bit := pieceSet(1) << len(p.texts)
	p.texts = append(p.texts, t)
	if strings.Trim(t.String(), "0123456789") == "" {
		p.digits |= bit
	}
	if strings.Trim(t.String(), "0123456789eE") == "" || t.In([]byte("NaN")) || t.In([]byte("Infinity")) {
		p.floats |= bit
	}
	return bit
}

// joins reports whether a character may be between atoms, or in place of another one.
func joins(r rune) bool {
	switch {
	case r <= ' ' || r == 0x7f || r == '➜' || r == '…' || r == utf8.RuneError:
		return true
	case r < utf8.RuneSelf:
		return strings.IndexByte(`.,:()[]{}<>=@"'\?-+!`, byte(r)) >= 0
	}
	return false
}

// may reports whether a finder may match a text with atoms that have these pieces.
func (p *pieces) may(finder int, got pieceSet) bool {
	needs := p.needs[finder]
	for _, set := range needs {
		if got&set == set {
			return true
		}
	}
	return len(needs) == 0
}

// within returns the pieces within a text.
func (p *pieces) within(text []byte) (got pieceSet) {
	for i := range p.texts {
		if p.texts[i].In(text) {
			got |= 1 << i
		}
	}
	return got
}

func (p *pieces) inWord(text string) pieceSet { return p.within([]byte(text)) }

// inRaw returns the pieces that the text of a string value may have. raw is modified UTF-8. If
// the text may differ from it, as with characters that are escaped, that is all pieces.
func (p *pieces) inRaw(raw []byte) pieceSet {
	if !asShown(raw) {
		return allPieces
	}
	return p.within(raw)
}

// asShown reports whether a text in modified UTF-8 is shown as it is: whether it is ASCII without
// characters that are escaped.
func asShown(b []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; len(b) >= 8; b = b[8:] {
		x := binary.LittleEndian.Uint64(b)
		slash := x ^ '\\'*ones
		// The first term of each pair is below zero in a byte that is less than the limit.
		if (x|(x-' '*ones)|(slash-ones)&^slash)&highs != 0 {
			return false
		}
	}
	for _, c := range b {
		if c < ' ' || c >= utf8.RuneSelf || c == '\\' {
			return false
		}
	}
	return true
}

// ofByte returns the pieces that are a single character.
func (p *pieces) ofByte(c byte) (got pieceSet) {
	for i := range p.texts {
		if p.texts[i].Len() == 1 && p.texts[i].In([]byte{c}) {
			got |= 1 << i
		}
	}
	return got
}

// lastPart returns the part of the full name of a class that every shorter name of it is cut from.
func lastPart(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }
