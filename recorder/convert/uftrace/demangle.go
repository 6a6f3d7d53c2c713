package uftrace

import (
	"strconv"
	"strings"
)

// demangle returns the name of a function in C++ or Rust as its source has it, without types of
// parameters and without arguments of templates, as uftrace shows it: std::vector::push_back. Other
// names, and those that are not understood, are returned as they are. The mangling is that of the
// Itanium C++ ABI, chapter 5, of Rust's older scheme, which is like it, and of its newer one.
func demangle(name string) string {
	text := name
	if at := strings.IndexByte(text, '@'); at > 0 {
		text = text[:at] // the version of a library's function
	}
	if rust := demangleRust(name); rust != "" {
		return rust
	}
	body, ok := strings.CutPrefix(text, "_Z")
	if !ok || len(body) > maxMangled {
		return name
	}
	d := demangler{mangled: mangled{text: body}}
	if !d.encoding() || d.bad || len(d.out) == 0 {
		return name
	}
	return string(d.out)
}

const (
	maxMangled      = 64 << 10 // bytes
	maxDemangled    = 4 << 10  // bytes: the rest is cut
	maxMangledDepth = 128
)

// demangler writes the name that it reads.
type demangler struct {
	mangled
	out   []byte
	last  string // the last part of the name, which constructors have
	quiet int    // greater than 0 where names are part of types
}

// append appends a part of the name.
func (d *demangler) append(part string) {
	if d.quiet > 0 || part == "" {
		return
	}
	// Substitutions make short names long; what does not fit is left out.
	if len(d.out)+len(part) > maxDemangled {
		return
	}
	if len(d.out) > 0 && d.out[len(d.out)-1] != ' ' {
		d.out = append(d.out, "::"...)
	}
	d.out = append(d.out, part...)
	d.last = part
}

// specials are the beginnings of names that the compiler made.
var specials = map[string]string{
	"TV": "vtable for ", "TT": "VTT for ", "TI": "typeinfo for ", "TS": "typeinfo name for ",
	"GV": "guard variable for ", "GR": "reference temporary for ", "TH": "TLS init for ", "TW": "TLS wrapper for ",
}

// encoding reads the name of a function or of something special. Types of parameters follow only if
// the encoding is within another.
func (d *demangler) encoding() bool {
	two := d.two()
	switch {
	case specials[two] != "":
		d.pos += 2
		if d.quiet == 0 {
			d.out = append(d.out, specials[two]...)
		}
		return d.name()
	case two == "Th" || two == "Tv":
		return d.thunk(1) && d.encoding()
	case two == "Tc":
		d.pos += 2
		for range 2 {
			if !d.thunk(0) {
				return false
			}
		}
		return d.encoding()
	case two == "GT", two == "GA":
		d.pos += len(two)
		if two == "GT" {
			d.pos++
		}
		return d.encoding()
	}
	return d.name()
}

// thunk skips the offset of a thunk, after so many letters.
func (d *demangler) thunk(letters int) bool {
	d.pos += letters
	switch d.next() {
	case 'h':
		return d.number() && d.take('_')
	case 'v':
		return d.number() && d.take('_') && d.number() && d.take('_')
	}
	return false
}

// name reads a name, with the arguments of a template that follow it.
func (d *demangler) name() bool {
	if !d.enter() {
		return false
	}
	defer d.leave()
	switch d.peek() {
	case 'N':
		return d.nested()
	case 'Z':
		return d.local()
	case 'S':
		std := d.two() == "St"
		if !d.substitution() {
			return false
		}
		if std && !d.unqualified() {
			return false
		}
	default:
		if !d.unqualified() {
			return false
		}
	}
	return d.peek() != 'I' || d.arguments()
}

// nested reads N, parts, E.
func (d *demangler) nested() bool {
	d.pos++
	for strings.IndexByte("rVKRO", d.peek()) >= 0 && d.peek() != 0 {
		d.pos++
	}
	for d.peek() != 'E' {
		ok := false
		switch c := d.peek(); {
		case c == 'S':
			ok = d.substitution()
		case c == 'I':
			ok = d.arguments()
		case c == 'T':
			ok = d.parameter()
		case c == 'M':
			d.pos++
			ok = true
		case d.two() == "Dt" || d.two() == "DT":
			ok = d.quietly(d.typ)
		default:
			ok = d.unqualified()
		}
		if !ok {
			return false
		}
	}
	d.pos++
	return true
}

