package uftrace

import (
	"strconv"
	"strings"
)

// mangled is a mangled name that is read.
type mangled struct {
	text  string
	pos   int
	depth int
	steps int
	bad   bool // it is nested too deeply or takes too long
}

// peek returns the next letter; 0 at the end.
func (m *mangled) peek() byte {
	if m.pos >= len(m.text) {
		return 0
	}
	return m.text[m.pos]
}

func (m *mangled) next() byte {
	c := m.peek()
	m.pos++
	return c
}

func (m *mangled) two() string {
	return m.text[min(m.pos, len(m.text)):min(m.pos+2, len(m.text))]
}

// take reads a letter if it is the next.
func (m *mangled) take(c byte) bool {
	if m.peek() != c || c == 0 {
		return false
	}
	m.pos++
	return true
}

// digits reads digits and capital letters, which number things.
func (m *mangled) digits() string {
	start := m.pos
	for c := m.peek(); c >= '0' && c <= '9' || c >= 'A' && c <= 'Z'; c = m.peek() {
		m.pos++
	}
	return m.text[min(start, len(m.text)):min(m.pos, len(m.text))]
}

// number reads a number, whose sign is n.
func (m *mangled) number() bool {
	m.take('n')
	start := m.pos
	for c := m.peek(); c >= '0' && c <= '9'; c = m.peek() {
		m.pos++
	}
	return m.pos > start
}

// identifier reads a name with its length before it.
func (m *mangled) identifier() (string, bool) {
	start := m.pos
	if !m.number() {
		return "", false
	}
	n, err := strconv.Atoi(m.text[start:m.pos])
	if err != nil || n <= 0 || n > len(m.text)-m.pos {
		return "", false
	}
	m.pos += n
	return m.text[m.pos-n : m.pos], true
}

// enter bounds the nesting and the time of reading.
func (m *mangled) enter() bool {
	const maxSteps = 1 << 16
	m.depth++
	m.steps++
	if m.depth > maxMangledDepth || m.steps > maxSteps {
		m.bad = true
	}
	return !m.bad
}

func (m *mangled) leave() { m.depth-- }

// arguments reads those of a template.
func (d *demangler) arguments() bool {
	d.pos++ // I or J
	return d.quietly(func() bool { return d.until(d.argument) })
}

// until reads parts up to E.
func (d *demangler) until(part func() bool) bool {
	for d.peek() != 'E' {
		if !part() {
			return false
		}
	}
	d.pos++
	return true
}

// argument reads an argument of a template.
func (d *demangler) argument() bool {
	if !d.enter() {
		return false
	}
	defer d.leave()
	switch d.peek() {
	case 'X':
		d.pos++
		return d.expression() && d.take('E')
	case 'L':
		return d.literal()
	case 'J':
		return d.arguments()
	}
	return d.typ()
}

// literal reads L, a type, a value, E; or L, _Z, an encoding, E.
func (d *demangler) literal() bool {
	d.pos++
	if d.two() == "_Z" {
		d.pos += 2
		return d.encoding() && d.until(d.typ)
	}
	if !d.typ() {
		return false
	}
	end := strings.IndexByte(d.text[min(d.pos, len(d.text)):], 'E')
	d.pos += end + 1
	return end >= 0
}

// parameter reads T_ or T0_, which stands for an argument of the template.
func (d *demangler) parameter() bool {
	d.pos++
	if d.take('L') {
		d.digits()
		d.take('_')
	}
	d.digits()
	return d.take('_')
}

// typ reads a type, of which nothing is written.
func (d *demangler) typ() bool {
	if !d.enter() {
		return false
	}
	defer d.leave()
	// Builtin types are small letters. What is before another type: qualifiers, pointers, references.
	switch c := d.peek(); {
	case c == 0:
		return false
	case strings.IndexByte("vwbcahstijlmxynofdegz", c) >= 0:
		d.pos++
		return true
	case strings.IndexByte("rVKPROCG", c) >= 0:
		d.pos++
		return d.typ()
	case c == 'u':
		d.pos++
		_, ok := d.identifier()
		return ok && (d.peek() != 'I' || d.arguments())
	case c == 'U':
		d.pos++
		_, ok := d.identifier()
		return ok && (d.peek() != 'I' || d.arguments()) && d.typ()
	case c == 'F':
		d.pos++
		return d.function()
	case c == 'A':
		return d.array()
	case c == 'M':
		d.pos++
		class := d.typ()
		return class && d.typ()
	case c == 'D':
		return d.decorated()
	case c == 'T':
		return d.parameterType()
	case c == 'S' && d.two() != "St":
		return d.quietly(d.substitution) && (d.peek() != 'I' || d.arguments())
	}
	return d.quietly(d.name)
}

// parameterType reads a parameter of a template as a type, or struct, union or enum before a name.
func (d *demangler) parameterType() bool {
	if two := d.two(); two == "Ts" || two == "Tu" || two == "Te" {
		d.pos += 2
		return d.quietly(d.name)
	}
	return d.parameter() && (d.peek() != 'I' || d.arguments())
}

// function reads the rest of a function type.
func (d *demangler) function() bool {
	d.take('Y')
	return d.until(func() bool {
		if two := d.two(); two == "RE" || two == "OE" {
			d.pos++
			return true
		}
		return d.typ()
	})
}

// array reads A, a size, _, a type.
func (d *demangler) array() bool {
	d.pos++
	if c := d.peek(); c >= '0' && c <= '9' {
		d.number()
	} else if c != '_' && !d.expression() {
		return false
	}
	return d.take('_') && d.typ()
}

// decorated reads the types that begin with D.
func (d *demangler) decorated() bool {
	d.pos++
	switch c := d.next(); c {
	case 'd', 'e', 'f', 'h', 'i', 'u', 's', 'a', 'c', 'n':
		return true
	case 'p', 'o':
		return d.typ()
	case 't', 'T':
		return d.expression() && d.take('E')
	case 'O':
		return d.expression() && d.take('E') && d.typ()
	case 'w':
		return d.until(d.typ) && d.typ()
	case 'F', 'B', 'U':
		if !d.number() {
			return false
		}
		return d.take('_') || d.take('x') || d.take('b')
	case 'v':
		if !d.take('_') && !d.number() {
			return false
		}
		return d.take('_') && (d.take('p') || d.typ())
	}
	return false
}
