//go:build linux

package recordtest_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// generator writes a program at random, together with the calls that it makes: it runs no code,
// but decides what each function does before it writes it.
type generator struct {
	*rand.Rand
	functions  strings.Builder // declarations
	names      int
	budget     int       // how many functions may still be written
	goroutines int       // how many there have been
	threads    []*thread // of goroutines but main's
}

// thread is what a goroutine does.
type thread struct {
	name string
	root *callTree
}

// callTree is a call, a go statement, or a throw.
type callTree struct {
	class string // "main", or with the type of a method
	text  string // how it is printed, without the class where there is no receiver
	// received: there is a receiver, which is printed instead of the class.
	received bool
	below    []*callTree
}

// print writes a call as tracex print does. The class is shown where it is not that of the caller.
func (c *callTree) print(to *strings.Builder, depth int, caller string) {
	to.WriteString(strings.Repeat("  ", depth))
	if c.class != caller && !c.received {
		to.WriteString(c.class[strings.LastIndex(c.class, ".")+1:] + ".")
	}
	to.WriteString(c.text + "\n")
	for _, b := range c.below {
		b.print(to, depth+1, c.class)
	}
}

// end is how a call ends.
type end int

const (
	returns end = iota
	panics
	exits
)

// ending is how a call ends; text is that of the panic's value.
type ending struct {
	how  end
	text string
}

// begins is the throw in the call that panics.
func (e ending) begins(class string) []*callTree {
	if e.how != panics {
		return nil
	}
	return []*callTree{{class: class, text: "throw " + e.text}}
}

// scope is where code is written.
type scope struct {
	class     string
	name      string // of the function: f3.func1
	closure   bool
	closures  *int // how many it has
	goroutine int
	generic   bool
	depth     int
	// What may leave the function.
	mayPanic, mayExit bool
}

// program is a Go program and the text of its trace.
type program struct{ source, trace string }

const generatedHead = `package main

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
)

type P struct {
	n int
	s string
}

type Number int

type Box[T any] struct{ t T }

var (
	heap = &P{1, "heap"}
	_    = errors.New
	_    = fmt.Errorf
	_    = runtime.Goexit
	_    = time.Second
	_    sync.Mutex
)

func nothing() {}

`

// untilAlone waits until the goroutines that have announced their end have ended.
const untilAlone = "\tfor runtime.NumGoroutine() > 1 {\n\t\truntime.Gosched()\n\t}\n"

// generate returns a program with so many parts.
func generate(seed uint64, parts int) program {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), goroutines: 1}
	main := &callTree{class: "main", text: "main()"}
	var calls strings.Builder
	s := scope{class: "main", name: "main", closures: new(int), goroutine: 1}
	for range parts {
		g.budget = 10 + g.IntN(30)
		source, tree, _ := g.call(&s)
		calls.WriteString("\t" + source + "\n")
		main.below = append(main.below, tree)
	}
	var trace strings.Builder
	trace.WriteString("# Thread 1 (main)\n")
	main.print(&trace, 0, "")
	for i, t := range g.threads {
		fmt.Fprintf(&trace, "# Thread %d (%s)\n", i+2, t.name)
		t.root.print(&trace, 0, "")
	}
	return program{generatedHead + g.functions.String() + "func main() {\n" + calls.String() + untilAlone + "}\n", trace.String()}
}

// name returns a new name.
func (g *generator) name(prefix string) string {
	g.names++
	return prefix + strconv.Itoa(g.names)
}

// literal returns the name of the next function literal in a scope.
func (s *scope) literal() string {
	*s.closures++
	if s.closure {
		return fmt.Sprintf("%s.%d", s.name, *s.closures)
	}
	return fmt.Sprintf("%s.func%d", s.name, *s.closures)
}

