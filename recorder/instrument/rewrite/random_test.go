package rewrite

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// generator writes functions of random shape and layout.
type generator struct {
	*rand.Rand
	b          strings.Builder
	functions  int // with literals
	statements int // go statements
}

// gap returns what may be between two tokens on one line.
func (g *generator) gap() string {
	return []string{"", " ", "  ", "\t", " /* c */ "}[g.IntN(5)]
}

// lines is like gap, where a line break is allowed.
func (g *generator) lines() string {
	return []string{"", " ", "\n", " // c\n", "/* c */", "\n\n", "/* a\nb */"}[g.IntN(7)]
}

func (g *generator) typ() string {
	all := []string{"int", "string", "error", "any", "T", "*T", "[]T", "[4]int", "map[string]T", "chan int", "<-chan T", "func(int) string",
		"func(a, _ int) (b, _ T)", "struct{ x int }", "interface{ M() }", "G[int]", "*G[T]", "(T)", "(*T)", "func()", "[]func(...int)", "unsafe.Pointer",
		"func(\nint,\n) string"}
	return all[g.IntN(len(all))]
}

// parameters returns a list without parentheses, whose names begin with a letter.
func (g *generator) parameters(letter string, n int, variadic bool) string {
	if n == 0 {
		return g.lines()
	}
	var parts []string
	named := g.IntN(2) == 0
	for i := 0; i < n; i++ {
		last := i == n-1
		var names []string
		if named {
			for range 1 + g.IntN(3) {
				if g.IntN(3) == 0 {
					names = append(names, "_")
				} else {
					names = append(names, fmt.Sprint(letter, len(parts), "x", len(names)))
				}
			}
			if variadic && last {
				names = names[:1]
			}
		}
		t := g.typ()
		if variadic && last {
			t = "..." + t
		}
		part := t
		if named {
			part = strings.Join(names, ","+g.lines()) + " " + g.gap() + t
		}
		parts = append(parts, g.lines()+part)
	}
	list := strings.Join(parts, ","+g.gap())
	switch {
	case g.IntN(3) == 0:
		list += ",\n"
	default:
		list += g.gap()
	}
	return list
}

// signature writes parameters, results and the opening brace.
func (g *generator) signature() {
	n := g.IntN(4)
	fmt.Fprintf(&g.b, "(%s)%s", g.parameters("p", n, n > 0 && g.IntN(4) == 0), g.gap())
	switch g.IntN(4) {
	case 0:
	case 1:
		fmt.Fprintf(&g.b, "%s%s", g.typ(), g.gap())
	default:
		fmt.Fprintf(&g.b, "(%s)%s", g.parameters("r", g.IntN(4), false), g.gap())
	}
}

// body writes a body that ends by a panic, so that results of all types will do.
func (g *generator) body(depth int) {
	g.functions++
	g.b.WriteString("{" + g.lines())
	for i := range g.IntN(4) {
		switch g.IntN(8) {
		case 0:
			g.goStatement(depth)
			g.b.WriteString([]string{"\n", ";"}[g.IntN(2)])
		case 1:
			g.b.WriteString("if true { ")
			g.goStatement(depth)
			g.b.WriteString(" } else { ")
			g.goStatement(depth)
			g.b.WriteString(" }\n")
		case 2:
			g.b.WriteString("switch { case true: ")
			g.goStatement(depth)
			g.b.WriteString("; default: ")
			g.goStatement(depth)
			g.b.WriteString("\n}\n")
		case 3:
			fmt.Fprintf(&g.b, "for false { goto l%d%d }\nl%d%d:%s", depth, i, depth, i, g.lines())
			g.goStatement(depth)
			g.b.WriteString("\n")
		case 4:
			g.b.WriteString("defer func()" + g.gap())
			g.body(depth + 1)
			g.b.WriteString("()\n")
		case 5:
			g.b.WriteString("_ = func")
			g.signature()
			g.body(depth + 1)
			g.b.WriteString("\n")
		case 6:
			g.b.WriteString("for range seq { ")
			g.goStatement(depth)
			g.b.WriteString(" }\n")
		case 7:
			g.b.WriteString("_ = map[string]func(){\"a\": func() ")
			g.body(depth + 1)
			g.b.WriteString("}\n")
		}
	}
	g.b.WriteString("panic(1)" + g.lines() + "}")
}

func (g *generator) goStatement(depth int) {
	g.statements++
	switch {
	case g.IntN(3) == 0 && depth < 3:
		g.b.WriteString("go func()" + g.gap())
		g.body(depth + 1)
		g.b.WriteString("()")
	case g.IntN(2) == 0:
		g.b.WriteString("go seq(nil)")
	default:
		g.b.WriteString("go (seq)(" + g.lines() + "nil)")
	}
}

// TestRandomFunctions edits random functions: all of them and their go statements are
// instrumented, the result compiles, and nothing has moved to another line.
func TestRandomFunctions(t *testing.T) {
	c := newChecker(t, "unsafe")
	for seed := range uint64(60) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
		g.b.WriteString("package p" + g.gap() + "\nimport \"unsafe\"\ntype T struct{ x int }\ntype G[K any] struct{ k K }\nvar _ unsafe.Pointer\n")
		g.b.WriteString("func seq(yield func() bool) { yield() }\n")
		g.functions++
		for i := range 8 {
			switch g.IntN(5) {
			case 0:
				fmt.Fprintf(&g.b, "func%s(%s)%sm%d%s", g.gap(), []string{"T", "*T", "_ T", "t *T", "(T)", "(*T)", "t (T)"}[g.IntN(7)], g.gap(), i, g.gap())
			case 1:
				fmt.Fprintf(&g.b, "func%s(%s)%sm%d%s", g.gap(), []string{"G[_]", "*G[_]", "_ G[K]", "g *G[K]", "(G[K])"}[g.IntN(5)], g.gap(), i, g.gap())
			case 2:
				fmt.Fprintf(&g.b, "func f%d[A any,%sB ~[]A]", i, g.lines())
			case 3:
				fmt.Fprintf(&g.b, "var v%d = func", i)
			default:
				fmt.Fprintf(&g.b, "func %sf%d%s", g.gap(), i, g.gap())
			}
			g.signature()
			g.body(0)
			g.b.WriteString("\n")
		}
		p := New("p", Options{Trivial: true})
		text := g.b.String()
		if err := p.Add("/src/p.go", []byte(text)); err != nil {
			t.Fatalf("seed %d: %v in\n%s", seed, err, text)
		}
		file, err := p.Edit(0)
		if err != nil {
			t.Fatal(err)
		}
		if n := c.compareFiles(t, listed{ImportPath: "p"}, p, ""); n != g.functions || file.Statements != g.statements {
			t.Errorf("seed %d: %d functions and %d go statements of %d and %d", seed, n, file.Statements, g.functions, g.statements)
		}
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, text)
		}
	}
}
