// Jsonparser parses a JSON document from standard input and records how: each
// rule of the grammar as a call, each member and element as an iteration.
//
//	go run ./testdata/programs/jsonparser trace.bin < document.json
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"tracex/recorder"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "jsonparser:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: jsonparser TRACE < DOCUMENT")
	}
	document, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	rec, err := recorder.Start(recorder.Config{Path: args[0]})
	if err != nil {
		return err
	}
	p := newParser(rec, document)
	p.value()
	p.space()
	if p.pos < len(p.in) {
		p.fail("nothing more")
	}
	return errors.Join(p.err, rec.Stop())
}

// parser reads one value. Its first fault sticks.
type parser struct {
	in  []byte
	pos int
	err error

	t                                            *recorder.Thread
	callValue, callObject, callArray, callString recorder.Method
	callNumber, callLiteral                      recorder.Method
	atMember, atElement                          recorder.Location
	varKey                                       recorder.Variable
}

func newParser(rec *recorder.Recorder, document []byte) *parser {
	class := rec.Class("json.Parser")
	method := func(name string) recorder.Method { return rec.Method(class, name, recorder.Type{}) }
	place := func(method string, line int) recorder.Location {
		return rec.Location(recorder.CodeLocation{File: "main.go", Class: "json.Parser", Method: method, Line: line})
	}
	return &parser{
		in: document, t: rec.Thread("parser"),
		callValue: method("value"), callObject: method("object"), callArray: method("array"),
		callString: method("string"), callNumber: method("number"), callLiteral: method("literal"),
		atMember: place("object", 1), atElement: place("array", 1),
		varKey: rec.Variable("key", recorder.ObjectType("string")),
	}
}

func (p *parser) fail(expected string) {
	if p.err == nil {
		p.err = fmt.Errorf("offset %d: expected %s", p.pos, expected)
		p.pos = len(p.in)
	}
}

func (p *parser) space() {
	for p.pos < len(p.in) && (p.in[p.pos] == ' ' || p.in[p.pos] == '\n' || p.in[p.pos] == '\t' || p.in[p.pos] == '\r') {
		p.pos++
	}
}

// next reports whether c comes next, and passes over it.
func (p *parser) next(c byte) bool {
	if p.space(); p.pos < len(p.in) && p.in[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

// value parses any value; its result is the rule that it went by.
func (p *parser) value() {
	rule := recorder.Raw("nothing")
	defer p.t.Call(p.callValue, 0, recorder.Null()).End(&rule)
	p.space()
	if p.pos == len(p.in) {
		p.fail("a value")
		return
	}
	switch c := p.in[p.pos]; {
	case c == '{':
		rule = recorder.Raw("object")
		p.object()
	case c == '[':
		rule = recorder.Raw("array")
		p.array()
	case c == '"':
		rule = recorder.Raw("string")
		p.string()
	case c == '-' || c >= '0' && c <= '9':
		rule = recorder.Raw("number")
		p.number()
	default:
		rule = recorder.Raw("literal")
		p.literal()
	}
}

// object parses an object and returns the number of members.
func (p *parser) object() (members int) {
	defer p.t.Call(p.callObject, 0, recorder.Null()).End(&members)
	p.next('{')
	p.t.Loop(p.atMember) // the end of the call ends it
	for !p.next('}') && p.err == nil {
		if members > 0 && !p.next(',') {
			p.fail("a comma or }")
			break
		}
		members++
		p.t.Iteration(p.atMember)
		p.space()
		p.t.WriteVariable(p.varKey, p.atMember, recorder.String(p.string()))
		if !p.next(':') {
			p.fail("a colon")
			break
		}
		p.value()
	}
	return members
}

// array parses an array and returns the number of elements.
func (p *parser) array() (elements int) {
	defer p.t.Call(p.callArray, 0, recorder.Null()).End(&elements)
	p.next('[')
	p.t.Loop(p.atElement)
	for !p.next(']') && p.err == nil {
		if elements > 0 && !p.next(',') {
			p.fail("a comma or ]")
			break
		}
		elements++
		p.t.Iteration(p.atElement)
		p.value()
	}
	return elements
}

func (p *parser) string() (s string) {
	defer p.t.Call(p.callString, 0, recorder.Null()).End(&s)
	start := p.pos
	if !p.next('"') {
		p.fail("a string")
		return ""
	}
	var out []byte
	for p.pos < len(p.in) && p.in[p.pos] != '"' {
		if p.in[p.pos] == '\\' {
			out = p.escape(out)
			continue
		}
		out = append(out, p.in[p.pos])
		p.pos++
	}
	if p.pos == len(p.in) {
		p.pos = start
		p.fail("a string with its end")
		return ""
	}
	p.pos++
	return string(out)
}

// escapes are what stands behind a backslash, and what it means.
var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (p *parser) escape(out []byte) []byte {
	if r, ok := p.unit(p.pos); ok {
		p.pos += 6
		if low, ok := p.unit(p.pos); ok && utf16.IsSurrogate(r) {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				p.pos += 6
				r = pair
			}
		}
		return utf8.AppendRune(out, r)
	}
	rest := p.in[p.pos+1:]
	if len(rest) > 0 && escapes[rest[0]] != 0 {
		p.pos += 2
		return append(out, escapes[rest[0]])
	}
	p.fail("an escape")
	return out
}

// unit reads the \uXXXX at an offset.
func (p *parser) unit(at int) (rune, bool) {
	if len(p.in)-at < 6 || string(p.in[at:at+2]) != `\u` {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(p.in[at+2:at+6]), 16, 16)
	return rune(unit), err == nil
}

func (p *parser) number() (n float64) {
	defer p.t.Call(p.callNumber, 0, recorder.Null()).End(&n)
	start := p.pos
	for p.pos < len(p.in) && (p.in[p.pos] >= '0' && p.in[p.pos] <= '9' || p.in[p.pos] == '-' || p.in[p.pos] == '+' ||
		p.in[p.pos] == '.' || p.in[p.pos] == 'e' || p.in[p.pos] == 'E') {
		p.pos++
	}
	n, err := strconv.ParseFloat(string(p.in[start:p.pos]), 64)
	if err != nil {
		p.fail("a number")
	}
	return n
}

// literal parses a word and returns what it means.
func (p *parser) literal() (v recorder.Value) {
	defer p.t.Call(p.callLiteral, 0, recorder.Null()).End(&v)
	for word, v := range map[string]recorder.Value{"true": recorder.Bool(true), "false": recorder.Bool(false), "null": recorder.Null()} {
		if len(p.in)-p.pos >= len(word) && string(p.in[p.pos:p.pos+len(word)]) == word {
			p.pos += len(word)
			return v
		}
	}
	p.fail("true, false or null")
	return recorder.Raw("nothing")
}
