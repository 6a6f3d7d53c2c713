package ui

import (
	"regexp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/ui/internal/answer"
	"tracex/ui/internal/screen"
)

// subject is the method that a step is about.
type subject struct {
	method string  // as a step takes it
	class  string  // full name; "" if it has none
	kind   rowKind // of a row that is no call
	node   *lazy.Node
}

// rowKind is rows that are no calls, for a person and as a filter.
type rowKind struct{ name, filter string }

var loops = rowKind{"loops", "kind=loop or kind=iteration"}

// kindOf returns the rows like one that is no call.
func kindOf(class format.Class) rowKind {
	switch class {
	case format.ClassLoop, format.ClassIteration:
		return loops
	case format.ClassThrow:
		return rowKind{"throws", "kind=throw"}
	case format.ClassCatch:
		return rowKind{"catches", "kind=catch"}
	case format.ClassFieldRead, format.ClassFieldWrite:
		return rowKind{"fields", "kind=field"}
	case format.ClassVariableRead, format.ClassVariableWrite:
		return rowKind{"variables", "kind=var"}
	case format.ClassArrayRead, format.ClassArrayWrite:
		return rowKind{"array elements", "kind=array"}
	case format.ClassSnapshot:
		return rowKind{"breakpoints", "kind=breakpoint"}
	}
	return rowKind{}
}

// here adds a focus on the row under the cursor, or asks for a step about its call or the one around.
func (s *stepping) here(kind query.StepKind) tea.Cmd {
	n := s.tree.Out.Cursor.Node
	if kind == query.Focus && n != nil {
		switch {
		case n.IsThread():
			s.env.Say("a thread is a root")
			return nil
		case n.Leaf():
			s.env.Say("nothing is below this row")
			return nil
		case n == s.tree.Out.Tree.Focused():
			s.env.Say("this is the root")
			return nil
		}
		s.tree.Out.Tree.Expand(n)
		return s.typed(kind, n.Handle().String())
	}
	if n == nil {
		n = s.tree.Out.Cursor.Parent
	}
	var about subject
	if n != nil && n.Point() != nil {
		about.kind = kindOf(n.Point().Class)
	}
	for n != nil && (n.Point() == nil || n.Point().Class != format.ClassCall) {
		n = n.Parent()
	}
	if about.node = n; n != nil {
		about.method, about.class = namesOf(s.trace.Reader, n.Point().Ref)
	}
	switch {
	case about.method != "" || about.kind.name != "" && (kind == query.Merge || kind == query.Drop):
	case n == nil:
		s.env.Say("no call under the cursor")
		return nil
	default:
		s.env.Say("the trace does not describe this method")
		return nil
	}
	return s.ask(kind, about, s.add)
}

// namesOf returns the name of a method, as short as no other method has it, and the full name of its
// class; "" if the trace does not describe it.
func namesOf(r *lazy.LazyTraceReader, method int32) (name, class string) {
	long := answer.Name(r, method)
	r.WithContext(func(c *format.Context) {
		d := c.Method(method)
		if d == nil {
			return
		}
		if of := c.Class(d.ClassID); of != nil {
			class = of.Name
		}
		short, _ := c.CallName(method, 0)
		name = short
		for other := range c.Methods() {
			if other.ID == method || other.Name != d.Name {
				continue
			}
			if also, _ := c.CallName(other.ID, 0); also == short {
				name = long
				return
			}
		}
	})
	return name, class
}

// ask asks with one key what a step is about.
func (s *stepping) ask(kind query.StepKind, about subject, add func(query.Step) tea.Cmd) tea.Cmd {
	pkg := filter.PackageOf(about.class)
	library := libraryOf(pkg)
	if kind == query.Focus || kind == query.Recursion || kind == query.Only && about.class == "" {
		return s.make(kind, about.method, add)
	}
	choices := make(map[string]string)
	var keys []string
	if about.method != "" {
		choices["m"] = about.method
		keys = append(keys, "m "+about.method)
	}
	if about.class != "" {
		choices["c"] = "class=" + filter.Word(about.class)
		keys = append(keys, "c class")
	}
	if pkg != "" {
		choices["p"] = "pkg=" + filter.Word(pkg)
		keys = append(keys, "p "+pkg)
	}
	if library == "" && kind == query.Merge && about.method != "" {
		choices["!"] = "-pkg~." // its package has no character
		keys = append(keys, "! all but classes without a package")
	}
	if library != "" {
		choices["l"] = libraryTerm(pkg)
		keys = append(keys, "l "+library+".*")
		if kind == query.Merge {
			choices["!"] = choices["l"]
			keys = append(keys, "! all but "+library+".*")
		}
	}
	rows := about.kind
	if rows.name == "" && kind == query.Merge {
		rows = loops
	}
	if rows.name != "" {
		choices["k"] = rows.filter
		at := len(keys)
		if rows == about.kind {
			at = 0
		}
		keys = slices.Insert(keys, at, "k "+rows.name)
	}
	s.env.Say(kind.String() + ": " + strings.Join(keys, "  "))
	s.keyboard.then = func(key string) tea.Cmd {
		text, ok := choices[key]
		switch {
		case key == "esc":
			return nil
		case !ok:
			s.env.Say(screen.KeyName(key, s.env.Glyphs) + " is none of them: " + strings.Join(keys, "  "))
			return nil
		case key == "!":
			return s.make(query.Only, text, add)
		}
		return s.make(kind, text, add)
	}
	return nil
}

// make adds a step with a text that fits the trace.
func (s *stepping) make(kind query.StepKind, text string, add func(query.Step) tea.Cmd) tea.Cmd {
	step, err := query.ParseStep(kind, text)
	if err != nil {
		s.refuse(err)
		return nil
	}
	return add(step)
}

// platforms are libraries whose packages have the first part of their names in common.
var platforms = []string{"java", "javax", "jdk", "sun", "kotlin", "kotlinx", "scala", "groovy", "clojure", "android", "androidx"}

// libraryOf returns the beginning of the packages of a library: com.shop of com.shop.till,
// github.com/shop/till of a Go package in it.
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
