package appmap

import (
	"hash/fnv"
	"strings"
	"unicode"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/jsonstream"
)

// parameter is a value as recorders describe it.
type parameter struct {
	name, class, text string
	object            []byte // its id
	known             bool   // it has a text
}

// classKind is what values of a class are.
type classKind uint8

const (
	objects classKind = iota
	numbers
	booleans
	strs
	words // texts that need no quotes
	nothing
)

// classKinds are the classes of Ruby, Python, Java and JavaScript whose values have a kind of their own.
var classKinds = map[string]classKind{
	"Integer": numbers, "Fixnum": numbers, "Bignum": numbers, "Float": numbers,
	"builtins.int": numbers, "builtins.float": numbers,
	"int": numbers, "long": numbers, "short": numbers, "byte": numbers, "float": numbers, "double": numbers,
	"java.lang.Integer": numbers, "java.lang.Long": numbers, "java.lang.Short": numbers, "java.lang.Byte": numbers,
	"java.lang.Float": numbers, "java.lang.Double": numbers, "java.math.BigInteger": numbers,
	"Number": numbers, "number": numbers,
	"TrueClass": booleans, "FalseClass": booleans, "builtins.bool": booleans, "boolean": booleans, "java.lang.Boolean": booleans, "Boolean": booleans,
	"String": strs, "string": strs, "builtins.str": strs, "java.lang.String": strs,
	"Symbol": words, "Class": words, "Module": words, "java.lang.Class": words, "builtins.type": words, "BigInt": words, "bigint": words, "undefined": words, "BigDecimal": words, "java.math.BigDecimal": words,
	"NilClass": nothing, "builtins.NoneType": nothing, "null": nothing,
}

// valueOf returns the value of a parameter. A receiver is an object, whatever its class is.
func (p *parameter) valueOf(to *calltrace.Writer, receiver bool) format.Value {
	kind := classKinds[p.class]
	if receiver {
		kind = objects
	}
	switch {
	case kind == nothing, !p.known && len(p.object) == 0:
		return calltrace.Null()
	case !p.known:
	case kind == booleans && (p.text == "true" || p.text == "True"):
		return calltrace.Bool(true)
	case kind == booleans && (p.text == "false" || p.text == "False"):
		return calltrace.Bool(false)
	case kind == strs && !p.hidden():
		return calltrace.String(withoutQuotes(p.text))
	case kind == words, p.text == "null" && !receiver:
		return p.unquoted()
	case kind == numbers:
		if v, ok := jsonstream.NumberValue([]byte(p.text)); ok {
			return v
		}
		if format.WholeNumber(p.text) {
			return calltrace.Unquoted(p.text)
		}
	case kind == objects && !receiver && strings.ContainsAny(p.text[:min(len(p.text), 1)], "[{("):
		return p.unquoted()
	}
	return p.objectValue(to, receiver)
}

// unquoted returns the text as a value without quotes, in one line.
func (p *parameter) unquoted() format.Value {
	if strings.ContainsFunc(p.text, unicode.IsControl) {
		return calltrace.Unquoted(strings.Join(strings.FieldsFunc(p.text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " "))
	}
	return calltrace.Unquoted(p.text)
}

// hidden reports whether the text is that of an object whose value the recorder was told not to show.
func (p *parameter) hidden() bool {
	return strings.HasPrefix(p.text, "<"+p.class) && strings.Contains(p.text, " object at 0x")
}

// objectValue returns a value with class, identity and text. The text of a receiver, which precedes the name of the
// method, and one that only repeats the class, are not shown with it.
func (p *parameter) objectValue(to *calltrace.Writer, receiver bool) format.Value {
	class, hash := to.Class(p.class), p.hash()
	_, bare, named := strings.Cut(p.text, p.class)
	repeats := p.text == "" || p.hidden() || named && (bare == "" || strings.HasPrefix(bare, ":0x") || bare[0] == '@')
	switch {
	case repeats:
		return calltrace.Object(class, hash, nil)
	case receiver:
		return calltrace.Object(class, hash, []format.CapturedField{{Name: "value", Value: calltrace.Unquoted(p.text)}})
	}
	return format.Value{Kind: format.ValueSequence, ClassID: class, Bits: int64(hash), Text: p.text}
}

// hash returns the identity of the object: not 0.
func (p *parameter) hash() int32 {
	if n, ok := jsonstream.Decimal(p.object, 0); ok && n > 0 && n < 1<<31 {
		return int32(n)
	}
	h := fnv.New32a()
	h.Write(p.object) // cannot fail
	return int32(h.Sum32()>>1) | 1
}

// withoutQuotes removes the quotes around a text, with what they make necessary.
func withoutQuotes(s string) string {
	if len(s) < 2 || s[0] != '\'' && s[0] != '"' || s[len(s)-1] != s[0] {
		return s
	}
	quote := s[:1]
	s = s[1 : len(s)-1]
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\\`, `\`, `\`+quote, quote, `\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(s)
}
