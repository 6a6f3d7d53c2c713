package tree

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/ui/internal/env"
)

// Subject is the method that a step is about.
type Subject struct {
	Method string  // as a step takes it
	Class  string  // full name; "" if it has none
	kind   rowKind // of a row that is no call
}

// rowKind is rows that are no calls, for a person and as a filter.
type rowKind struct{ name, filter string }

var loops = rowKind{"loops", "kind=loop or kind=iteration"}

// kinds are the rows like one that is no call.
var kinds = map[format.Class]rowKind{
	format.ClassLoop: loops, format.ClassIteration: loops,
	format.ClassThrow: {"throws", "kind=throw"}, format.ClassCatch: {"catches", "kind=catch"},
	format.ClassFieldRead: {"fields", "kind=field"}, format.ClassFieldWrite: {"fields", "kind=field"},
	format.ClassVariableRead: {"variables", "kind=var"}, format.ClassVariableWrite: {"variables", "kind=var"},
	format.ClassArrayRead: {"array elements", "kind=array"}, format.ClassArrayWrite: {"array elements", "kind=array"},
	format.ClassSnapshot: {"breakpoints", "kind=breakpoint"},
}

// here adds a focus on the row under the cursor, or asks for a step about its call or the one around.
func (s *Steps) here(kind query.StepKind) tea.Cmd {
	n := s.tree.Out.Cursor.Node
	if kind == query.Focus && n != nil {
		switch {
		case n.IsThread():
			return s.env.Say("a thread is a root")
		case n.Leaf():
			return s.env.Say("nothing is below this row")
		case n == s.tree.Out.Tree.Focused():
			return s.env.Say("this is the root")
		}
		s.tree.Out.Tree.Expand(n)
		return s.parse(kind, n.Handle().String(), s.Add)
	}
	var about Subject
	if n = cmp.Or(n, s.tree.Out.Cursor.Parent); n != nil && n.Point() != nil {
		about.kind = kinds[n.Point().Class]
	}
	for n != nil && (n.Point() == nil || n.Point().Class != format.ClassCall) {
		n = n.Parent()
	}
	if n != nil {
		about.Method, about.Class = NamesOf(s.env.Trace.Reader, n.Point().Ref)
	}
	switch {
	case about.Method != "" || about.kind.name != "" && (kind == query.Merge || kind == query.Drop):
	case n == nil:
		return s.env.Say("no call under the cursor")
	default:
		return s.env.Say("the trace does not describe this method")
	}
	return s.Ask(kind, about, s.Add)
}

// stepChoice is what a step may be about.
type stepChoice struct {
	steps *Steps
	add   func(query.Step) tea.Cmd
}

func (s stepChoice) Choose(c env.Choice) tea.Cmd {
	word, text, _ := strings.Cut(c.Name, " ")
	return s.steps.parse(StepKind(word), text, s.add)
}

// Ask asks with one key what a step is about, and adds it.
func (s *Steps) Ask(kind query.StepKind, about Subject, add func(query.Step) tea.Cmd) tea.Cmd {
	pkg := filter.PackageOf(about.Class)
	library := libraryOf(pkg)
	if kind == query.Focus || kind == query.Recursion || kind == query.Only && about.Class == "" {
		return s.parse(kind, about.Method, add)
	}
	var choices []env.Choice
	offer := func(key, label string, kind query.StepKind, text string) {
		choices = append(choices, env.Choice{Key: key, Text: label, Name: kind.String() + " " + text})
	}
	rows := about.kind
	if rows.name != "" {
		offer("k", rows.name, kind, rows.filter)
	}
	if about.Method != "" {
		offer("m", about.Method, kind, about.Method)
	}
	if about.Class != "" {
		offer("c", "class", kind, "class="+filter.Word(about.Class))
	}
	if pkg != "" {
		offer("p", pkg, kind, "pkg="+filter.Word(pkg))
	}
	if library == "" && kind == query.Merge && about.Method != "" {
		offer("!", "all but classes without a package", query.Only, "-pkg~.") // its package has no character
	}
	if library != "" {
		offer("l", library+".*", kind, libraryTerm(pkg))
		if kind == query.Merge {
			offer("!", "all but "+library+".*", query.Only, libraryTerm(pkg))
		}
	}
	if rows.name == "" && kind == query.Merge {
		offer("k", loops.name, kind, loops.filter)
	}
	return s.env.Offer(&env.Prefix{Title: kind.String(), Choices: choices, By: stepChoice{s, add}})
}

// platforms are libraries whose packages have the first part of their names in common.
var platforms = []string{"java", "javax", "jdk", "sun", "kotlin", "kotlinx", "scala", "groovy", "clojure", "android", "androidx"}

// libraryOf returns the beginning of a library's packages: com.shop of com.shop.till, or github.com/shop/till in Go.
func libraryOf(pkg string) string {
	if strings.Contains(pkg, "/") {
		parts := strings.Split(pkg, "/")
		n := 1
		if strings.Contains(parts[0], ".") {
			n = 3
		}
		return strings.Join(parts[:min(n, len(parts))], "/")
	}
	parts := strings.Split(pkg, ".")
	if slices.Contains(platforms, parts[0]) {
		return parts[0]
	}
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// libraryTerm returns the filter of the calls of a package's library.
func libraryTerm(pkg string) string {
	if strings.Contains(pkg, "/") {
		return "pkg~^" + regexp.QuoteMeta(libraryOf(pkg)) + "(/|$)"
	}
	return "pkg=" + libraryOf(pkg) + ".*"
}
