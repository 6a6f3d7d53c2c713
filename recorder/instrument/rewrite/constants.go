package rewrite

import (
	"go/ast"
	"go/constant"
	"go/token"
)

// static returns a positive number if a condition is always true, a negative one if it is
// always false, and 0 if neither is known.
func (p *Package) static(e ast.Expr) int {
	e = ast.Unparen(e)
	if v := p.value(e); v != nil && v.Kind() == constant.Bool {
		if constant.BoolVal(v) {
			return 1
		}
		return -1
	}
	if e, ok := e.(*ast.BinaryExpr); ok {
		switch e.Op {
		case token.LAND:
			x := p.static(e.X)
			if x < 0 {
				return x
			}
			if y := p.static(e.Y); x > 0 || y < 0 {
				return y
			}
		case token.LOR:
			x := p.static(e.X)
			if x > 0 {
				return x
			}
			if y := p.static(e.Y); x < 0 || y > 0 {
				return y
			}
		}
	}
	return 0
}

// value returns the value of a constant expression. It is nil if the expression is not constant, or
// if the package's own declarations do not give the value.
func (p *Package) value(e ast.Expr) constant.Value {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return p.value(e.X)
	case *ast.BasicLit:
		if v := constant.MakeFromLiteral(e.Value, e.Kind, 0); v.Kind() != constant.Unknown {
			return v
		}
	case *ast.Ident:
		if p.scope.declares(e.Name) {
			return nil
		}
		if def, ok := p.consts[e.Name]; ok {
			return p.constant(e.Name, def)
		}
		switch e.Name {
		case "true":
			return constant.MakeBool(true)
		case "false":
			return constant.MakeBool(false)
		}
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && x.Name == "runtime" && p.options.GOOS != "" {
			switch e.Sel.Name {
			case "GOOS":
				return constant.MakeString(p.options.GOOS)
			case "GOARCH":
				return constant.MakeString(p.options.GOARCH)
			}
		}
	case *ast.UnaryExpr:
		if x := p.value(e.X); x != nil && e.Op == token.NOT && x.Kind() == constant.Bool {
			return constant.MakeBool(!constant.BoolVal(x))
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR:
			return binary(p.value(e.X), e.Op, p.value(e.Y))
		}
	}
	return nil
}

// constant returns the value of a constant of the package, nil if it is not known.
func (p *Package) constant(name string, def ast.Expr) constant.Value {
	v, known := p.values[name]
	if !known {
		p.values[name] = nil // it may refer to itself
		inner := p.scope
		p.scope = nil
		v = p.value(def)
		p.scope = inner
		p.values[name] = v
	}
	return v
}

// binary returns the value of x op y for comparisons and logical operators.
func binary(x constant.Value, op token.Token, y constant.Value) constant.Value {
	number := func(v constant.Value) bool { return v.Kind() == constant.Int || v.Kind() == constant.Float }
	if x == nil || y == nil || x.Kind() != y.Kind() && !(number(x) && number(y)) {
		return nil
	}
	ordered := number(x) || x.Kind() == constant.String
	switch op {
	case token.EQL, token.NEQ:
		return constant.MakeBool(constant.Compare(x, op, y))
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		if ordered {
			return constant.MakeBool(constant.Compare(x, op, y))
		}
	case token.LAND:
		if x.Kind() == constant.Bool {
			return constant.MakeBool(constant.BoolVal(x) && constant.BoolVal(y))
		}
	case token.LOR:
		if x.Kind() == constant.Bool {
			return constant.MakeBool(constant.BoolVal(x) || constant.BoolVal(y))
		}
	}
	return nil
}
