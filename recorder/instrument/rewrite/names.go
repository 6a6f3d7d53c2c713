package rewrite

import (
	"bytes"
	"go/ast"
	"go/constant"
	"go/token"
	"strconv"
)

// prepare does the work that needs all files.
func (p *Package) prepare() {
	if p.names != nil {
		return
	}
	p.names, p.inits = map[*ast.FuncLit]string{}, map[*ast.FuncDecl]string{}
	p.findRanges()
	p.nameLiterals()
	p.prefix = "__tracex"
	for n := 1; p.occurs(p.prefix); n++ {
		p.prefix = "__tracex" + strconv.Itoa(n) + "_"
	}
}

// occurs reports whether a text is in one of the files.
func (p *Package) occurs(text string) bool {
	for _, s := range p.files {
		if bytes.Contains(s.text, []byte(text)) {
			return true
		}
	}
	return false
}

// The runtime names a function literal after the function around it and its number there, in the
// order in which the compiler meets the literals: f.func1, within it f.func1.1, in a method
// (*T).m.func1, in the initializer of a package's variable init.func1. A literal in the body of a
// range over a function belongs to the function around the range. Literals in statements that the
// compiler drops as unreachable get the numbers that follow all others.
//
// Since Go 1.27 the body of a range over a function has a name and numbers of its own: f-range1,
// and a literal in it f-range1.1.

// nameLiterals fills names and inits.
func (p *Package) nameLiterals() {
	inits := 0
	for _, s := range p.files {
		for _, d := range s.tree.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := p.baseName(d)
			if d.Recv == nil && d.Name.Name == "init" {
				name = "init." + strconv.Itoa(inits)
				inits++
				p.inits[d] = name
			}
			if d.Body != nil {
				p.scope = &scope{node: d}
				p.nameIn(name, ".func", d.Body)
			}
		}
	}
	p.scope = nil
	p.nameIn("init", ".func", p.initializers()...)
}

// baseName returns the name of a function without its package: f, T.m, (*T).m, f[...],
// (*T[...]).m, T.m[...].
func (p *Package) baseName(d *ast.FuncDecl) string {
	name := d.Name.Name
	if d.Type.TypeParams != nil || p.methods[d] {
		name += "[...]"
	}
	if d.Recv != nil && len(d.Recv.List) > 0 {
		return p.receiverName(d.Recv.List[0].Type, 0) + "." + name
	}
	return name
}

// receiverName returns the name of a receiver's type. aliases is how many aliases have been
// followed.
func (p *Package) receiverName(t ast.Expr, aliases int) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return "(*" + p.receiverName(t.X, aliases) + ")"
	case *ast.ParenExpr:
		return p.receiverName(t.X, aliases)
	case *ast.IndexExpr:
		return p.receiverName(t.X, aliases) + "[...]"
	case *ast.IndexListExpr:
		return p.receiverName(t.X, aliases) + "[...]"
	case *ast.Ident:
		const most = 10 // aliases may refer to themselves
		if other, ok := p.aliases[t.Name]; ok && aliases < most {
			return p.receiverName(other, aliases+1)
		}
		return t.Name
	}
	return "?"
}

// nameIn names the literals in nodes, which belong to one function.
func (p *Package) nameIn(outer, separator string, nodes ...ast.Node) {
	n := numbering{p: p, name: outer, separator: separator}
	for _, node := range nodes {
		n.walk(node)
	}
	for i := 0; i < len(n.dead); i++ { // n.dead may grow
		n.walk(n.dead[i])
	}
}

// numbering numbers the literals of one function.
type numbering struct {
	p               *Package
	name, separator string
	count           int
	ranges          int        // over functions
	dead            []ast.Node // unreachable
}

func (n *numbering) walk(node ast.Node) {
	if node != nil {
		ast.Inspect(node, n.visit)
	}
}