// inner is a scope for what is called in s.
func (s *scope) inner(class, name string, closure bool) *scope {
	return &scope{
		class: class, name: name, closure: closure, closures: new(int), goroutine: s.goroutine, depth: s.depth + 1,
		mayPanic: s.mayPanic, mayExit: s.mayExit, generic: closure && s.generic,
	}
}

// call writes a function and returns the source of a call of it.
func (g *generator) call(s *scope) (source string, tree *callTree, e ending) {
	g.budget--
	in, out := g.values(g.IntN(4)), g.values(g.IntN(4))
	form := g.IntN(10)
	declare := func(head, call, class, shown string) {
		i := s.inner(class, shown[strings.LastIndex(shown, ".")+1:], false)
		i.generic = strings.Contains(head, "[")
		var body string
		tree = &callTree{class: class, received: strings.Contains(shown, ".")}
		body, tree.below, e = g.body(i, out)
		fmt.Fprintf(&g.functions, "%s(%s) (%s) {\n%s}\n\n", head, parameters(in), results(out), body)
		source = call + "(" + expressions(in) + ")"
		tree.text = shown + "(" + arguments(in) + ")" + resultOf(out, e)
	}
	switch form {
	case 0:
		name := g.name("m")
		call := `P{2, "value"}.` + name
		if g.IntN(2) == 0 {
			in = append([]value{{typ: "P", source: `P{3, "expression"}`}}, in...)
			call = "P." + name
			rest := in[1:]
			declared := in
			in = rest
			declare("func (p P) "+name, call, "main.P", `P{n:3, s:"expression"}.`+name)
			source = call + "(" + expressions(declared) + ")"
			return source, tree, e
		}
		declare("func (p P) "+name, call, "main.P", `P{n:2, s:"value"}.`+name)
	case 1:
		name := g.name("m")
		declare("func (p *P) "+name, "heap."+name, "main.P", "P@1."+name)
	case 2:
		name := g.name("m")
		declare("func (p *P) "+name, "(*P)(nil)."+name, "main.P", "(*P)(nil)."+name)
	case 3:
		name := g.name("m")
		declare("func (Number) "+name, "Number(4)."+name, "main.Number", "4."+name)
	case 4:
		v := g.value()
		name := g.name("g")
		in = append([]value{v}, in...)
		class := "main"
		i := s.inner(class, name, false)
		i.generic = true
		var body string
		tree = &callTree{class: class}
		body, tree.below, e = g.body(i, out)
		rest := parameters(in[1:])
		fmt.Fprintf(&g.functions, "func %s[T any](t T, %s) (%s) {\n%s}\n\n", name, rest, results(out), body)
		source = name + "(" + expressions(in) + ")"
		tree.text = name + "(" + arguments(in) + ")" + resultOf(out, e)
	case 5:
		return g.recursion(s)
	case 6, 7:
		name := s.literal()
		i := s.inner(s.class, name, true)
		var body string
		tree = &callTree{class: s.class}
		body, tree.below, e = g.body(i, out)
		source = fmt.Sprintf("func(%s) (%s) {\n%s}(%s)", parameters(in), results(out), body, expressions(in))
		tree.text = name + "(" + arguments(in) + ")" + resultOf(out, e)
	default:
		name := g.name("f")
		declare("func "+name, name, "main", name)
	}
	return source, tree, e
}

// recursion is call for a function that calls itself.
func (g *generator) recursion(s *scope) (source string, tree *callTree, e ending) {
	name, n := g.name("rec"), 1+g.IntN(6)
	last := "\treturn 0\n"
	if s.mayPanic && g.IntN(2) == 0 {
		last, e = g.panic()
	}
	fmt.Fprintf(&g.functions, "func %s(n int, s string) int {\n\tif n > 0 {\n\t\treturn %s(n-1, s+\"+\") + 1\n\t}\n%s\treturn 0\n}\n\n", name, name, strings.TrimSuffix(last, "\treturn 0\n"))
	text := "s"
	top := &callTree{}
	at := top
	for i := n; i >= 0; i-- {
		out := []value{{text: strconv.Itoa(i)}}
		c := &callTree{class: "main", text: fmt.Sprintf("%s(%d, %q)%s", name, i, text, resultOf(out, e))}
		at.below = append(at.below, c)
		at, text = c, text+"+"
	}
	at.below = e.begins("main")
	return fmt.Sprintf("%s(%d, \"s\")", name, n), top.below[0], e
}

