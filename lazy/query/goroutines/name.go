// Package goroutines finds out which goroutine started which, in traces whose threads are named as
// instrumented Go programs name them:
//
//	main
//	goroutine 19 main.worker ← 1 main.main main.go:78
//	btree.test › goroutine 25 time.goFunc
//
// A name has the goroutine's number, the function that it began with, and after the arrow the number of
// the goroutine that started it, with the function and the place of the go statement. The name of the
// program may precede it, if several were recorded. A go statement is a call without children in the
// thread that ran it. Its method's name begins with "go ", and its result is the goroutine that it
// made: "goroutine 19", or "≈ goroutine 19" if that is a guess.
//
// Threads with other names are roots, and have no goroutine.
package goroutines

import (
	"iter"
	"math"
	"strconv"
	"strings"
)

// Name is what a thread's name says about its goroutine.
type Name struct {
	Program string // "" if only one was recorded
	Number  int64  // 1 for that of main; 0 if it was not recorded
	Start   string // the function that it began with; "" if unknown, and for main
	Parent  int64  // number of the goroutine that started it; 0 if unknown, or the runtime did
	By      string // function of the go statement; "" if unknown
	At      string // its file and line, such as main.go:78; "" if unknown
}

const (
	programEnd = " › "
	goroutine  = "goroutine "
	mainName   = "main"
	mainNumber = 1
	startedBy  = " ← "
	guessed    = "≈ "
	goMethod   = "go "
)

// Parse reads the name of a thread; ok is false if it is not that of a goroutine.
func Parse(text string) (n Name, ok bool) {
	if i := strings.LastIndex(text, programEnd); i >= 0 {
		n.Program, text = text[:i], text[i+len(programEnd):]
		if n.Program == "" {
			return Name{}, false
		}
	}
	if text == mainName {
		n.Number = mainNumber
		return n, true
	}
	text, ok = strings.CutPrefix(text, goroutine)
	if !ok {
		return Name{}, false
	}
	text, by, made := strings.Cut(text, startedBy)
	number, start, more := strings.Cut(text, " ")
	if number != "?" {
		if n.Number, ok = parseNumber(number); !ok {
			return Name{}, false
		}
	}
	if n.Start = start; more && !isFunction(start) || made && !n.started(by) {
		return Name{}, false
	}
	return n, true
}

// started reads what follows the arrow.
func (n *Name) started(text string) (ok bool) {
	number, text, more := strings.Cut(text, " ")
	if n.Parent, ok = parseNumber(number); !ok || !more {
		return ok
	}
	end := functionEnd(text)
	if end == len(text) || !isFunction(text[:end]) {
		return false
	}
	n.By, n.At = text[:end], text[end+1:]
	file, line, _ := cutLast(n.At, ':')
	_, ok = parseNumber(line)
	return ok && file != ""
}

// isFunction reports whether a text can be the full name of a function.
func isFunction(text string) bool {
	return functionEnd(text) == len(text) && strings.IndexByte(text, '.') > 0
}

// functionEnd returns where the name of a function at the beginning of a text ends: at a blank that is
// not within the types of a generic function.
func functionEnd(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '[':
			depth++
		case ']':
			depth--
		case ' ':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// parseNumber reads a number as programs write it: without a sign or leading zeros, and at least 1.
func parseNumber(text string) (n int64, ok bool) {
	if text == "" || text[0] < '1' || text[0] > '9' {
		return 0, false
	}
	for i := range len(text) {
		d := int64(text[i]) - '0'
		if d < 0 || d > 9 || n > (math.MaxInt64-d)/10 {
			return 0, false
		}
		n = 10*n + d
	}
	return n, true
}

func cutLast(text string, sep byte) (before, after string, found bool) {
	if i := strings.LastIndexByte(text, sep); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}

// Programs yields the texts that may be the program in the name of any thread, also of one that is no goroutine: the shortest first.
func Programs(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; ; at += len(programEnd) {
			i := strings.Index(name[at:], programEnd)
			if i < 0 {
				return
			}
			if at += i; !yield(name[:at]) {
				return
			}
		}
	}
}

// Main reports whether the goroutine is that of main.
func (n *Name) Main() bool { return n.Number == mainNumber && n.Start == "" }

// String names the goroutine in a sentence, without its program.
func (n *Name) String() string {
	if n.Main() {
		return mainName
	}
	return goroutine + n.Digits()
}

// Made reads the result of a go statement: the number of the goroutine that it made, and whether that
// is a guess. ok is false for any other text.
func Made(result string) (number int64, guess, ok bool) {
	result, guess = strings.CutPrefix(result, guessed)
	if result, ok = strings.CutPrefix(result, goroutine); !ok {
		return 0, false, false
	}
	number, ok = parseNumber(result)
	return number, guess && ok, ok
}

// IsStatement reports whether a method's name is that of a go statement.
func IsStatement(method string) bool {
	return len(method) > len(goMethod) && strings.HasPrefix(method, goMethod)
}

// Heading is the name with the number first, as in g13 app.work ← g1 app.main app.go:3. From end on it tells who
// started the goroutine.
func (n *Name) Heading() (text string, end int) {
	text = n.short() + " " + n.Start
	if n.Program != "" {
		text = n.Program + programEnd + text
	}
	end = len(text)
	if n.Parent != 0 {
		text += startedBy + Label(n.Parent)
	}
	if n.By != "" {
		text += " " + n.By + " " + n.At
	}
	return text, end
}

// short returns the number, with "main" appended for that of main.
func (n *Name) short() string {
	if n.Main() {
		return Label(n.Number) + " " + mainName
	}
	return Label(n.Number)
}

// Digits returns the number, or a question mark for one that was not recorded.
func (n *Name) Digits() string {
	if n.Number == 0 {
		return "?"
	}
	return strconv.FormatInt(n.Number, 10)
}

// Label is what names a goroutine on the screen and in commands, as threads of the same number are others: g45. For one
// without a number it is g?.
func Label(number int64) string {
	n := Name{Number: number}
	return labelled + n.Digits()
}

const labelled = "g"

// Read reads a Label, or "goroutine 45".
func Read(text string) (number int64, ok bool) {
	digits, long := strings.CutPrefix(text, goroutine)
	if !long {
		digits, ok = strings.CutPrefix(text, labelled)
	}
	if long || ok {
		number, ok = parseNumber(strings.TrimSpace(digits))
	}
	return number, ok
}
