package ui

import (
	"strconv"

	"tracex/format"
	"tracex/lazy"
)

// nameOf is what the text of all trace points of the same method, field or
// variable contains.
func (m *Model) nameOf(n *lazy.Node) (name string) {
	p := n.Point()
	m.r.WithContext(func(c *format.Context) {
		switch p.Class {
		case format.ClassCall:
			if method := c.Method(p.Ref); method != nil && method.Name == "<init>" {
				name = "new " + c.ClassName(method.ClassID) + "("
			} else {
				name = c.MethodName(p.Ref) + "("
			}
		case format.ClassFieldRead, format.ClassFieldWrite:
			name = c.FieldName(p.Ref) + " "
		case format.ClassVariableRead, format.ClassVariableWrite:
			name = c.VariableName(p.Ref) + " "
		case format.ClassLoop:
			name = "loop("
		case format.ClassIteration:
			name = "<iteration " + strconv.Itoa(int(p.Number)+1) + ">"
		case format.ClassThrow:
			name = "throw "
		case format.ClassCatch:
			name = "catch("
		}
	})
	return name
}

// threadName is a thread as the tree shows it.
func threadName(t lazy.ThreadInfo) string { return string(appendThreadName(nil, t)) }