// deferred is a call that runs when its function ends.
type deferred struct {
	tree     *callTree
	e        ending
	recovers bool
}

// body writes the statements of a function, and returns what they call and how they end. Results
// that a deferred call changes are changed in out.
func (g *generator) body(s *scope, out []value) (source string, below []*callTree, e ending) {
	var b strings.Builder
	var later []deferred
	mayPanic := s.mayPanic
	if g.IntN(3) == 0 && s.depth > 0 {
		b.WriteString("\tdefer func() { recover() }()\n")
		later = append(later, deferred{tree: &callTree{class: s.class, text: s.literal() + "()"}, recovers: true})
		mayPanic = true
	}
	for i, v := range out {
		fmt.Fprintf(&b, "\tr%d = %s\n", i, v.source)
	}
	inside := *s
	inside.mayPanic = mayPanic
	for n := g.IntN(4); n > 0 && g.budget > 0 && s.depth < 8 && e.how == returns; n-- {
		switch form := g.IntN(8); {
		case form == 0 && !s.generic:
			b.WriteString(g.goroutine(&inside, &below))
		case form == 1:
			d := inside
			d.mayExit = false
			d.mayPanic = mayPanic && !s.mayExit
			text, tree, end := g.call(&d)
			b.WriteString("\tdefer " + text + "\n")
			later = append(later, deferred{tree: tree, e: end})
		case form == 2:
			b.WriteString(g.loop(s, &below, &later))
		case form == 3 && len(out) > 0:
			k := g.IntN(len(out))
			v := g.value()
			for v.typ != out[k].typ {
				v = g.value()
			}
			fmt.Fprintf(&b, "\tdefer func() { r%d = %s }()\n", k, v.source)
			later = append(later, deferred{tree: &callTree{class: s.class, text: s.literal() + "()"}})
			defer func(was value) { // of several, the one written first runs last
				out[k] = v
				_ = was
			}(out[k])
		default:
			text, tree, end := g.call(&inside)
			b.WriteString("\t" + text + "\n")
			below = append(below, tree)
			e = end
		}
	}
	if e.how == returns && mayPanic && g.IntN(4) == 0 {
		var text string
		text, e = g.panic()
		b.WriteString(text)
		below = append(below, e.begins(s.class)...)
	} else if e.how == returns && s.mayExit && g.IntN(6) == 0 {
		b.WriteString("\truntime.Goexit()\n")
		e = ending{how: exits, text: "runtime.Goexit"}
	}
	b.WriteString("\treturn\n")
	for i := len(later) - 1; i >= 0; i-- {
		d := later[i]
		below = append(below, d.tree)
		if d.e.how != returns {
			e = d.e
		}
		if d.recovers && e.how == panics {
			d.tree.below = []*callTree{{class: d.tree.class, text: "catch(" + e.text + ")"}}
			e = ending{}
		}
	}
	return b.String(), below, e
}

