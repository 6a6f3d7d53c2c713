package recorder

import (
	"slices"
	"testing"

	"tracex/format"
	"tracex/lazy/eager"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// texts returns the lines of a trace.
func texts(t *testing.T, path string) (lines []string) {
	t.Helper()
	forest := tracetest.LoadChecked(t, path)
	var visit func(n eager.Node)
	visit = func(n eager.Node) {
		var p format.Point
		if err := n.Point(&p); err != nil {
			t.Fatal(err)
		}
		var footer *format.Footer
		if p.Class.Container() {
			footer = new(format.Footer)
			if err := n.Footer(footer); err != nil {
				t.Fatal(err)
			}
		}
		lines = append(lines, string(forest.Context.AppendText(nil, &p, footer, format.Parent{}, false)))
		for child := range n.Children() {
			visit(child)
		}
	}
	for _, thread := range forest.Threads {
		for root := range thread.Roots() {
			visit(root)
		}
	}
	return lines
}

// A number that was never registered, or with another recorder, is shown as such and not as
// something else, wherever it is used; and it is counted.
func TestNumbersOfOthers(t *testing.T) { versiontest.EachVersion(t, testNumbersOfOthers) }

func testNumbersOfOthers(t *testing.T) {
	var early *Recorder
	zero := early.Method(early.Class("bank"), "withdraw", Type{})
	other := start(t, Config{})
	class := other.Class("other.Class")
	foreign := other.Method(class, "m", Type{}, Type{})
	foreignField, foreignVariable := other.Field(class, "f", FieldInfo{}), other.Variable("v", Type{})
	foreignPlace := other.Location(CodeLocation{File: "other.go", Line: 7})
	captured := other.Capture(struct{ A int }{7})

	c := Config{Path: t.TempDir() + "/trace.bin"}
	r := start(t, c)
	own := r.Class("bank")
	deposit := r.Method(own, "deposit", Type{})
	r.Field(own, "balance", FieldInfo{})
	r.Variable("amount", Type{})
	r.Location(CodeLocation{File: "bank.go", Line: 1})
	th := r.Thread("main")
	call := func(m Method, args ...Value) {
		th.Enter(m, 0, Null(), args...)
		th.Exit(Void())
	}
	call(deposit, Int(1))
	call(zero, Int(100))
	call(foreign, Int(100))
	call(deposit, Object(0, 1), Object(class, 2), Object(own, 3), captured)
	th.WriteField(0, 0, Null(), Int(1))
	th.ReadField(foreignField, 0, Null(), Int(1))
	th.WriteVariable(0, 0, Int(1))
	th.ReadVariable(foreignVariable, foreignPlace, Int(1))
	call(r.Method(class, "n", Type{}))
	th.WriteField(r.Field(0, "g", FieldInfo{Static: true}), 0, Null(), Int(1))
	if r.Path(Local(foreignVariable)) != 0 || r.Path(Member(0)) != 0 {
		t.Error("a path has a step that nothing registered")
	}
	path := other.Path(Local(foreignVariable))
	th.WriteVariable(r.Variable("v", Type{}), r.Location(CodeLocation{File: "x.go", Line: 3, Path: path}), Int(1))
	saved, err := r.Flush()
	if err != nil {
		t.Fatal(err)
	}
	if want := (Misuse{Unregistered: 6, Foreign: 9}); saved.Misuse != want {
		t.Errorf("counted %+v, want %+v", saved.Misuse, want)
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"bank.deposit(1)",
		"<unregistered>.<unregistered>(100)",
		"<unregistered>.<unregistered>(100)",
		"bank.deposit(<unregistered>@1, <unregistered>@2, bank@3, <unregistered>@0)",
		"<unregistered>.<unregistered> = 1",
		"<unregistered>.<unregistered> ➜ 1",
		"<unregistered> = 1",
		"<unregistered> ➜ 1",
		"<unregistered>.n()",
		"<unregistered>.g = 1",
		"v = 1",
	}
	if got := texts(t, c.Path); !slices.Equal(got, want) {
		t.Errorf("recorded\n%q, want\n%q", got, want)
	}
}

// A call with more or fewer arguments than its method has is counted; a method without types
// may be called with any.
func TestArgumentsAreCounted(t *testing.T) { versiontest.EachVersion(t, testArgumentsAreCounted) }

func testArgumentsAreCounted(t *testing.T) {
	c := Config{Path: t.TempDir() + "/trace.bin"}
	r := start(t, c)
	class := r.Class("C")
	two, any := r.Method(class, "two", Type{}, Type{}, Type{}), r.Method(class, "any", Type{})
	th := r.Thread("main")
	for n := range 4 {
		args := make([]Value, n)
		th.Enter(two, 0, Null(), args...)
		th.Enter(any, 0, Null(), args...)
		th.Exit(Void())
		th.Exit(Void())
	}
	if saved, err := r.Flush(); err != nil || saved.Misuse != (Misuse{Arguments: 3}) {
		t.Errorf("counted %+v, %v", saved.Misuse, err)
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	if got := texts(t, c.Path); got[4] != "C.two(null, null)" || got[6] != "C.two(null, null, null)" {
		t.Errorf("recorded %q", got)
	}
}
