package filter

import (
	"slices"
	"strings"

	finder "tracex/lazy/literal"
)

// nodeOp is what a node of an expression does.
type nodeOp uint8

const (
	opAnd nodeOp = iota
	opOr
	opNot
	opIn
	opHas
	opTest // a field, an operator and a value
	opText // a bare text
)

// node is a part of an expression. Parse leaves no "not not", and no "and" directly in an "and" nor
// "or" in an "or". The root of an empty filter is an "and" of nothing.
type node struct {
	op   nodeOp
	kids []*node
	test *test
	text matcher // of opText
	raw  string  // of opText: the text
}

// test is a field, its operator and value.
type test struct {
	field   *Field
	operand Operand // which argument or result, and what in it; empty for any
	sought  *sought // what the operand's path leads to; nil without one
	op      op
	value   literal
	at, end int // of the field in the text of the filter
	valueAt int
	to      int
}

// Expr is a filter as it was typed, independent of any trace. It does not change, but for what Lost tells, and may be
// used by any goroutine.
type Expr struct {
	root *node
	text string
}

// Empty reports whether the filter has no term: it matches everything.
func (e *Expr) Empty() bool { return e.root.op == opAnd && len(e.root.kids) == 0 }

// Bare reports whether the filter has nothing but bare texts.
func (e *Expr) Bare() bool { return e.root.bare() }

// Text returns what the filter looks for, if it is nothing but a bare text: find returns the first match in a text, from is
// negative if there is none, and each match contains one of needs, if there are any.
func (e *Expr) Text() (text string, find func(text []byte) (from, to int), needs []finder.Text, ok bool) {
	n := e.root
	if n.op != opText {
		return "", nil, nil, false
	}
	return n.raw, n.text.find, n.text.required(), true
}

func (n *node) bare() bool {
	return n.op == opText || n.op != opTest && !slices.ContainsFunc(n.kids, func(k *node) bool { return !k.bare() })
}

// NamesKinds reports whether the filter says of what kind its matches are, or are not: whether it has a
// kind= outside of in(…) and has(…).
func (e *Expr) NamesKinds() bool { return e.root.namesKinds() }

func (n *node) namesKinds() bool {
	switch n.op {
	case opIn, opHas:
		return false
	case opTest:
		return n.test.field.id == idKind
	}
	return slices.ContainsFunc(n.kids, (*node).namesKinds)
}

// Not returns the filter that matches what e does not.
func (e *Expr) Not() *Expr { return again(not(e.root)) }

// And returns the filter that matches what all filters match. Empty ones do not count.
func And(list ...*Expr) *Expr {
	root := &node{op: opAnd}
	for _, e := range list {
		root.kids = append(root.kids, e.root)
	}
	return again(flat(root))
}

// again returns the Expr of a changed tree. Its text is made anew, so that errors have a place.
func again(root *node) *Expr {
	text := (&Expr{root: root}).String()
	e, err := Parse(text)
	if err != nil {
		panic("filter: a filter that String wrote does not parse: " + text)
	}
	return e
}

func not(n *node) *node {
	if n.op == opNot {
		return n.kids[0]
	}
	return &node{op: opNot, kids: []*node{n}}
}

// flat moves the parts of an "and" within an "and", or of an "or" within an "or", into the outer
// one. One with a single part is that part.
func flat(n *node) *node {
	var kids []*node
	for _, k := range n.kids {
		if k.op == n.op {
			kids = append(kids, k.kids...)
		} else {
			kids = append(kids, k)
		}
	}
	if n.kids = kids; len(kids) == 1 {
		return kids[0]
	}
	return n
}

// String returns the filter in canonical form: another text that parses to the same filter.
func (e *Expr) String() string { return string(e.root.append(nil, opOr)) }

// append appends the text of n as a part of a node of kind around, opOr for none.
func (n *node) append(b []byte, around nodeOp) []byte {
	switch n.op {
	case opAnd, opOr:
		between := " "
		if n.op == opOr {
			between = " or "
		}
		inner := around == opNot || around == opAnd
		if inner {
			b = append(b, '(')
		}
		for i, k := range n.kids {
			if i > 0 {
				b = append(b, between...)
			}
			b = k.append(b, n.op)
		}
		if inner {
			b = closed(b)
		}
		return b
	case opNot:
		return n.kids[0].append(append(b, '-'), opNot)
	case opIn:
		return closed(n.kids[0].append(append(b, "in("...), opOr))
	case opHas:
		return closed(n.kids[0].append(append(b, "has("...), opOr))
	case opText:
		if plainText(n.raw) {
			return append(b, n.raw...)
		}
		return appendQuoted(b, n.raw)
	}
	return n.test.append(b)
}

// closed appends a ) that is no part of a word before it.
func closed(b []byte) []byte {
	if b[len(b)-1] == '\\' {
		b = append(b, ' ')
	}
	return append(b, ')')
}

func (t *test) append(b []byte) []byte {
	b = append(b, t.field.Name...)
	b = t.operand.append(b)
	b = append(b, t.op.String()...)
	switch {
	case t.op == opNone:
		return b
	case t.value.quoted:
		return appendQuoted(b, t.value.raw)
	}
	return append(b, t.value.raw...)
}

// plainText reports whether text is a bare text without quotes.
func plainText(text string) bool {
	if text == "" || text[0] == '"' || text[0] == '(' {
		return false
	}
	p := parser{text: text}
	n, err := p.filter(0)
	return err == nil && p.at == len(text) && n.op == opText && n.raw == text && !p.unclosed
}

func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// Quote returns a text as a value that means exactly it: in quotes.
func Quote(text string) string { return string(appendQuoted(nil, text)) }

// Word returns a name as a value of a field of names: as it is, if that is read as the same name, whatever
// follows it, or in quotes.
func Word(name string) string {
	p := parser{text: name + ")"}
	if w, ok := p.word(); name != "" && ok && w == name && !p.unclosed && !strings.ContainsAny(name[:1], `"=~<>`) && !strings.Contains(name, "*") {
		return name
	}
	return Quote(name)
}
