package uftrace

import (
	"math"
	"strconv"
	"strings"
)

// demangleRust returns the name in Rust's newer mangling, RFC 2603, or "" if it is none. Arguments of
// generics are not in it: <str as Display>::fmt.
func demangleRust(name string) string {
	body, ok := strings.CutPrefix(name, "_R")
	if !ok || len(body) > maxMangled {
		return ""
	}
	if at := strings.IndexAny(body, ".@"); at >= 0 {
		body = body[:at] // what LLVM added
	}
	d := rustDemangler{mangled: mangled{text: body}}
	if !d.path() || d.bad || len(d.out) == 0 {
		return ""
	}
	return string(d.out)
}

// rustDemangler writes the name that it reads.
type rustDemangler struct {
	mangled
	out   []byte
	quiet int // greater than 0 where nothing is written
}

func (d *rustDemangler) write(text string) bool {
	if d.quiet == 0 && len(d.out)+len(text) <= maxDemangled {
		d.out = append(d.out, text...)
	}
	return true
}

// number62 reads digits of base 62 up to an underscore; none are 0, all others one more than they say.
func (d *rustDemangler) number62() (n int, ok bool) {
	if d.take('_') {
		return 0, true
	}
	for {
		c := d.next()
		switch {
		case c == '_':
			return n + 1, true
		case c >= '0' && c <= '9':
			n = n*62 + int(c-'0')
		case c >= 'a' && c <= 'z':
			n = n*62 + int(c-'a') + 10
		case c >= 'A' && c <= 'Z':
			n = n*62 + int(c-'A') + 36
		default:
			return 0, false
		}
		n = min(n, math.MaxInt32) // a hash
	}
}

// disambiguator reads what distinguishes equal names: 0 if nothing does.
func (d *rustDemangler) disambiguator() (n int, ok bool) {
	if !d.take('s') {
		return 0, true
	}
	n, ok = d.number62()
	return n + 1, ok
}

// identifier reads a name and what distinguishes it.
func (d *rustDemangler) identifier() (name string, number int, ok bool) {
	if number, ok = d.disambiguator(); !ok {
		return "", 0, false
	}
	d.take('u') // Punycode, which is written as it is
	start := d.pos
	if !d.take('0') && !d.number() { // no number has a 0 before it
		return "", 0, false
	}
	n, err := strconv.Atoi(d.text[start:d.pos])
	d.take('_')
	if err != nil || n > len(d.text)-d.pos {
		return "", 0, false
	}
	d.pos += n
	return d.text[d.pos-n : d.pos], number, true
}

// path reads a path.
func (d *rustDemangler) path() bool {
	if !d.enter() {
		return false
	}
	defer d.leave()
	switch d.next() {
	case 'C':
		name, _, ok := d.identifier()
		return ok && d.write(name)
	case 'N':
		return d.nested()
	case 'M':
		return d.implementation() && d.write("<") && d.typ() && d.write(">")
	case 'X':
		return d.implementation() && d.write("<") && d.typ() && d.write(" as ") && d.path() && d.write(">")
	case 'Y':
		return d.write("<") && d.typ() && d.write(" as ") && d.path() && d.write(">")
	case 'I':
		if !d.path() {
			return false
		}
		d.quiet++
		defer func() { d.quiet-- }()
		return d.until(d.argument)
	case 'B':
		return d.again(d.path)
	}
	return false
}

// nested reads a namespace, the path around, and a name in it.
func (d *rustDemangler) nested() bool {
	namespace := d.next()
	if !d.path() {
		return false
	}
	name, number, ok := d.identifier()
	switch {
	case !ok:
		return false
	case namespace >= 'a' && namespace <= 'z':
		return name == "" || d.write("::"+name)
	}
	kind := string(namespace)
	switch namespace {
	case 'C':
		kind = "closure"
	case 'S':
		kind = "shim"
	}
	if name != "" {
		kind += ":" + name
	}
	return d.write("::{" + kind + "#" + strconv.Itoa(number) + "}")
}

// implementation reads where an implementation is, which is not written.
func (d *rustDemangler) implementation() bool {
	d.quiet++
	defer func() { d.quiet-- }()
	_, ok := d.disambiguator()
	return ok && d.path()
}