// local reads what is declared in a function: Z, the function, E, the name.
func (d *demangler) local() bool {
	d.pos++
	if !d.encoding() {
		return false
	}
	for d.peek() != 'E' {
		if !d.quietly(d.typ) {
			return false
		}
	}
	d.pos++
	switch d.peek() {
	case 's':
		d.pos++
		d.append("string literal")
	case 'd':
		d.pos++
		d.digits()
		if !d.take('_') || !d.name() {
			return false
		}
	default:
		if !d.name() {
			return false
		}
	}
	if d.take('_') { // which of several with that name
		if d.take('_') {
			d.digits()
			return d.take('_')
		}
		d.digits()
	}
	return true
}

// standard are the names that have letters of their own.
var standard = map[byte]string{
	't': "std", 'a': "std::allocator", 'b': "std::basic_string", 's': "std::basic_string",
	'i': "std::basic_istream", 'o': "std::basic_ostream", 'd': "std::basic_iostream",
}

// substitution reads a name that stands for another. One that occurred before is not written: only in
// types does this happen.
func (d *demangler) substitution() bool {
	d.pos++
	if name := standard[d.peek()]; name != "" {
		d.pos++
		d.append(name)
		if at := strings.LastIndexByte(name, ':'); at >= 0 && d.quiet == 0 {
			d.last = name[at+1:]
		}
		return true
	}
	d.digits()
	return d.take('_')
}

// unqualified reads one part of a name.
func (d *demangler) unqualified() bool {
	if !d.enter() {
		return false
	}
	defer d.leave()
	ok := false
	switch c := d.peek(); {
	case c == 'L':
		d.pos++
		return d.unqualified()
	case c >= '0' && c <= '9':
		ok = d.source()
	case c == 'C' || c == 'D':
		ok = d.structor()
	case c == 'U':
		ok = d.unnamed()
	case c >= 'a' && c <= 'z':
		ok = d.operator()
	}
	for ok && d.peek() == 'B' { // tags of the ABI
		d.pos++
		_, ok = d.identifier()
	}
	return ok
}

// structor reads a constructor, a destructor or the names of a structured binding.
func (d *demangler) structor() bool {
	kind := d.next()
	if kind == 'D' && d.peek() == 'C' {
		d.pos++
		for d.peek() != 'E' {
			if !d.source() {
				return false
			}
		}
		d.pos++
		return true
	}
	inherited := kind == 'C' && d.take('I')
	if c := d.next(); c < '0' || c > '9' {
		return false
	}
	if d.quiet == 0 && kind == 'C' {
		d.append(d.last)
	} else if last := d.last; d.quiet == 0 {
		d.append("~" + last)
	}
	return !inherited || d.quietly(d.typ)
}

// unnamed reads a lambda or a type without a name.
func (d *demangler) unnamed() bool {
	d.pos++
	kind := d.next()
	what := "{unnamed"
	if kind == 'l' {
		what = "{lambda"
		for d.peek() != 'E' {
			if !d.quietly(d.typ) {
				return false
			}
		}
		d.pos++
	} else if kind != 't' {
		return false
	}
	n := 1
	if digits := d.digits(); digits != "" {
		i, err := strconv.Atoi(digits)
		if err != nil {
			return false
		}
		n = i + 2
	}
	d.append(what + "#" + strconv.Itoa(n) + "}")
	return d.take('_')
}

// source reads a name with its length before it.
func (d *demangler) source() bool {
	name, ok := d.identifier()
	switch {
	case !ok:
		return false
	case strings.HasPrefix(name, "_GLOBAL__N_"):
		name = "(anonymous namespace)"
	case isRustHash(name) && d.peek() == 'E': // says nothing to a reader
		return true
	case strings.Contains(name, "$") || strings.Contains(name, ".."):
		name = fromRust(name)
	}
	d.append(name)
	return true
}

// quietly reads a part that is not written.
func (d *demangler) quietly(read func() bool) bool {
	d.quiet++
	ok := read()
	d.quiet--
	return ok
}
