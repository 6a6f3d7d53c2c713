//go:build linux

package recordtest_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/pattern"
)

// parametersMain has functions with parameters and results of all kinds. It calls each, and no two are declared on one line.
const parametersMain = `package main

import (
	"errors"
	"os"
)

type shop struct{ n int }

func (s *shop) sell(amount int, to string) (left int, err error) {
	if left = s.n - amount; left < 0 {
		return 0, errors.New(to)
	}
	return left, nil
}

func (s shop) value(_ int, unit string, _ bool) int { println(unit); return s.n }

func (shop) nameless(a, b int) (error, int) { println(a); return nil, b }

func (*shop) blank(int, string) (_ error, _ int) { println(); return }

type list[K comparable, V any] struct{ m map[K]V }

func (l *list[K, V]) put(key K, value V, more ...V) (was V, ok bool) {
	was, ok = l.m[key]
	l.m[key] = value
	return
}

func pick[T any](from []T, which func(T) bool) (T, error) {
	for _, x := range from {
		if which(x) {
			return x, nil
		}
	}
	return from[0], errors.New("none")
}

func spread(first int, rest ...string) int { println(len(rest)); return first }

func unnamed(int, ...string) { println() }

func shadow(len, error int) (string string) { println(len, error); return "" }

func größe(länge int) (größe int) { println(länge); return länge }

type failure error

func aliased() failure { println(); return nil }

func parenthesized(f func(inner int) (none error)) ((error)) { return f(1) }

func main() {
	s := &shop{3}
	s.sell(2, "ann")
	s.sell(9, "bob")
	s.value(1, "x", true)
	s.nameless(1, 2)
	s.blank(1, "")
	l := list[string, int]{map[string]int{}}
	l.put("a", 1, 2, 3)
	pick([]int{1, 2}, func(number int) bool {
		println(number)
		return number > 1
	})
	spread(1, "a", "b")
	unnamed(1, "a")
	shadow(1, 2)
	größe(4)
	aliased()
	parenthesized(func(inner int) (none error) {
		println(inner)
		return
	})
	done := make(chan int)
	go func(to chan<- int, _ string) {
		func(captured *shop) { println(captured.n) }(s)
		to <- 1
	}(done, "x")
	<-done
	if len(os.Args) > 5 {
		panic(1)
	}
}
`

// signature is what the source calls the receiver, the parameters and the results of a function.
type signature [3][]string

// signatures returns those of the functions and the literals of a file, by their lines: nil for a line with several.
func signatures(t *testing.T, source []byte) map[int]*signature {
	t.Helper()
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "main.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := func(list *ast.FieldList, results bool) (names []string) {
		if list == nil {
			return nil
		}
		for _, field := range list.List {
			of := field.Names
			if of == nil {
				of = []*ast.Ident{ast.NewIdent("_")}
			}
			for _, name := range of {
				text := name.Name
				if text == "_" && results && strings.Trim(types.ExprString(field.Type), "()") == "error" {
					text = format.ErrorResult
				}
				names = append(names, text)
			}
		}
		return names
	}
	found := map[int]*signature{}
	note := func(at token.Pos, receiver *ast.FieldList, of *ast.FuncType) {
		line := set.Position(at).Line
		if _, several := found[line]; several {
			found[line] = nil
			return
		}
		found[line] = &signature{names(receiver, false), names(of.Params, false), names(of.Results, true)}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			note(n.Pos(), n.Recv, n.Type)
		case *ast.FuncLit:
			note(n.Pos(), nil, n.Type)
		}
		return true
	})
	return found
}

