package xdebug

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/jsonstream"
)

// valid returns a text with U+FFFD for what is not UTF-8: PHP's strings are bytes.
func valid(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}

// words are values that are written as words, in upper case since Xdebug 2.
var words = map[string]format.Value{
	"NULL": calltrace.Null(), "TRUE": calltrace.Bool(true), "FALSE": calltrace.Bool(false),
	"null": calltrace.Null(), "true": calltrace.Bool(true), "false": calltrace.Bool(false),
}

// valueOf returns the value that a text describes. Texts that are none of PHP's scalars are values without quotes.
func valueOf(text []byte) format.Value {
	if len(text) == 0 {
		return calltrace.Unquoted("")
	}
	if text[0] == '\'' {
		if s, ok := unescaped(text); ok {
			return calltrace.String(s)
		}
		return calltrace.Unquoted(valid(text))
	}
	if v, ok := words[string(text)]; ok {
		return v
	}
	if c := text[0]; c >= '0' && c <= '9' || c == '-' || c == 'N' || c == 'I' {
		if v, ok := jsonstream.NumberValue(text); ok {
			return v
		}
	}
	return calltrace.Unquoted(valid(text))
}

// escapes are the letters after a backslash that mean something else.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'v': '\v', 'f': '\f', 'a': '\a', 'b': '\b', 'e': 0x1b}

// unescaped returns the text of a string in quotes; with "…" at its end if Xdebug has shortened it. ok is false
// if it does not end with its quotes.
func unescaped(text []byte) (s string, ok bool) {
	b := make([]byte, 0, len(text))
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'':
			switch string(text[i+1:]) {
			case "":
				return valid(b), true
			case "...":
				return valid(b) + "…", true
			}
			return "", false
		case c == '\\' && i+1 < len(text):
			i++
			n, size := octal(text[i:])
			switch e, known := escapes[text[i]]; {
			case size > 0:
				b = append(b, n)
				i += size - 1
			case known:
				b = append(b, e)
			default:
				b = append(b, text[i])
			}
		default:
			b = append(b, c)
		}
	}
	return "", false
}

// octal returns the byte that up to three octal digits mean, and how many there are.
func octal(text []byte) (n byte, size int) {
	for size < min(len(text), 3) && text[size] >= '0' && text[size] <= '7' {
		n = n<<3 | (text[size] - '0')
		size++
	}
	return n, size
}

// assignment returns the variable and its value. If the value is computed, as in $sum += 12 and ++$i, it has the operator with it.
func assignment(text []byte) (name string, v format.Value) {
	end := variableEnd(text)
	if end == len(text) {
		name := strings.Trim(valid(text), "+-")
		return name, calltrace.Unquoted(strings.Replace(valid(text), name, "", 1))
	}
	name, rest := valid(text[:end]), text[end+1:]
	operator, value, found := bytes.Cut(rest, []byte(" "))
	switch {
	case found && string(operator) == "=":
		return name, valueOf(value)
	case found && string(operator) == "=&":
		return name, calltrace.Unquoted("&" + valid(value))
	}
	return name, calltrace.Unquoted(valid(rest))
}

// variableEnd returns where the name of the assigned variable ends: at the first space that is in no key of an array.
func variableEnd(text []byte) int {
	quoted, depth := false, 0
	for i, c := range text {
		switch {
		case c == '\'' && i > 0 && text[i-1] != '\\':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ' ' && depth <= 0:
			return i
		}
	}
	return len(text)
}
