package lazy

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
)

// corpus calls f with the path of each recorded trace, with its index beside
// it, and of generated ones, in parallel; under the race detector of a third of the
// small ones, another third for each test.
func corpus(t *testing.T, f func(t *testing.T, path string)) {
	n := len(t.Name())
	run := func(name string, path func(t *testing.T) string) {
		if n++; formattest.Race && n%3 != 0 {
			return
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, formattest.Small(t, path(t)))
		})
	}
	for _, name := range formattest.RecordedNames(t, ".bin") {
		run(name, func(t *testing.T) string { return unpackWithIndex(t, name) })
	}
	for seed := range uint64(24) {
		// Each version has all combinations of what follows; half of them are enough for
		// most runs, the other half in the other version.
		if !formattest.Exhaustive() && (seed%4 == 0 || seed%4 == 3) != (seed < 12) {
			continue
		}
		spec := formattest.Spec{Shape: formattest.Random, N: 1500, Seed: seed, Wild: seed%2 == 1}
		if seed >= 12 {
			spec.Version = format.V27
		}
		spec.BlockSize = 2048 << (seed % 4)
		spec.Dump = seed%3 == 2
		run(spec.Name(), func(t *testing.T) string { return formattest.File(t, spec) })
	}
	for _, crash := range []formattest.Crash{formattest.CrashLost, formattest.CrashPartial} {
		spec := formattest.Spec{Shape: formattest.Random, N: 1500, Seed: 7, Crash: crash}
		spec.BlockSize = 4096
		newer := spec
		newer.Version = format.V27
		run(newer.Name(), func(t *testing.T) string { return formattest.File(t, newer) })
		run(spec.Name(), func(t *testing.T) string { return formattest.File(t, spec) })
	}
}

// unpackWithIndex unpacks a recorded trace, with its index if it has one.
func unpackWithIndex(t *testing.T, name string) string {
	if strings.HasPrefix(name, "net.") {
		return formattest.Unpack(t, name)
	}
	return formattest.Unpack(t, name, name+".idx")
}