// declarations returns the names that a trace tells of the functions in main.go, by their lines.
func declarations(t *testing.T, trace string) map[int]*signature {
	t.Helper()
	data, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	s := format.NewBytesScanner(data)
	var c *format.Context
	for s.Next() {
		if c == nil {
			c = format.NewContext(s.Version())
		}
		if o := s.Object(); o.Kind.Reference() {
			if _, _, err := c.Add(bytes.Clone(o.Bytes)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	found := map[int]*signature{}
	for l := range c.Locations() {
		file, line, _ := c.FileLine(l.ID)
		if len(l.Locals) == 0 || file != "main.go" {
			continue
		}
		of := &signature{}
		for i, id := range l.Locals {
			name, _ := c.Text(id)
			of[l.LocalKinds[i]] = append(of[l.LocalKinds[i]], name)
		}
		if old := found[line]; old != nil && fmt.Sprint(*old) != fmt.Sprint(*of) {
			t.Errorf("line %d: %v and %v", line, *old, *of)
		}
		found[line] = of
	}
	return found
}

// TestParameterNames compares the names of receivers, parameters and results in a trace with the source, as go/parser reads it.
func TestParameterNames(t *testing.T) {
	programs := map[string]string{"by hand": parametersMain}
	for seed := range uint64(many(1, 4)) {
		programs[fmt.Sprint("generated ", seed)] = generate(seed+71, 20).source
	}
	for name, source := range programs {
		dir := write(t, map[string]string{"go.mod": "module example.com/names\n\ngo 1.25\n", "main.go": source})
		trace := filepath.Join(t.TempDir(), "trace.bin")
		runTracex(t, dir, nil, "record", "--depth", "2", "-o", trace, "--", "go", "run", ".")
		want, have := signatures(t, []byte(source)), declarations(t, trace)
		for line, names := range have {
			of := want[line]
			if of == nil {
				if _, several := want[line]; !several {
					t.Errorf("%s: there is no function in line %d: %v", name, line, *names)
				}
				continue
			}
			// Results that have no names, and are no errors, are left out.
			if results := of[2]; names[2] == nil && !slices.ContainsFunc(results, func(s string) bool { return s != "_" }) {
				of[2] = nil
			}
			if fmt.Sprint(*names) != fmt.Sprint(*of) {
				t.Errorf("%s, line %d: the trace has %v, the source %v", name, line, *names, *of)
			}
		}
		if name != "by hand" {
			if len(have) < 10 {
				t.Errorf("%s: the names of %d functions: the test tests little", name, len(have))
			}
			continue
		}
		for line, of := range want {
			if of != nil && have[line] == nil && len(of[0])+len(of[1])+len(strings.Trim(strings.Join(of[2], ""), "_")) > 0 {
				t.Errorf("line %d: the trace has no names, the source %v", line, *of)
			}
		}
		for filter, want := range map[string]string{
			"arg.amount>5": "1 match", "ret.err!=nil": "1 match", "arg.to=bob": "1 match", "arg.länge=4": "1 match", "ret.größe=4": "1 match",
			"recv.n=3 method=sell": "2 matches", "arg.captured.n=3": "1 match", "ret.was=0": "1 match",
		} {
			if r := must(t, runTracex(t, dir, nil, append([]string{"find", trace}, filter)...)); !strings.Contains(r.stdout, want+" ") {
				t.Errorf("%s: %s, want %s", filter, r.stdout, want)
			}
		}
		for filter, want := range map[string]string{
			"arg.amuont>5": "no call has a parameter amuont; the nearest: amount", "method=spread arg.x=1": "no call of spread has a parameter x; there are first, rest",
			"method=sell ret.was=1": "no call of sell has a result was; there are err, left",
		} {
			if r := runTracex(t, dir, nil, "find", trace, filter); r.code == 0 || !strings.Contains(r.stderr, want) {
				t.Errorf("%s: %s, want %s", filter, r.stderr, want)
			}
		}
		if r := must(t, runTracex(t, dir, nil, "find", trace, "arg.captured.nn=3")); r.stderr != "hint: no call has arg.captured.nn; the nearest: arg.captured.n\n" {
			t.Errorf("the hint is %q", r.stderr)
		}
		if r := must(t, runTracex(t, dir, nil, "print", "--json", trace)); strings.Count(r.stdout, `"result_names":["left","err"]`) != 2 {
			t.Errorf("print --json has not the names of the results of sell:\n%s", r.stdout)
		}
		// What rows show where there is room is found by its text.
		for what, want := range map[string]int{"sell(amount=": 2, "länge=4": 1, "amount": 0} {
			if got := searched(t, trace, what); got != want {
				t.Errorf("/%s: %d hits, want %d", what, got, want)
			}
		}
	}
}

// searched returns how many calls a search for a text finds.
func searched(t *testing.T, trace, what string) (hits int) {
	t.Helper()
	r, err := lazy.Open(trace, lazy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := pattern.New(what, false)
	s := lazy.Search{Folded: true, Find: p.Find, Limits: p.Limits, Needs: p.Needs}
	if err := r.Search(t.Context(), s, func(f lazy.Found) { hits += len(f.Hits) }); err != nil {
		t.Fatal(err)
	}
	return hits
}