// again reads what is at an earlier place.
func (d *rustDemangler) again(read func() bool) bool {
	before := d.pos - 1
	n, ok := d.number62()
	if !ok || n >= before {
		return false
	}
	after := d.pos
	d.pos = n
	ok = read()
	d.pos = after
	return ok
}

// until reads parts up to E.
func (d *rustDemangler) until(part func() bool) bool {
	for !d.take('E') {
		if !part() {
			return false
		}
	}
	return true
}

// argument reads an argument of a generic.
func (d *rustDemangler) argument() bool {
	switch {
	case d.take('L'):
		_, ok := d.number62()
		return ok
	case d.take('K'):
		return d.constant()
	}
	return d.typ()
}

// rustTypes are the types that have a letter.
var rustTypes = map[byte]string{
	'a': "i8", 'b': "bool", 'c': "char", 'd': "f64", 'e': "str", 'f': "f32", 'h': "u8", 'i': "isize", 'j': "usize", 'l': "i32",
	'm': "u32", 'n': "i128", 'o': "u128", 's': "i16", 't': "u16", 'u': "()", 'v': "...", 'x': "i64", 'y': "u64", 'z': "!", 'p': "_",
}

// typ reads a type.
func (d *rustDemangler) typ() bool {
	if !d.enter() {
		return false
	}
	defer d.leave()
	c := d.next()
	if name := rustTypes[c]; name != "" {
		return d.write(name)
	}
	switch c {
	case 'A':
		return d.write("[") && d.typ() && d.write("; ") && d.constant() && d.write("]")
	case 'S':
		return d.write("[") && d.typ() && d.write("]")
	case 'T':
		first := true
		return d.write("(") && d.until(func() bool {
			if !first {
				d.write(", ")
			}
			first = false
			return d.typ()
		}) && d.write(")")
	case 'R', 'Q':
		if d.take('L') {
			if _, ok := d.number62(); !ok {
				return false
			}
		}
		return d.write(map[byte]string{'R': "&", 'Q': "&mut "}[c]) && d.typ()
	case 'P':
		return d.write("*const ") && d.typ()
	case 'O':
		return d.write("*mut ") && d.typ()
	case 'F':
		return d.function()
	case 'D':
		return d.dynamic()
	case 'B':
		return d.again(d.typ)
	}
	d.pos--
	return d.path()
}

// function reads the rest of a function type.
func (d *rustDemangler) function() bool {
	if d.take('G') {
		if _, ok := d.number62(); !ok {
			return false
		}
	}
	d.take('U')
	if d.take('K') && !d.take('C') {
		if _, _, ok := d.identifier(); !ok {
			return false
		}
	}
	d.write("fn(…)")
	d.quiet++
	defer func() { d.quiet-- }()
	return d.until(d.typ) && d.typ()
}

// dynamic reads the rest of a trait object: traits with their associated types, and a lifetime.
func (d *rustDemangler) dynamic() bool {
	if d.take('G') {
		if _, ok := d.number62(); !ok {
			return false
		}
	}
	first := true
	d.write("dyn ")
	ok := d.until(func() bool {
		if !first {
			d.write(" + ")
		}
		first = false
		if !d.path() {
			return false
		}
		d.quiet++
		defer func() { d.quiet-- }()
		for d.take('p') {
			if _, _, ok := d.identifier(); !ok || !d.typ() {
				return false
			}
		}
		return true
	})
	if !ok || !d.take('L') {
		return false
	}
	_, ok = d.number62()
	return ok
}

// constant reads a constant: a type and hexadecimal digits, whose sign is n.
func (d *rustDemangler) constant() bool {
	if !d.enter() {
		return false
	}
	defer d.leave()
	switch c := d.next(); {
	case c == 'p':
		return d.write("_")
	case c == 'B':
		return d.again(d.constant)
	case rustTypes[c] == "":
		return false
	}
	if d.take('n') {
		d.write("-")
	}
	start := d.pos
	for c := d.peek(); c >= '0' && c <= '9' || c >= 'a' && c <= 'f'; c = d.peek() {
		d.pos++
	}
	hex := d.text[start:d.pos]
	if n, err := strconv.ParseUint("0"+hex, 16, 64); err == nil {
		d.write(strconv.FormatUint(n, 10))
	} else {
		d.write("0x" + hex)
	}
	return d.take('_')
}
