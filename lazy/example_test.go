package lazy_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tracex/lazy"
)

// A trace is open at once; Wait waits until all of it is known. Then the children of any node are read: all of
// them, or a range.
func Example() {
	ctx := context.Background()
	r, done := openShop()
	defer done()
	if err := r.Wait(ctx); err != nil {
		panic(err)
	}

	tree := r.Tree(true) // folded, as printed
	counter, _ := tree.Thread(0)
	roots, err := tree.Children(ctx, counter)
	if err != nil {
		panic(err)
	}
	open := roots[0]
	fmt.Println(text(tree, open))

	parts, err := tree.Children(ctx, open)
	if err != nil {
		panic(err)
	}
	loop := parts[len(parts)-1]
	count, exact, err := tree.CountChildren(ctx, loop, 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(text(tree, loop), "has", count, "children:", exact)
	some, err := tree.Range(ctx, loop, 2, 3)
	if err != nil {
		panic(err)
	}
	for _, n := range some {
		fmt.Println("  " + text(tree, n))
	}
	// Output:
	// Shop.open(): 5
	// loop(7 iterations) has 7 children: true
	//   <iteration 3>
	//   <iteration 4>
	//   <iteration 5>
}

// What is not needed is forgotten, and read again when it is needed. What was handed out stays valid.
func ExampleTree_forget() {
	ctx := context.Background()
	r, done := openShop()
	defer done()
	if err := r.Wait(ctx); err != nil {
		panic(err)
	}
	tree := r.Tree(true)
	counter, _ := tree.Thread(0)
	roots, err := tree.Children(ctx, counter)
	if err != nil {
		panic(err)
	}
	before, err := tree.Children(ctx, roots[0])
	if err != nil {
		panic(err)
	}
	fmt.Println(tree.Forget(roots[0]), "forgotten")
	again, err := tree.Children(ctx, roots[0])
	if err != nil {
		panic(err)
	}
	fmt.Println(text(tree, before[0]), "is", text(tree, again[0]))
	// Output:
	// 2 forgotten
	// Catalogue.load("catalogue.csv"): 7 is Catalogue.load("catalogue.csv"): 7
}

// A tree that is loaded in part: a line has the number of the children that are not.
func ExampleTree_PrintLoaded() {
	ctx := context.Background()
	r, done := openShop()
	defer done()
	if err := r.Wait(ctx); err != nil {
		panic(err)
	}
	tree := r.Tree(true)
	counter, _ := tree.Thread(0)
	roots, err := tree.Children(ctx, counter)
	if err != nil {
		panic(err)
	}
	parts, err := tree.Children(ctx, roots[0])
	if err != nil {
		panic(err)
	}
	if _, err := tree.Range(ctx, parts[0], 2, 1); err != nil {
		panic(err)
	}
	if err := tree.PrintLoaded(ctx, os.Stdout, lazy.PrintOptions{}, roots[0]); err != nil {
		panic(err)
	}
	// Output:
	// Shop.open(): 5
	//   Catalogue.load("catalogue.csv"): 7
	//     ... <2 unloaded children>
	//     parse("cup,3.10,320"): "cup"
	//       ... <unloaded child>
	//     ... <4 unloaded children>
	//   loop(7 iterations)
	//     ... <7 unloaded children>
}

// Any number of traces may be open at once; each has its own descriptors.
func ExampleOpen() {
	ctx := context.Background()
	first, done := openShop()
	defer done()
	second, done := openShop()
	defer done()
	for _, r := range []*lazy.LazyTraceReader{first, second} {
		if err := r.Wait(ctx); err != nil {
			panic(err)
		}
		if err := r.Print(ctx, os.Stdout, lazy.PrintOptions{Folded: true, MaxDepth: 1}, lazy.PrintRange{Count: 1}); err != nil {
			panic(err)
		}
	}
	// Output:
	// # Thread 1 (counter)
	// Shop.open(): 5
	// # Thread 1 (counter)
	// Shop.open(): 5
}

// text returns the line of a node.
func text(t *lazy.Tree, n *lazy.Node) string { return string(t.AppendText(nil, n, false)) }

// openShop opens the trace of the demo. The caller calls done.
func openShop() (r *lazy.LazyTraceReader, done func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"shop.bin", "shop.bin.idx", "shop.bin.tim"} {
		unpack(filepath.Join("..", "testdata", "demo", name+".gz"), filepath.Join(dir, name))
	}
	r, err = lazy.Open(filepath.Join(dir, "shop.bin"), lazy.Options{})
	if err != nil {
		panic(err)
	}
	return r, func() {
		r.Close()
		os.RemoveAll(dir)
	}
}

func unpack(from, to string) {
	f, err := os.Open(from)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	in, err := gzip.NewReader(f)
	if err != nil {
		panic(err)
	}
	b, err := io.ReadAll(in)
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(to, b, 0o600); err != nil {
		panic(err)
	}
}
