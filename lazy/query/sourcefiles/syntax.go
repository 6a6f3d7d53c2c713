package sourcefiles

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tracex/format"
)

// Part is what a run of text in a source is.
type Part uint8

// The parts.
const (
	Other Part = iota
	Comment
	Keyword
	String
	Number
	Call // a name before a parenthesis
)

// language is what has to be known to color a source: a lexer of the language would be right in all cases, and
// registering those of a library takes 14 ms at each start of the program.
type language struct {
	line        string   // begins a comment up to the end of the line
	open, close string   // around a comment of several lines; "" if there is none
	long        []string // quotes around a text of several lines
	quotes      string   // quotes around a text within a line
	words       []string // keywords, sorted
}

func words(text string) []string { return slices.Sorted(slices.Values(strings.Fields(text))) }

const (
	common = "break case class const continue default do else enum false for if import in new null return static super switch this throw true try catch finally while "
	java   = common + "abstract assert boolean byte char double extends final float implements instanceof int interface long native package private protected public record sealed short synchronized throws transient var void volatile yield permits"
	kotlin = common + "abstract actual as by companion constructor data expect final fun init inline inner interface internal is lateinit object open operator out override package private protected public reified sealed suspend tailrec typealias val var vararg when"
	script = common + "async await delete export extends from function get instanceof let of set typeof undefined var void with yield interface type implements private public protected readonly declare namespace"
	native = common + "auto bool char constexpr delete double explicit extern float friend goto inline int long mutable namespace noexcept nullptr operator override private protected public register short signed sizeof struct template typedef typename union unsigned using virtual void volatile include define ifdef ifndef endif"
	golang = "break case chan const continue default defer else fallthrough false for func go goto if import interface iota map nil package range return select struct switch true type var"
	rust   = "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while"
	python = "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield"
	php    = common + "abstract and array as echo extends fn foreach function global implements include instanceof interface match namespace or private protected public readonly require trait use var yield"
)

func likeC(keywords string, long ...string) *language {
	return &language{"//", "/*", "*/", long, "\"'", words(keywords)}
}

// languageOf returns the language of a file; of what is not known the most common one.
func languageOf(file string) *language {
	switch path.Ext(file) {
	case ".go":
		return likeC(golang, "`")
	case ".kt", ".kts", ".scala", ".groovy", ".swift":
		return likeC(kotlin, `"""`)
	case ".js", ".mjs", ".jsx", ".ts", ".tsx":
		return likeC(script, "`")
	case ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".cs":
		return likeC(native)
	case ".rs":
		return &language{"//", "/*", "*/", nil, `"`, words(rust)}
	case ".py", ".rb", ".sh":
		return &language{"#", "", "", []string{`"""`, "'''"}, "\"'", words(python)}
	case ".php":
		return likeC(php)
	}
	return likeC(java, `"""`)
}

// Spans returns the parts of the lines of a file: for each line spans without gaps, whose styles are Parts.
func Spans(file string, text []string) [][]format.Span {
	s := scanner{language: languageOf(file)}
	all := make([][]format.Span, len(text))
	for i, line := range text {
		all[i] = s.scan(line)
	}
	return all
}

// scanner colors one line after another.
type scanner struct {
	*language
	until string // what ends the comment or the text that began on a line before; "" if none did
	is    Part   // which of them it is
	spans []format.Span
	last  int // end of the spans
}

func (s *scanner) add(p Part, end int) {
	if n := len(s.spans); n > 0 && s.spans[n-1].Style == format.Style(p) {
		s.spans[n-1].End = end
	} else if end > s.last {
		s.spans = append(s.spans, format.Span{Start: s.last, End: end, Style: format.Style(p)})
	}
	s.last = end
}

// rest adds a text of several lines up to its end, which is looked for from a place on.
func (s *scanner) rest(line string, from int) {
	if i := strings.Index(line[from:], s.until); i >= 0 {
		s.add(s.is, from+i+len(s.until))
		s.until = ""
		return
	}
	s.add(s.is, len(line))
}

func (s *scanner) scan(line string) []format.Span {
	s.spans, s.last = nil, 0
	if s.until != "" {
		s.rest(line, 0)
	}
	for s.last < len(line) {
		at := line[s.last:]
		switch c, size := utf8.DecodeRuneInString(at); {
		case strings.HasPrefix(at, s.line):
			s.add(Comment, len(line))
		case s.open != "" && strings.HasPrefix(at, s.open):
			s.until, s.is = s.close, Comment
			s.rest(line, s.last+len(s.open))
		case s.begins(at):
			s.is = String
			s.rest(line, s.last+len(s.until))
		case strings.ContainsRune(s.quotes, c):
			s.add(String, s.last+quoted(at))
		case unicode.IsLetter(c) || c == '_' || c == '$':
			n := within(at, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '$' })
			_, keyword := slices.BinarySearch(s.words, at[:n])
			switch {
			case keyword:
				s.add(Keyword, s.last+n)
			case strings.HasPrefix(at[n:], "("):
				s.add(Call, s.last+n)
			default:
				s.add(Other, s.last+n)
			}
		case unicode.IsDigit(c):
			s.add(Number, s.last+within(at, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '.' }))
		default:
			s.add(Other, s.last+size)
		}
	}
	return s.spans
}

// begins reports whether a text of several lines begins, and notes what ends it.
func (s *scanner) begins(at string) bool {
	for _, q := range s.long {
		if strings.HasPrefix(at, q) {
			s.until = q
			return true
		}
	}
	return false
}

// within returns how many bytes at the beginning of a text pass.
func within(text string, pass func(r rune) bool) int {
	if i := strings.IndexFunc(text, func(r rune) bool { return !pass(r) }); i >= 0 {
		return i
	}
	return len(text)
}

// quoted returns the length of a text in quotes, which ends with the line at the latest.
func quoted(at string) int {
	for i := 1; i < len(at); i++ {
		switch at[i] {
		case '\\':
			i++
		case at[0]:
			return i + 1
		}
	}
	return len(at)
}