// eagerText returns the whole trace as the eager loader prints it.
func eagerText(t *testing.T, path string, folded bool) string {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	forest, err := eager.Load(in)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := forest.Print(&out, PrintOptions{Folded: folded, Verbose: true}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// treeText prints a tree, loading it with children.
func treeText(t *testing.T, tree *Tree, children func(n *Node) []*Node) string {
	t.Helper()
	threads := tree.Threads()
	below, several := make([][]byte, len(threads)), 0
	for i, th := range threads {
		stack := []*Node{}
		push := func(n *Node) {
			kids := children(n)
			for i := len(kids) - 1; i >= 0; i-- {
				stack = append(stack, kids[i])
			}
		}
		push(th)
		if len(stack) > 0 {
			several++
		}
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			below[i] = append(below[i], strings.Repeat("  ", n.Depth()-1)...)
			below[i] = append(tree.AppendText(below[i], n, true), '\n')
			push(n)
		}
	}
	var out []byte
	for i, th := range threads {
		if len(below[i]) == 0 && (several < 2 || tree.r.Version() >= format.V27) {
			continue // it then has no line
		}
		out = fmt.Appendf(out, "# Thread %d", th.Thread()+1)
		if several > 1 {
			name := ""
			tree.r.WithContext(func(c *format.Context) {
				if n := c.Thread(th.Thread()); n != nil {
					name = n.Name
				}
			})
			out = append(format.AppendPlain(append(out, " ("...), name), ')')
		}
		out = append(append(out, '\n'), below[i]...)
	}
	return string(out)
}

// ways are the ways to load children; all must return the same.
func ways(t *testing.T, tree *Tree) map[string]func(n *Node) []*Node {
	ctx := context.Background()
	check := func(nodes []*Node, err error) []*Node {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return nodes
	}
	count := func(n *Node) int64 {
		c, exact, err := tree.CountChildren(ctx, n, 0)
		if err != nil || !exact {
			t.Fatalf("count %d, exact %v: %v", c, exact, err)
		}
		return c
	}
	rows := func(n *Node, first func() (Row, bool), next func(Row) (Row, bool), end End) (nodes []*Node) {
		tree.Expand(n)
		for r, ok := first(); ok; {
			if r.Gap() {
				if err := tree.Load(ctx, r, end); err != nil {
					t.Fatal(err)
				}
				if len(nodes) == 0 {
					r, ok = first()
				} else {
					r, ok = next(rowOf(nodes[len(nodes)-1]))
				}
				continue
			}
			nodes = append(nodes, r.Node)
			r, ok = next(r)
		}
		return nodes
	}
	return map[string]func(n *Node) []*Node{
		"all": func(n *Node) []*Node { return check(tree.Children(ctx, n)) },
		"counted": func(n *Node) []*Node {
			nodes := check(tree.Children(ctx, n))
			if c := count(n); c != int64(len(nodes)) {
				t.Fatalf("counted %d, loaded %d", c, len(nodes))
			}
			return nodes
		},
		"by range": func(n *Node) (nodes []*Node) {
			for {
				part := check(tree.Range(ctx, n, int64(len(nodes)), 7))
				if nodes = append(nodes, part...); len(part) < 7 {
					return nodes
				}
			}
		},
		"one by one, from the last": func(n *Node) []*Node {
			nodes := make([]*Node, count(n))
			for i := len(nodes) - 1; i >= 0; i-- {
				c, err := tree.Child(ctx, n, int64(i))
				if err != nil {
					t.Fatal(err)
				}
				nodes[i] = c
			}
			return nodes
		},
		"forgotten and again": func(n *Node) []*Node {
			first := check(tree.Children(ctx, n))
			if forgot := tree.Forget(n); forgot != len(first) {
				t.Fatalf("forgot %d of %d", forgot, len(first))
			}
			return check(tree.Children(ctx, n))
		},
		"rows downwards": func(n *Node) []*Node {
			return rows(n, func() (Row, bool) { return tree.FirstChild(n) }, tree.NextSibling, AtStart)
		},
		"rows upwards": func(n *Node) []*Node {
			nodes := rows(n, func() (Row, bool) { return tree.LastChild(n) }, tree.PrevSibling, AtEnd)
			for i, j := 0, len(nodes)-1; i < j; i, j = i+1, j-1 {
				nodes[i], nodes[j] = nodes[j], nodes[i]
			}
			return nodes
		},
	}
}

func TestLazyEqualsEager(t *testing.T) {
	corpus(t, func(t *testing.T, path string) {
		for _, folded := range []bool{false, true} {
			want := []byte(eagerText(t, path, folded))
			all := formattest.Exhaustive() && !testing.Short()
			large := len(want) > 1<<18 // takes long
			for _, index := range []bool{true, false} {
				if large && !all && index != folded {
					continue
				}
				from := path
				if !index {
					from = withoutIndex(t, path)
				}
				r := ready(t, from, Options{NoWrite: true})
				size, _ := r.Size()
				out := bytes.NewBuffer(make([]byte, 0, len(want)+bytes.MinRead))
				if err := r.Print(context.Background(), out, PrintOptions{Folded: folded, Verbose: true}, PrintRange{}); err != nil {
					t.Fatal(err)
				}
				t.Run(fmt.Sprintf("print, folded %v, index %v", folded, index), func(t *testing.T) {
					formattest.SameText(t, out.Bytes(), want)
				})
				for i, name := range slices.Sorted(maps.Keys(ways(t, r.Tree(folded)))) {
					// Of a small trace, each way is tried in one of the four views, and each view
					// in some ways; which ones depends on the trace.
					switch view := 2*indexOf(folded) + indexOf(index); {
					case large && testing.Short(),
						large && !all && name != "all",
						!large && !all && (i+int(size))%4 != view,
						len(want) > 1<<20 && name != "all" && name != "rows upwards":
						continue
					}
					t.Run(fmt.Sprintf("%s, folded %v, index %v", name, folded, index), func(t *testing.T) {
						tree := r.Tree(folded)
						formattest.SameText(t, []byte(treeText(t, tree, ways(t, tree)[name])), want)
					})
				}
			}
		}
	})
}

func indexOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// withoutIndex returns the path of a copy of the data without an index.
func withoutIndex(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "alone.bin")
	if err := os.WriteFile(to, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return to
}
