package rewrite

import (
	"container/heap"
	"go/ast"
	"go/token"
	"path"
	"strconv"
)

// The initializers of a package's variables run, and are compiled, in an order that depends on
// their references to each other, also through functions. Types are unknown here, so references
// are found by name: a name that the declaration itself declares is no reference, and a selector
// refers to a method if only one method has that name.

// initializers returns the initializers of the package's variables, in the order in which the
// compiler meets them.
func (p *Package) initializers() (all []ast.Node) {
	literals := 0
	for _, s := range p.files {
		for _, d := range s.tree.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok || d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				for _, e := range spec.(*ast.ValueSpec).Values {
					all = append(all, e)
					if hasLiteral(e) {
						literals++
					}
				}
			}
		}
	}
	if literals < 2 {
		return all // nothing to put in order
	}
	return newInitOrder(p.files).sort()
}

func hasLiteral(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		_, ok := n.(*ast.FuncLit)
		found = found || ok
		return !found
	})
	return found
}

// object is a constant, variable, or function of a package.
type object struct {
	order    int
	function bool
	value    ast.Expr // initializer of a variable; the first variable has that of several
	refers   []*object
	ready    int       // number of constants and variables that it waits for
	awaited  []*object // those that wait for it
	index    int       // in the queue
}

type initOrder struct {
	named   map[string]*object
	methods map[string]*object // nil if several have the name
	all     []*object          // constants and variables
	count   int
}

func newInitOrder(files []*source) *initOrder {
	o := &initOrder{named: map[string]*object{}, methods: map[string]*object{}}
	type declaration struct {
		object  *object
		node    ast.Node
		imports map[string]bool
	}
	var declarations []declaration
	for _, s := range files {
		imports := importNames(s.tree)
		for _, d := range s.tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				f := &object{function: true}
				declarations = append(declarations, declaration{f, d, imports})
				if d.Recv == nil {
					o.named[d.Name.Name] = f
				} else if _, ok := o.methods[d.Name.Name]; ok {
					o.methods[d.Name.Name] = nil
				} else {
					o.methods[d.Name.Name] = f
				}
			case *ast.GenDecl:
				if d.Tok != token.VAR && d.Tok != token.CONST {
					continue
				}
				var repeated []ast.Expr // of a constant without an expression
				for _, spec := range d.Specs {
					spec := spec.(*ast.ValueSpec)
					values := spec.Values
					if d.Tok == token.CONST && len(values) == 0 {
						values = repeated
					}
					repeated = values
					for i, name := range spec.Names {
						x := o.add(name.Name)
						value := at(values, i)
						if len(values) == 1 {
							value = values[0]
						}
						if d.Tok == token.VAR && i < len(values) {
							x.value = value
						}
						if value != nil {
							declarations = append(declarations, declaration{x, value, imports})
						}
					}
				}
			}
		}
	}
	for _, d := range declarations {
		d.object.refers = o.references(d.node, d.imports)
	}
	return o
}

func at(list []ast.Expr, i int) ast.Expr {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func (o *initOrder) add(name string) *object {
	x := &object{order: o.count}
	o.count++
	o.all = append(o.all, x)
	if name != "_" {
		o.named[name] = x
	}
	return x
}

// importNames returns the names by which a file knows other packages, as far as their paths
// tell.
func importNames(f *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, spec := range f.Imports {
		if spec.Name != nil {
			names[spec.Name.Name] = true
		} else if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			names[path.Base(p)] = true
		}
	}
	return names
}

// references returns what a declaration refers to.
func (o *initOrder) references(node ast.Node, imports map[string]bool) (all []*object) {
	own := map[string]bool{} // names that the declaration declares itself
	var used []string
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		for _, name := range declared(n) {
			own[name.Name] = true
		}
		switch n := n.(type) {
		case *ast.Ident:
			used = append(used, n.Name)
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if m := o.methods[n.Sel.Name]; m != nil && !(ok && imports[x.Name]) {
				all = append(all, m)
			}
			ast.Inspect(n.X, visit)
			return false
		case *ast.KeyValueExpr:
			if _, ok := n.Key.(*ast.Ident); !ok { // otherwise most likely a field name
				ast.Inspect(n.Key, visit)
			}
			ast.Inspect(n.Value, visit)
			return false
		case *ast.FuncDecl: // its own name is no reference
			for _, part := range []ast.Node{n.Recv, n.Type, n.Body} {
				if !isNil(part) {
					ast.Inspect(part, visit)
				}
			}
			return false
		case *ast.BranchStmt:
			return false
		}
		return true
	}
	ast.Inspect(node, visit)
	for _, name := range used {
		if x := o.named[name]; x != nil && !own[name] {
			all = append(all, x)
		}
	}
	return all
}

func isNil(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FieldList:
		return n == nil
	case *ast.BlockStmt:
		return n == nil
	}
	return false
}

// sort returns the initializers of variables in order.
func (o *initOrder) sort() (all []ast.Node) {
	for _, x := range o.all {
		seen := map[*object]bool{x: true}
		o.await(x, x, seen)
	}
	q := queue(o.all)
	for i, x := range q {
		x.index = i
	}
	heap.Init(&q)
	for len(q) > 0 {
		x := heap.Pop(&q).(*object)
		for _, y := range x.awaited {
			y.ready--
			if y.index >= 0 {
				heap.Fix(&q, y.index)
			}
		}
		if x.value != nil {
			all = append(all, x.value)
		}
	}
	return all
}

// await makes x wait for the constants and variables that from refers to, also through
// functions.
func (o *initOrder) await(x, from *object, seen map[*object]bool) {
	for _, y := range from.refers {
		if seen[y] {
			continue
		}
		seen[y] = true
		if y.function {
			o.await(x, y, seen)
		} else {
			y.awaited = append(y.awaited, x)
			x.ready++
		}
	}
}

// queue is a heap. Its head is the object that waits for the fewest others; among equals, the
// one declared first.
type queue []*object

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].ready < q[j].ready || q[i].ready == q[j].ready && q[i].order < q[j].order
}
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}
func (q *queue) Push(any) {}
func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	x.index = -1
	*q = (*q)[:last]
	return x
}
