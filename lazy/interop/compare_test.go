package interop

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/eager"
)

// sameAsReference compares the texts that the real reader prints of a trace, in each of
// its ways, with ours.
func sameAsReference(t *testing.T, r *reference, data string) {
	t.Helper()
	for _, verbose := range []bool{false, true} {
		theirs := r.eager(t, data, verbose)
		sameText(t, r.lazily(t, data, verbose), theirs)
		sameButDigits(t, printedByUs(t, data, lazy.PrintOptions{Verbose: verbose}, firstRoot), theirs)
		sameTree(t, r, data, verbose)
	}
}

// sameTree compares only top-level points, all of them, as recorded and folded.
func sameTree(t *testing.T, r *reference, data string, verbose bool) {
	t.Helper()
	raw, folded := lazy.PrintOptions{Verbose: verbose}, lazy.PrintOptions{Verbose: verbose, Folded: true}
	sameButDigits(t, printedByUs(t, data, raw, allRoots), r.printed(t, "print-tree", data, verbose, "raw"))
	sameButDigits(t, printedByUs(t, data, folded, allRoots), r.printed(t, "print-tree", data, verbose, "folded"))
}

// These select the top-level points of a thread to print.
const (
	firstRoot = false
	allRoots  = true
)

var unloadedRoots = regexp.MustCompile(`(?m)^\.\.\. <(unloaded child|\d+ unloaded children)>\n`)

// printedByUs returns our text of a trace, without the parts that the real printers
// omit: in version 22, threads without points beside several that have some; and,
// unless all is set, all points of the top level except the first of each thread.
func printedByUs(t testing.TB, data string, o lazy.PrintOptions, all bool) string {
	t.Helper()
	f, err := os.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	forest, err := eager.Load(f)
	if err != nil {
		t.Fatal(err)
	}
	if forest.Problem != nil {
		t.Fatal(forest.Problem)
	}
	shown, trees := &eager.Forest{Context: forest.Context}, 0
	for _, thread := range forest.Threads {
		if thread.Points() > 0 {
			trees++
		}
	}
	for _, thread := range forest.Threads {
		if thread.Points() == 0 && trees > 1 && forest.Context.Version() == format.V22 {
			continue
		}
		shown.Threads = append(shown.Threads, thread)
		first := true
		for root := range thread.Roots() {
			if !first && !all {
				root.Forget()
			}
			first = false
		}
	}
	var text strings.Builder
	if err := shown.Print(&text, o); err != nil {
		t.Fatal(err)
	}
	return withoutLiterals(t, forest).Replace(unloadedRoots.ReplaceAllString(text.String(), ""))
}

// withoutLiterals replaces the literals of structs that were recorded by their values, as no program for
// the JVM does, by what the real printers make of them: an object whose identity hash is 0.
func withoutLiterals(t testing.TB, forest *eager.Forest) *strings.Replacer {
	t.Helper()
	c, seen := forest.Context, map[string]string{}
	value := func(v *format.Value) {
		if v.ByValue() {
			name := c.ClassName(v.ClassID) + "@0"
			seen[string(c.AppendValueText(nil, v))] = name
			const method = ".<method -7>()"
			receiver := c.AppendText(nil, &format.Point{Class: format.ClassCall, Diff: format.DiffNone, Ref: -7, Location: -1, Target: *v}, nil, format.Parent{}, false)
			seen[strings.TrimSuffix(string(receiver), method)] = name
		}
	}
	var visit func(n eager.Node)
	visit = func(n eager.Node) {
		var p format.Point
		if err := n.Point(&p); err != nil {
			t.Fatal(err)
		}
		value(&p.Target)
		value(&p.Value)
		for i := range p.Args {
			value(&p.Args[i])
		}
		if p.Class == format.ClassCall {
			var f format.Footer
			if err := n.Footer(&f); err != nil {
				t.Fatal(err)
			}
			value(&f.Result)
		}
		for child := range n.Children() {
			visit(child)
		}
	}
	for _, thread := range forest.Threads {
		for root := range thread.Roots() {
			visit(root)
		}
	}
	// The longest one that begins at a place is the one that is there.
	var pairs []string
	for _, literal := range slices.SortedFunc(maps.Keys(seen), func(a, b string) int { return len(b) - len(a) }) {
		pairs = append(pairs, literal, seen[literal])
	}
	return strings.NewReplacer(pairs...)
}

