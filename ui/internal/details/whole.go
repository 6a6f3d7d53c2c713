package details

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

var (
	cutList   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^…\+(\d+)$`) })
	goLiteral = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[\w\]])\{`) })
	cutJSON   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\{"|\[[{"])`) })
	typeHead  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[\d*\][\w*[]`) }) // [4]int
)

// contents writes a value whole; other is a text as bytes, or bytes as a text.
func (w *writer) contents(v *format.Value, other bool) {
	c, ok := query.Contents(v)
	if !ok {
		w.line("", 0, "", v)
		w.captured(v, 1)
		return
	}
	if note := w.note(v); note != "" {
		w.text(0, note, theme.Faint)
	}
	switch body := strings.TrimSpace(c.Text); {
	case c.Bytes != other:
		w.dump(c.Text)
	case v.Unquoted() && goLiteral().MatchString(body), json.Valid([]byte(body)), c.More > 0 && cutJSON().MatchString(body):
		w.literal(body)
	default:
		for line := range strings.SplitSeq(c.Text, "\n") {
			w.text(0, strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "    "), theme.StringText)
		}
	}
	if c.Text == "" {
		w.text(0, "it is empty", theme.Faint)
	}
	if c.More > 0 {
		w.text(0, "and "+display.Plural(c.More, "more byte")+", which the recorder left out", theme.Faint)
	}
}

// dump writes bytes, as many to a line as there is room for.
func (w *writer) dump(text string) {
	each := 16
	for each > 4 && 12+4*each > w.width {
		each /= 2
	}
	for at := 0; at < len(text) && w.room() >= 0; at += each {
		part := text[at:min(at+each, len(text))]
		shown := []byte(part)
		for i, c := range shown {
			if c < ' ' || c > '~' {
				shown[i] = '.'
			}
		}
		w.text(0, fmt.Sprintf("%06x  %-*s %s", at, 3*each, fmt.Sprintf("% x", part), shown), theme.Plain)
	}
	if strings.ContainsRune(text, utf8.RuneError) && utf8.ValidString(text) {
		w.text(0, "ef bf bd is what the recorder wrote for bytes that are no UTF-8", theme.Faint)
	}
}

// literal writes a text in JSON, or a literal of Go as a recorder writes it, with a line for each field and element. A
// quotation mark within a text of Go is not escaped: one that nothing can follow does not end the text.
func (w *writer) literal(text string) {
	depth, from, parens, quoted := 0, 0, 0, false
	for i := 0; i < len(text) && w.room() >= 0; i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case quoted:
			rest := strings.TrimLeft(text[i+1:], " \n\r\t")
			quoted = c != '"' || rest != "" && !strings.ContainsRune(",:)]}", rune(rest[0]))
		case c == '"':
			quoted = true
		case c == '(':
			parens++
		case c == ')':
			parens--
		case parens > 0:
		case c == '[' && (typeHead().MatchString(text[i:]) || i > from && (text[i-1] == '_' || unicode.IsLetter(rune(text[i-1])))):
			i += max(0, strings.IndexByte(text[i:], ']'))
		case c == '{' || c == '[':
			if rest := strings.TrimLeft(text[i+1:], " \n\r\t"); rest != "" && (rest[0] == '}' || rest[0] == ']') {
				i = len(text) - len(rest)
				continue
			}
			w.piece(depth, text[from:i+1])
			from = i + 1
			depth++
		case (c == '}' || c == ']') && depth > 0:
			w.piece(depth, text[from:i])
			from = i
			depth--
		case c == ',' && depth > 0:
			w.piece(depth, text[from:i+1])
			from = i + 1
		}
	}
	w.piece(depth, text[from:])
}

// piece writes a line of a literal.
func (w *writer) piece(depth int, text string) {
	text = strings.TrimSpace(text)
	if m := cutList().FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		w.more(depth, n, "more element")
	} else if text != "" {
		w.text(depth, text, theme.Plain)
	}
}

// seen writes the fields of an object as they were last seen.
func (w *writer) seen(s *lastSeen) {
	head := "its fields, as this thread saw them last before " + s.before + ":"
	switch {
	case s.err != nil:
		head = "its fields are not known: " + screen.ErrorLine(s.err)
	case !s.known:
		head = "looking for its fields " + w.g.More
	case len(s.list) == 0:
		head = "none of its fields was written or read in recorded code before " + s.before
	}
	w.text(0, "", theme.Plain)
	w.text(0, head, theme.Faint)
	for _, f := range s.list {
		w.text(1, f.Name+" = "+f.Value.Text+"  "+lazy.EventHandle(f.Event).String(), theme.Plain)
	}
}

func plain(items []prompt.Item) string {
	lines := make([]string, len(items))
	for i := range items {
		cell := &items[i].Cells[0]
		lines[i] = strings.Repeat(" ", max(0, cell.At-2)) + cell.Text
	}
	return strings.Join(lines, "\n")
}
