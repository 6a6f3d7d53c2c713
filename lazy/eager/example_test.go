package eager_test

import (
	"compress/gzip"
	"fmt"
	"os"

	"tracex/format"
	"tracex/lazy/eager"
)

// A whole trace is loaded from any reader, here one that unpacks it: no index is needed. Its points are walked
// down from the roots, and up to their parents.
func Example() {
	f, err := os.Open("../../testdata/demo/shop.bin.gz")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	in, err := gzip.NewReader(f)
	if err != nil {
		panic(err)
	}
	forest, err := eager.Load(in)
	if err != nil {
		panic(err)
	}
	fmt.Println(len(forest.Threads), "threads; damaged:", forest.Problem != nil)

	packer := forest.Threads[1]
	fmt.Println(packer.Name, "has", packer.Points(), "points")
	for root := range packer.Roots() {
		for n := range root.Children() {
			up, _ := n.Parent()
			fmt.Println(name(forest, up), "called", name(forest, n), "and has", up.Count(), "child")
			return
		}
	}
	// Output:
	// 3 threads; damaged: false
	// packer 1 has 6 points
	// pack called label and has 1 child
}

// name returns the name of the method that a node calls.
func name(f *eager.Forest, n eager.Node) string {
	var p format.Point
	if err := n.Point(&p); err != nil {
		panic(err)
	}
	return f.Context.Method(p.Ref).Name
}

// What is forgotten counts as not loaded: the printed tree has a line for it.
func ExampleForest_Print() {
	f, err := os.Open("../../testdata/demo/shop.bin.gz")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	in, err := gzip.NewReader(f)
	if err != nil {
		panic(err)
	}
	forest, err := eager.Load(in)
	if err != nil {
		panic(err)
	}
	forest.Threads = forest.Threads[1:2]
	first := true
	for root := range forest.Threads[0].Roots() {
		for n := range root.Children() {
			if first {
				n.Forget()
			}
			first = false
		}
	}
	if err := forest.Print(os.Stdout, eager.PrintOptions{Folded: true}); err != nil {
		panic(err)
	}
	// Output:
	// # Thread 2
	// Packer.pack("Ada"): 1
	//   ... <unloaded child>
	// Packer.pack("Charles"): 1
	//   label("Charles"): "to Charles 88f2f8da"
	// Packer.pack("Grace"): 1
	//   label("Grace"): "to Grace 3c6157ef"
}
