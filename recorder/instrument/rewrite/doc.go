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
//	table := p.Table()
//
// The edits are insertions into the bytes of the source. No part of the source is reprinted, and
// no type or constraint is repeated:
//
//	package shop
//	func (s *Shop) Sell(o Order, _ int) (int, error) {
//		go s.count(o)
//
// becomes
//
//	//line /src/shop/shop.go:1
//	package shop; import __tracex "tracexrt"
//	func (s *Shop) Sell(o Order, __tracexp2 int) (__tracexr0 int, __tracexr1 error) { if __tracex.On() { if __tracexk := __tracex.Enter(&__tracexm0[0], s, __tracex.V(&o), __tracexp2); __tracexk != 0 { defer __tracex.Exit(__tracexk, &__tracexr0, &__tracexr1) } };
//		__tracex.Go(&__tracexm0[1]); go s.count(o)
//
// The descriptors of the functions are tables in a file of their own. The compiler must get it as
// the first of the package's files: variables are initialized in the order of their declaration,
// unless they refer to later ones. A table that is declared first does not delay variables that
// call instrumented functions.
//
// The inserted text uses no predeclared identifier, because a program may redeclare it. The names
// that the text declares occur nowhere else in the package.
//
// [Waits] edits packages of Go's own in another way: so that the runtime tells where goroutines wait.
//
// Package rewrite reads no files and needs only the standard library.
package rewrite
