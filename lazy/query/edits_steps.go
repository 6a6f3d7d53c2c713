package query

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
)

// Step is an edit of the tree before an answer is made: which calls become roots, and which are
// left out. A filter that names kinds, such as kind=loop, is about these in place of calls.
type Step struct {
	Kind StepKind
	Text string // as people write it: a filter of calls, a method, or a place
	// Of these one is set: what it is about, the handle of one, places, or a part of the recording.
	about *filter.Expr
	place *lazy.Handle
	among *places.Set // of [FocusOn]
	over  *axisRange  // of a Range; nil for others
	// method is set if Text is the name of a method.
	method bool
}

// StepKind is what a step does with calls.
type StepKind uint8

const (
	// Focus makes the outermost calls roots: all that is not below one of them is left out.
	Focus StepKind = iota
	// Merge leaves calls out. What is directly in them takes their place, and their own time
	// becomes that of their caller.
	Merge
	// Drop leaves calls out with everything below them, and with their time.
	Drop
	// Only merges all calls but these. What is directly in them and is no call is left out with them: it counts
	// as an event of the call around that is left.
	Only
	// Recursion merges the calls of a method within one another into the outermost, in paths: the
	// path of a call has nothing between the outermost and the innermost of them. What is known
	// about the calls of a method does not change. It applies after all other steps. See also [TreeEdits].
	Recursion
	// Range leaves a part of the recording: of its time, or in a trace without times of the numbers of
	// its events. It is the same before and after other steps. Of time, durations are cut at its ends, and a call counts
	// if it begins in it; of numbers, a call is added up if it begins and ends in it, and listed if it begins in it.
	Range
)

// StepKinds are the words for the values of StepKind.
var StepKinds = [...]string{"focus", "merge", "drop", "only", "recursion", "range"}

func (k StepKind) String() string { return StepKinds[k] }

// ParseStep reads a step. A text that is no filter, such as Account.withdraw, is the name of a method;
// the error is a [filter.Error].
func ParseStep(kind StepKind, text string) (Step, error) {
	s := Step{Kind: kind, Text: strings.TrimSpace(text)}
	if s.Text == "" {
		return s, needs(kind)
	}
	if kind == Range {
		p, err := parseSpan(s.Text)
		if err != nil {
			return s, err
		}
		s.over, s.Text = &p, p.String()
		return s, nil
	}
	if h, ok := lazy.ParseHandle(s.Text); ok && kind != Recursion {
		s.place = &h
		return s, nil
	}
	source := s.Text
	if s.method = kind == Recursion || namesMethod(s.Text); s.method {
		source = "method=" + methodWord(s.Text)
	}
	var err error
	s.about, err = filter.Parse(source)
	return s, err
}

// needs is the error of a step without a text.
func needs(kind StepKind) error {
	if kind == Range {
		return errors.New("range needs two ends, such as 1.2s..1.3s, or #100..#2000 in a trace without times")
	}
	return fmt.Errorf("%s needs a method or a filter", kind)
}

// Place returns the place that the step is about; ok is false if it is about methods.
func (s Step) Place() (h lazy.Handle, ok bool) {
	if s.place == nil {
		return h, false
	}
	return *s.place, true
}

// missingClass is how rows show a class that damaged data does not describe.
var missingClass = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<(class) -?[0-9]+>`) })

// namesMethod reports whether a text can only be the name of a method.
func namesMethod(text string) bool {
	name := missingClass().ReplaceAllString(strings.TrimPrefix(filter.Plain(text), "new "), "$1")
	if paren := strings.IndexByte(name, '('); paren > 0 && strings.HasSuffix(name, ")") {
		name = name[:paren]
	}
	if name == "" || name[0] == '-' || slices.Contains([]string{"threw", "exc", "in", "has"}, name) {
		return false
	}
	return !strings.ContainsAny(name, " \t=!<>~:()#\"")
}

// methodWord returns the value of a method's name, in which * is any text.
func methodWord(text string) string {
	if strings.Contains(filter.Plain(text), "*") && !strings.ContainsAny(text, " \t") {
		return text
	}
	return filter.Word(text)
}

// String describes the step: "merge java.util.*".
func (s Step) String() string {
	if s.Kind == Recursion {
		return "recursion of " + s.Text
	}
	return s.Kind.String() + " " + s.Text
}

// Steps are steps in the order in which they are applied.
type Steps []Step

// Text describes the steps in one line.
func (l Steps) Text(g *display.Glyphs) string {
	list := make([]string, len(l))
	for i, s := range l {
		list[i] = s.String()
	}
	return strings.Join(list, " "+g.Crumb+" ")
}

// has reports whether one of the steps is of one of the kinds.
func (l Steps) has(kinds ...StepKind) bool {
	return slices.ContainsFunc(l, func(s Step) bool { return slices.Contains(kinds, s.Kind) })
}

// RangeNote tells which calls count in a range of events: for a list those that begin in it, as their end does not matter.
const RangeNote = "of a range of events, a call is added up if it begins and ends there, and listed if it begins there"

// Tell adds the steps to the notes of a table.
func (l Steps) Tell(t *table.Table, g *display.Glyphs) {
	if len(l) == 0 {
		return
	}
	t.Notes = append([]string{"steps: " + l.Text(g)}, t.Notes...)
	if slices.ContainsFunc(l, func(s Step) bool { return s.over != nil && !s.over.timed }) {
		t.Notes = append(t.Notes, RangeNote)
	}
	if l.has(Recursion) && t.Row != rowIsPath {
		t.Notes = append(t.Notes, "recursion shows in paths of callers and callees: here each call counts")
	}
}

// rowIsPath is what a row of the table is.
const rowIsPath = "path"

// RangeStep returns the step that leaves a part of the recording: nanoseconds since it began, or
// numbers of events.
func RangeStep(timed bool, from, to int64) Step {
	p := axisRange{from, to, timed}
	return Step{Kind: Range, Text: p.String(), over: &p}
}

// Span returns what a Range step is about; ok is false for other steps.
func (s Step) Span() (timed bool, from, to int64, ok bool) {
	if s.over == nil {
		return false, 0, 0, false
	}
	return s.over.timed, s.over.from, s.over.to, true
}