// goroutine writes a go statement, and waits for the goroutine.
func (g *generator) goroutine(s *scope, below *[]*callTree) string {
	g.budget--
	g.goroutines++
	id := g.goroutines
	i := s.inner("main", "", false)
	var source, leaf, started string
	t := &callTree{class: "main"}
	by := "main." + s.name
	if s.class != "main" {
		by = s.class + "." + s.name
	}
	direct := g.IntN(2) == 0
	if direct {
		i.name = g.name("f")
		started = "main." + i.name
	} else {
		i.name, i.closure, i.class = s.literal(), true, s.class
		t.class = s.class
		started = i.class + "." + i.name
	}
	i.goroutine, i.mayExit, i.mayPanic = id, true, false
	at := len(g.threads)
	g.threads = append(g.threads, nil)
	body, calls, e := g.body(i, nil)
	t.below = calls
	if direct {
		fmt.Fprintf(&g.functions, "func %s(w *sync.WaitGroup, n int) {\n\tdefer w.Done()\n%s}\n\n", i.name, body)
		source = fmt.Sprintf("\t\tgo %s(&w, %d)\n", i.name, id)
		leaf = fmt.Sprintf("go %s(&w, %d)", i.name, id)
		t.text = fmt.Sprintf("%s(WaitGroup@2, %d)%s", i.name, id, resultOf(nil, e))
	} else {
		source = "\t\tgo func() {\n\t\t\tdefer w.Done()\n" + body + "\t\t}()\n"
		leaf = "go func()"
		t.text = i.name + "()" + resultOf(nil, e)
	}
	g.threads[at] = &thread{fmt.Sprintf("goroutine %d %s ← %d %s", id+100, started, thousand(s.goroutine), by), t}
	*below = append(*below, &callTree{class: s.class, text: fmt.Sprintf("%s: goroutine %d", leaf, id+100)})
	return "\t{\n\t\tvar w sync.WaitGroup\n\t\tw.Add(1)\n" + source + "\t\tw.Wait()\n\t}\n"
}

// thousand is the number of a goroutine as it is printed: main is 1.
func thousand(id int) int {
	if id == 1 {
		return 1
	}
	return id + 100
}

// loop writes a loop that calls a function, at once or deferred.
func (g *generator) loop(s *scope, below *[]*callTree, later *[]deferred) string {
	g.budget--
	name, n := g.name("l"), g.IntN(5)
	fmt.Fprintf(&g.functions, "func %s(i int) int { return i * i }\n\n", name)
	call := "\t\t"
	if g.IntN(2) == 0 {
		call += "defer "
	}
	for i := range n {
		c := &callTree{class: "main", text: fmt.Sprintf("%s(%d): %d", name, i, i*i)}
		if call == "\t\t" {
			*below = append(*below, c)
		} else {
			*later = append(*later, deferred{tree: c})
		}
	}
	return fmt.Sprintf("\tfor i := range %d {\n%s%s(i)\n\t}\n", n, call, name)
}

// panic writes a statement that panics.
func (g *generator) panic() (source string, e ending) {
	p := [][2]string{
		{`panic("text")`, `"text"`},
		{`panic(errors.New("bad"))`, "errors.errorString: bad"},
		{`panic(fmt.Errorf("around: %w", errors.New("bad")))`, "fmt.wrapError: around: bad"},
		{"panic(7)", "7"},
		{"panic(Number(8))", "8"},
		{`panic(P{1, "x"})`, `P{n:1, s:"x"}`},
		{`panic(&P{2, "y"})`, `&P{n:2, s:"y"}`},
		{"panic([]int{1, 2})", "[]int{1, 2}"},
		{"{\n\t\tvar m map[string]int\n\t\tm[\"a\"] = 1\n\t}", "assignment to entry in nil map"},
		{"{\n\t\txs, i := []int{1}, 5\n\t\txs[i]++\n\t}", "runtime error: index out of range [5] with length 1"},
		{"{\n\t\tvar p *P\n\t\tp.n++\n\t}", "runtime error: invalid memory address or nil pointer dereference"},
		{"{\n\t\tz := 0\n\t\tz = 1 / z\n\t}", "runtime error: integer divide by zero"},
		{"{\n\t\tvar c chan int\n\t\tclose(c)\n\t}", "close of nil channel"},
	}[g.IntN(13)]
	return "\t" + p[0] + "\n", ending{panics, "panic: " + p[1]}
}
