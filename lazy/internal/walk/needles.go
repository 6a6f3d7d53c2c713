package walk

import (
	"strings"

	"tracex/format"
	"tracex/lazy/internal/trace"
	"tracex/lazy/literal"
)

// Most of the text of a point is not in its encoding: names are ids there, and numbers are binary. But a word that is
// in no name, is no number and none of the fixed words can only be in the text of a string, which is in the
// encoding as it is: then the bytes of the data tell where to look.

// leastNeedle is the least length of a needle: shorter ones are everywhere.
const leastNeedle = 2

// Needles returns texts for [Pass.Among], with ends: the encoding of each point whose text contains one of needs,
// or that of its footer, has at least one of them. It returns nil if nothing can be promised, as while the trace is not
// completely known. The promise holds for strings encoded as [format.AppendUTF] and Java do it, in the shortest form.
func Needles(r *Reader, needs []literal.Text) (needles []literal.Text) {
	if len(needs) == 0 || r.Now().Phase != trace.PhaseReady {
		return nil
	}
	r.WithContext(func(c *format.Context) { needles = NeedlesIn(c, needs) })
	return needles
}

// NeedlesIn is Needles for a Context that has all descriptors of the trace.
func NeedlesIn(c *format.Context, needs []literal.Text) []literal.Text {
	words := make([][]literal.Text, len(needs))
	count := 0
	for i := range needs {
		words[i] = wordsOf(&needs[i])
		count += len(words[i])
	}
	if count == 0 || count > mostNeedles {
		return nil
	}
	named := namesWith(c, words)
	if named == nil {
		return nil
	}
	var needles []literal.Text
	for i, list := range words {
		best := -1
		for k := range list {
			if !named[i][k] && (best < 0 || list[k].Len() > list[best].Len()) {
				best = k
			}
		}
		if best < 0 {
			return nil
		}
		needle := encoded(&list[best])
		if needle.Len() < leastNeedle {
			return nil
		}
		needles = append(needles, needle)
	}
	return needles
}

// mostNeedles bounds for how many words all names are searched.
const mostNeedles = 32

// wordsOf returns the words of a text: each one is in one name, one string or one fixed word of a text that contains it.
// Those that may be in a number, or in the digits of an identity, are left out.
func wordsOf(t *literal.Text) (words []literal.Text) {
	text := t.String()
	from := -1
	for i := range len(text) + 1 {
		if i < len(text) && inWords(text[i]) {
			if from < 0 {
				from = i
			}
			continue
		}
		if from >= 0 && i-from >= leastNeedle && strings.Trim(strings.ToLower(text[from:i]), "0123456789abcdef") != "" {
			words = append(words, t.Part(from, i))
		}
		from = -1
	}
	return words
}

// inWords reports whether a character is part of words: it is never between the parts of a text.
func inWords(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// encoded returns the part of a word that is in the bytes of each string in whose text it is: the word may begin with the letter of an
// escape, which is not in the bytes.
func encoded(word *literal.Text) literal.Text {
	if strings.IndexByte("nrtNRT", word.String()[0]) >= 0 {
		return word.Part(1, word.Len())
	}
	return *word
}

// fixedWords are those of all texts of points.
var fixedWords = []byte("super new loop iterations iteration throw catch threw at unknown Live breakpoint stacktrace more watches null void Unit " +
	"true false nil StringBuilder class kclass static INSTANCE Companion NaN Infinity method field variable location string path " +
	"this equal calls call events event go " + format.UnfinishedMethod + " " + format.UntrackedResult + " " + format.EqualMethod)

// namesWith returns which words are in a name, or among the fixed words; nil if that is not known.
func namesWith(c *format.Context, words [][]literal.Text) [][]bool {
	in := make([][]bool, len(words))
	for i := range words {
		in[i] = make([]bool, len(words[i]))
	}
	left := true // a word is in nothing yet
	var scratch []byte
	look := func(name string) { // shown names are parts of these, with other signs between their words
		if !left {
			return
		}
		scratch = append(scratch[:0], name...)
		left = false
		for i, list := range words {
			for k := range list {
				in[i][k] = in[i][k] || list[k].In(scratch)
				left = left || !in[i][k]
			}
		}
	}
	look(string(fixedWords))
	for d := range c.Classes() {
		look(d.Name)
	}
	for d := range c.Methods() {
		look(d.Name)
	}
	for d := range c.Fields() {
		look(d.Name)
	}
	for d := range c.Variables() {
		look(d.Name)
	}
	texts, paths := make(map[int32]bool), make(map[int32]bool)
	for l := range c.Locations() {
		for _, id := range append([]int32{l.File, l.Class, l.Method}, l.Locals...) {
			if text, ok := c.Text(id); ok && !texts[id] {
				texts[id] = true
				look(text)
			}
		}
		for _, id := range append([]int32{l.Path}, l.ArgNames...) {
			if !paths[id] && joined(c, id) {
				return nil
			}
			paths[id] = true
		}
		if !left {
			break
		}
	}
	return in
}

// joined reports whether the text of a path has names with nothing between them: as before a variable that is not the first
// step, which no recorder writes.
func joined(c *format.Context, path int32) bool {
	p := c.Path(path)
	if p == nil {
		return false
	}
	for i, step := range p.Steps {
		if i > 0 && step.Kind == format.AccessVariable {
			return true
		}
	}
	return false
}
