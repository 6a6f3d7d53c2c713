package uftrace

import "strings"

// operatorNames are those of C++, by their two letters, and how many operands each has.
var operatorNames = map[string]struct {
	text     string
	operands int
}{
	"nw": {" new", 0}, "na": {" new[]", 0}, "dl": {" delete", 1}, "da": {" delete[]", 1}, "aw": {" co_await", 1},
	"ps": {"+", 1}, "ng": {"-", 1}, "ad": {"&", 1}, "de": {"*", 1}, "co": {"~", 1},
	"pl": {"+", 2}, "mi": {"-", 2}, "ml": {"*", 2}, "dv": {"/", 2}, "rm": {"%", 2}, "an": {"&", 2}, "or": {"|", 2}, "eo": {"^", 2},
	"aS": {"=", 2}, "pL": {"+=", 2}, "mI": {"-=", 2}, "mL": {"*=", 2}, "dV": {"/=", 2}, "rM": {"%=", 2}, "aN": {"&=", 2},
	"oR": {"|=", 2}, "eO": {"^=", 2}, "ls": {"<<", 2}, "rs": {">>", 2}, "lS": {"<<=", 2}, "rS": {">>=", 2},
	"eq": {"==", 2}, "ne": {"!=", 2}, "lt": {"<", 2}, "gt": {">", 2}, "le": {"<=", 2}, "ge": {">=", 2}, "ss": {"<=>", 2},
	"nt": {"!", 1}, "aa": {"&&", 2}, "oo": {"||", 2}, "pp": {"++", 1}, "mm": {"--", 1}, "cm": {",", 2},
	"pm": {"->*", 2}, "pt": {"->", 2}, "cl": {"()", 0}, "ix": {"[]", 2}, "qu": {"?", 3},
}

// operator reads the name of an operator's function.
func (d *demangler) operator() bool {
	two := d.two()
	d.pos += 2
	switch op, ok := operatorNames[two]; {
	case ok:
		d.append("operator" + op.text)
		return true
	case two == "cv":
		d.append("operator(cast)")
		return d.quietly(d.typ)
	case two == "li":
		name, ok := d.identifier()
		d.append(`operator"" ` + name)
		return ok
	case len(two) == 2 && two[0] == 'v' && two[1] >= '0' && two[1] <= '9':
		_, ok := d.identifier()
		return ok
	}
	return false
}

// expression reads an expression, as arguments of templates have them.
func (d *demangler) expression() bool {
	if !d.enter() {
		return false
	}
	defer d.leave()
	d.quiet++
	defer func() { d.quiet-- }()
	switch c := d.peek(); {
	case c == 'T':
		return d.parameter()
	case c == 'L':
		return d.literal()
	case c >= '0' && c <= '9':
		return d.simpleName()
	}
	two := d.two()
	if read := expressions[two]; read != nil {
		d.pos += 2
		return read(d)
	}
	op, ok := operatorNames[two]
	if !ok {
		return false
	}
	d.pos += 2
	if two == "pp" || two == "mm" {
		d.take('_') // before its operand
	}
	for range op.operands {
		if !d.expression() {
			return false
		}
	}
	return true
}

// expressions read what follows the two letters of an expression.
var expressions map[string]func(d *demangler) bool

func init() {
	typ, expr := (*demangler).typ, (*demangler).expression
	list := func(d *demangler) bool { return d.until(d.expression) }
	seq := func(parts ...func(d *demangler) bool) func(d *demangler) bool {
		return func(d *demangler) bool {
			for _, part := range parts {
				if !part(d) {
					return false
				}
			}
			return true
		}
	}
	expressions = map[string]func(d *demangler) bool{
		"cl": list, "cp": list, "il": list, "tl": seq(typ, list), "cv": (*demangler).conversion,
		"nw": (*demangler).creation, "na": (*demangler).creation, "gs": expr,
		"dc": seq(typ, expr), "sc": seq(typ, expr), "cc": seq(typ, expr), "rc": seq(typ, expr),
		"ti": typ, "te": expr, "st": typ, "sz": expr, "at": typ, "az": expr, "nx": expr,
		"fp": (*demangler).functionParameter, "fL": (*demangler).levelOrFold,
		"sr": (*demangler).unresolved, "on": (*demangler).operatorName, "dn": (*demangler).simpleName,
		"dt": seq(expr, (*demangler).member), "pt": seq(expr, (*demangler).member), "ds": seq(expr, expr),
		"sZ": expr, "sP": func(d *demangler) bool { return d.until(d.argument) }, "sp": expr, "tw": expr,
		"tr": func(*demangler) bool { return true },
		"fl": (*demangler).fold, "fr": (*demangler).fold, "fR": (*demangler).fold,
	}
}

// simpleName reads a name with the arguments of its template.
func (d *demangler) simpleName() bool {
	_, ok := d.identifier()
	return ok && (d.peek() != 'I' || d.arguments())
}

func (d *demangler) operatorName() bool { return d.operator() && (d.peek() != 'I' || d.arguments()) }

// member reads the name of a member.
func (d *demangler) member() bool {
	if c := d.peek(); c >= '0' && c <= '9' {
		return d.simpleName()
	}
	return d.expression()
}

// unresolved reads a name in a type that depends on arguments of the template.
func (d *demangler) unresolved() bool {
	if d.take('N') {
		if !d.typ() || !d.until(d.simpleName) {
			return false
		}
	} else if !d.typ() {
		return false
	}
	return d.member()
}

// conversion reads a type, and an expression or several between _ and E.
func (d *demangler) conversion() bool {
	if !d.typ() {
		return false
	}
	if d.take('_') {
		return d.until(d.expression)
	}
	return d.expression()
}

// creation reads the operands of new.
func (d *demangler) creation() bool {
	for !d.take('_') {
		if !d.expression() {
			return false
		}
	}
	if !d.typ() {
		return false
	}
	if d.two() == "pi" {
		d.pos += 2
		return d.until(d.expression)
	}
	return d.take('E')
}

// levelOrFold reads a parameter of a function around the innermost, or a fold expression.
func (d *demangler) levelOrFold() bool {
	if !d.number() {
		return d.fold()
	}
	return d.take('p') && d.functionParameter()
}

// functionParameter reads what stands for a parameter of the function: fp_, fp0_, or this: fpT.
func (d *demangler) functionParameter() bool {
	if d.take('T') {
		return true
	}
	for strings.IndexByte("rVK", d.peek()) >= 0 && d.peek() != 0 {
		d.pos++
	}
	d.digits()
	return d.take('_')
}

// fold reads the operator and the operands of a fold expression.
func (d *demangler) fold() bool {
	letter := d.text[d.pos-1]
	binary := letter == 'R' || letter == 'L'
	d.pos += 2
	return d.expression() && (!binary || d.expression())
}
