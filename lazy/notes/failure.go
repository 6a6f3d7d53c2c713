package notes

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"tracex/lazy"
)

// FailureAuthor is the author of notes about failed tests. A book that they are put into is opened with it, see
// [Options]: a note that a person has changed since has that person as its author, and is that person's.
const FailureAuthor = "go test"

// Failure is a failed test, as a note tells it.
type Failure struct {
	Test   string // such as TestPay/big
	Why    string // "" if it failed; else why it counts as failed, such as "the process ended in it"
	Output string // what the test printed, without go test's indentation
}

// Place is a line of a source file, as a program's output names it.
type Place struct {
	File string // a path, or just its last part
	Line int    // from 1
}

// failed begins the text of the note of a failure, before the name of the test.
const failed = "FAIL "

// The bounds of the parts of a failure in its note, in bytes; the output has the rest of the note's bound.
const (
	maxFailureName = 4 << 10
	maxFailureWhy  = 1 << 10
)

// Note returns the note of a failure: at is the call of the test's function, or the thread that ran it, with the
// event -1. Its text is Markdown: the test, why it counts as failed, and what it printed in a block of code. The test
// and the reason take one line each. Of an output that is too long, the middle is left out, and a line says so.
func (f *Failure) Note(at lazy.Position, event int32) Item {
	var b strings.Builder
	b.WriteString(failed + oneLine(f.Test, maxFailureName) + "\n")
	if why := oneLine(f.Why, maxFailureWhy); why != "" {
		b.WriteString("\n" + why + "\n")
	}
	if output := strings.ToValidUTF8(f.Output, "\uFFFD"); output != "" {
		fence := fenceFor(output)
		output = cutMiddle(output, maxText-b.Len()-2*len(fence)-len("\n\n\n\n"))
		b.WriteString("\n" + fence + "\n" + output + "\n" + fence + "\n")
	}
	return Item{Text: b.String(), At: at, Event: event, Author: FailureAuthor}
}

// oneLine returns a text without its line breaks, at most so many bytes of it.
func oneLine(text string, most int) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// longestFence bounds the fence of a block; a longer run of backticks in an output does not end the block in
// FailureOf, which takes the last fence, though it does in Markdown.
const longestFence = 100

// fenceFor returns the fence of a block of code for a text: more backticks than any run of them that it has.
func fenceFor(text string) string {
	run, longest := 0, 2
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", min(longest+1, longestFence))
}

// cutMiddle returns a text in at most so many bytes: if it has more, whole lines of its middle are left out, or parts
// of lines that are too long, and a line says how many bytes these were.
func cutMiddle(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const gap = "\n… %d bytes left out …\n"
	room := most - len(gap) - 20 // digits of the number
	head, tail := text[:room/2], text[len(text)-room/2:]
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		head = head[:i]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	}
	head, tail = strings.ToValidUTF8(head, ""), strings.ToValidUTF8(tail, "")
	return head + fmt.Sprintf(gap, len(text)-len(head)-len(tail)) + tail
}

// FailureOf returns the failure that a note of the author FailureAuthor tells; ok is false for any other item.
func FailureOf(it Item) (f Failure, ok bool) {
	text, begins := strings.CutPrefix(it.Text, failed)
	if it.Author != FailureAuthor || it.Mark != 0 || !begins {
		return f, false
	}
	f.Test, text, _ = strings.Cut(text, "\n")
	if f.Test == "" {
		return Failure{}, false
	}
	text = strings.TrimPrefix(text, "\n")
	if !strings.HasPrefix(text, "```") {
		f.Why, text, _ = strings.Cut(text, "\n")
		text = strings.TrimPrefix(text, "\n")
	}
	fence, output, _ := strings.Cut(text, "\n")
	if end := strings.LastIndex(output, "\n"+fence+"\n"); fence != "" && end >= 0 {
		f.Output = output[:end]
	}
	return f, true
}

// frame is a line of a traceback, `\t/a path/x.go:12 +0x1d`; inText is a place anywhere in a text: x_test.go:41.
var (
	frame = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\t((?:/|[A-Za-z]:[/\\]).+\.go):(\d{1,9})(?: \+0x[0-9a-f]+)?\r?$`)
	})
	inText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`((?:\b[A-Za-z]:[/\\])?[^\s:"'()\[\]{}<>,;=]+\.go):(\d{1,9})\b`)
	})
)

// Places returns the lines of source files that the output names, in its order, each once: those of t.Error and
// t.Log, of errors of a compiler, and of the frames of a panic's traceback.
func (f *Failure) Places() []Place {
	var all []Place
	seen := make(map[Place]bool)
	for line := range strings.Lines(f.Output) {
		line = strings.TrimSuffix(line, "\n")
		found := frame().FindAllStringSubmatch(line, 1)
		if found == nil {
			found = inText().FindAllStringSubmatch(line, -1)
		}
		for _, m := range found {
			file, number := m[1], m[len(m)-1]
			n, err := strconv.Atoi(number)
			p := Place{file, n}
			if err == nil && n > 0 && utf8.ValidString(p.File) && !seen[p] {
				seen[p] = true
				all = append(all, p)
			}
		}
	}
	return slices.Clip(all)
}
