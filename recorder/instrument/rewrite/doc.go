// Package rewrite instruments Go sources: it adds calls of package tracexrt to the functions of
// a package, without changing a line number.
//
// A package is what one run of the compiler compiles. All of its files are added first; then
// each is edited:
//
//	p := rewrite.New("example.com/shop", rewrite.Options{Tests: true, Trivial: true})
//	for … {
//		err := p.Add(name, source)
//	}
//	for i := range p.Len() {
//		file, err := p.Edit(i)
//	}
//
// The edits are insertions into the bytes of the source. No part of the source is printed
// anew, no type or constraint is written a second time:
//
//	package shop
//	func (s *Shop) Sell(o Order, _ int) (int, error) {
//		go s.count(o)
//
// becomes
//
//	//line /src/shop/shop.go:1
//	package shop; import __tracex "tracexrt"
//	func (s *Shop) Sell(o Order, __tracexp2 int) (__tracexr0 int, __tracexr1 error) { __tracexk := __tracex.Enter(&__tracexm0[0], s, __tracex.V(&o), __tracexp2); defer __tracex.Exit(__tracexk, &__tracexr0, &__tracexr1);
//		__tracex.Go(&__tracexm0[1]); go s.count(o)
//
// with a table of descriptors at the end, in a file of its own as far as line numbers go, so
// that it is the same wherever the source ends. The inserted text uses no predeclared
// identifier, as a program may give these another meaning.
//
// Package rewrite reads no files and needs the standard library alone.
package rewrite