// sameButDigits compares our text with the real printer's, which runs on Java
// 17: its algorithm gives some doubles and floats other last digits than the
// shortest equivalent. Only such numbers may differ.
func sameButDigits(t testing.TB, ours, theirs string) {
	t.Helper()
	if ours == theirs {
		return
	}
	o, r := strings.Split(ours, "\n"), strings.Split(theirs, "\n")
	for i := range min(len(o), len(r)) {
		if !sameButDigitsLine(o[i], r[i]) {
			t.Fatalf("line %d is\n%.1000q, Lincheck prints\n%.1000q", i+1, o[i], r[i])
		}
	}
	if len(o) != len(r) {
		t.Fatalf("%d lines, Lincheck prints %d", len(o), len(r))
	}
}

var floatText = regexp.MustCompile(`-?\d+\.\d+(E-?\d+)?`)

func sameButDigitsLine(ours, theirs string) bool {
	if ours == theirs {
		return true
	}
	o, r := floatText.FindAllString(ours, -1), floatText.FindAllString(theirs, -1)
	if len(o) != len(r) || floatText.ReplaceAllString(ours, "#") != floatText.ReplaceAllString(theirs, "#") {
		return false
	}
	for i := range o {
		if o[i] != r[i] && !sameNumber(o[i], r[i]) {
			return false
		}
	}
	return true
}

// floatDigits is the maximum number of digits that Java prints for a float.
const floatDigits = 9

// sameNumber reports whether two texts denote the same double or, if both are
// short enough to be floats, the same float. Ours must not be the longer one, except
// that two digits are always allowed: if one is enough, ours is the nearer one.
func sameNumber(ours, theirs string) bool {
	digits := func(s string) int {
		mantissa, _, _ := strings.Cut(s, "E")
		return max(2, len(strings.Trim(strings.NewReplacer(".", "", "-", "").Replace(mantissa), "0")))
	}
	if digits(ours) > digits(theirs) {
		return false
	}
	bits := 64
	if digits(theirs) <= floatDigits {
		bits = 32
	}
	a, errA := strconv.ParseFloat(ours, bits)
	b, errB := strconv.ParseFloat(theirs, bits)
	return errA == nil && errB == nil && a == b
}

func TestSameButDigits(t *testing.T) {
	for _, c := range []struct {
		ours, theirs string
		same         bool
	}{
		{"x = 1.5", "x = 1.5", true},
		{"x = 2.0E23", "x = 1.9999999999999996E23", false}, // another double
		{"x = 5.684341886080802E-14", "x = 5.6843418860808015E-14", true},
		{"x = 5.6843418860808015E-14", "x = 5.684341886080802E-14", false}, // ours is longer
		{"x = 1.4306523E15", "x = 1.43065226E15", true},                    // a float
		{"x = 1.4306523E15", "x = 1.43065326E15", false},
		{"x = 9.9E-44", "x = 1.0E-43", true},
		{"x = 9.8E-44", "x = 1.0E-43", false},
		{"x = 1.5, y = 2.5", "x = 1.5", false},
		{"y = 1.4306523E15", "x = 1.43065226E15", false},
		{"x = 12", "x = 13", false},
	} {
		if same := sameButDigitsLine(c.ours, c.theirs); same != c.same {
			t.Errorf("%q, %q: %v, want %v", c.ours, c.theirs, same, c.same)
		}
	}
}