// visit walks a node itself and returns false if the order or what is reachable needs care.
func (n *numbering) visit(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.FuncLit:
		n.count++
		name := n.name + n.separator + strconv.Itoa(n.count)
		n.p.names[node] = name
		n.p.nameIn(name, ".", node.Body)
		return false
	case *ast.GenDecl:
		if node.Tok != token.VAR {
			n.dead = append(n.dead, nodes(node.Specs)...)
			return false
		}
	case *ast.BlockStmt:
		n.list(node.List)
		return false
	case *ast.CaseClause:
		for _, e := range node.List {
			n.walk(e)
		}
		n.list(node.Body)
		return false
	case *ast.CommClause:
		if node.Comm != nil {
			n.walk(node.Comm)
		}
		n.list(node.Body)
		return false
	case *ast.IfStmt:
		n.ifStmt(node)
		return false
	case *ast.ForStmt:
		if node.Cond != nil && n.p.static(node.Cond) < 0 {
			if node.Init != nil {
				n.walk(node.Init)
			}
			n.walk(node.Cond)
			if node.Post != nil {
				n.dead = append(n.dead, node.Post)
			}
			n.dead = append(n.dead, node.Body)
			return false
		}
	case *ast.SwitchStmt:
		return n.switchStmt(node)
	case *ast.RangeStmt:
		if n.p.ranges[node] {
			n.walk(node.X)
			n.ranges++
			n.p.nameIn(n.name+"-range"+strconv.Itoa(n.ranges), ".", node.Key, node.Value, node.Body)
			return false
		}
	}
	return true
}

func nodes[N ast.Node](list []N) []ast.Node {
	all := make([]ast.Node, len(list))
	for i, x := range list {
		all[i] = x
	}
	return all
}

// list walks a list of statements up to one after which nothing is reachable.
func (n *numbering) list(list []ast.Stmt) {
	last := -1
	for i, s := range list {
		if _, ok := s.(*ast.LabeledStmt); ok {
			last = i
		}
	}
	dead := false
	for i, s := range list {
		if _, ok := s.(*ast.LabeledStmt); dead && i > last && !ok {
			n.dead = append(n.dead, s)
			continue
		}
		n.walk(s)
		dead = n.p.terminates(s)
	}
}

func (n *numbering) ifStmt(s *ast.IfStmt) {
	if s.Init != nil {
		n.walk(s.Init)
	}
	n.walk(s.Cond)
	cond := n.p.static(s.Cond)
	if cond >= 0 {
		n.walk(s.Body)
	} else {
		n.dead = append(n.dead, s.Body)
	}
	switch {
	case s.Else == nil:
	case cond <= 0:
		n.walk(s.Else)
	default:
		n.dead = append(n.dead, s.Else)
	}
}

// switchStmt walks a switch whose tag is a constant: only one clause is reachable.
func (n *numbering) switchStmt(s *ast.SwitchStmt) bool {
	tag := constant.MakeBool(true)
	if s.Tag != nil {
		tag = n.p.value(s.Tag)
	}
	if tag == nil {
		return true
	}
	var target *ast.CaseClause
	found := false
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		if c.List == nil && !found {
			target = c
		}
		for _, e := range c.List {
			if found {
				break
			}
			v := n.p.value(e)
			if v == nil || v.Kind() != tag.Kind() {
				return true
			}
			if constant.Compare(tag, token.EQL, v) {
				target, found = c, true
			}
		}
	}
	if target != nil && len(target.Body) > 0 {
		if b, ok := target.Body[len(target.Body)-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
			return true
		}
	}
	if s.Init != nil {
		n.walk(s.Init)
	}
	for _, c := range s.Body.List {
		if c == target {
			n.walk(c)
		} else {
			n.dead = append(n.dead, c)
		}
	}
	return false
}

// terminates reports whether the compiler leaves out what follows a statement in its list.
func (p *Package) terminates(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BranchStmt:
		return s.Tok == token.GOTO
	case *ast.ReturnStmt:
		return true
	case *ast.ExprStmt:
		if call, ok := ast.Unparen(s.X).(*ast.CallExpr); ok {
			f, ok := ast.Unparen(call.Fun).(*ast.Ident)
			return ok && f.Name == "panic"
		}
	case *ast.IfStmt:
		cond := p.static(s.Cond)
		return (cond < 0 || p.terminates(s.Body)) && (cond > 0 || p.terminates(s.Else))
	case *ast.BlockStmt:
		for i := len(s.List) - 1; i >= 0; i-- {
			if _, ok := s.List[i].(*ast.EmptyStmt); !ok {
				return p.terminates(s.List[i])
			}
		}
	}
	return false
}
