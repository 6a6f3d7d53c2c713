package uftrace

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// valueKind is the letter of a type of values. On disk, do not change.
type valueKind byte

const (
	kindAuto    valueKind = 'd' // a number; if it looks like an address, it may be one
	kindSigned  valueKind = 'i'
	kindUns     valueKind = 'u'
	kindHex     valueKind = 'x'
	kindOctal   valueKind = 'o'
	kindString  valueKind = 's'
	kindChar    valueKind = 'c'
	kindFloat   valueKind = 'f'
	kindText    valueKind = 'S' // std::string
	kindPointer valueKind = 'p'
	kindEnum    valueKind = 'e'
	kindStruct  valueKind = 't'
)

const kindLetters = "diuxosScfpet"

// How a value reached the recorder. It decides whether one specification replaces another.
const (
	byIndex = iota // the n-th argument, or the result
	byFloatIndex
	byRegister
	onStack
)

// maxValues bounds the values of a call.
const maxValues = 256

// maxStruct bounds the size of a struct in bytes: the recorder's buffer is much smaller.
const maxStruct = 64 << 10

// spec says what a recorded value is: arg2/s, retval/f64, fparg1/80%stack+1, arg1/t16:point%RDI+RSI.
type spec struct {
	index    int // of an argument, from 1; 0 for a result
	kind     valueKind
	size     int // bytes, without padding; of a string that of the machine's words
	by       int
	at       string // the register or the offset on the stack
	typeName string // of an enum or a struct; may be ""
	exact    bool   // given for the function by name
}

// sizes of numbers in bits.
var sizes = map[int]int{8: 1, 16: 2, 32: 4, 64: 8}

const longDouble = 80 // bits

// parseSpec parses a specification.
func parseSpec(word string, machine *info) (s spec, ok bool) {
	s.kind, s.size = kindAuto, machine.wordSize
	rest := ""
	switch {
	case strings.HasPrefix(word, "fparg"):
		s.index, rest = leadingNumber(word[len("fparg"):])
		s.kind, s.size, s.by = kindFloat, 8, byFloatIndex
		ok = s.index > 0
	case strings.HasPrefix(word, "arg"):
		s.index, rest = leadingNumber(word[len("arg"):])
		ok = s.index > 0
	case strings.HasPrefix(word, "retval"):
		rest, ok = word[len("retval"):], true
	}
	if !ok || rest == "" {
		return s, ok
	}
	if kind, more := strings.CutPrefix(rest, "/"); more {
		if rest, ok = s.parseKind(kind); !ok {
			return s, false
		}
	}
	if s.kind == kindFloat && s.size == longDouble/8 && machine.arm {
		s.size = 8
	}
	return s, s.parsePlace(rest)
}

// parseKind parses what follows the slash, up to the place.
func (s *spec) parseKind(text string) (rest string, ok bool) {
	if text == "" {
		return "", false
	}
	letter := text[0]
	switch {
	case s.kind == kindFloat && letter >= '0' && letter <= '9':
		return s.parseSize(text)
	case strings.IndexByte(kindLetters, letter) < 0:
		return "", false
	}
	s.kind = valueKind(letter)
	text = text[1:]
	switch s.kind {
	case kindEnum:
		name, found := strings.CutPrefix(text, ":")
		end := strings.IndexByte(name+"%", '%')
		s.typeName = name[:end]
		return name[end:], found && end > 0
	case kindStruct:
		return s.parseStruct(text)
	case kindChar:
		s.size = 1
	case kindFloat:
		s.size, s.by = 8, byFloatIndex
	}
	if text == "" || text[0] == '%' {
		return text, true
	}
	return s.parseSize(text)
}

// parseSize parses a number of bits.
func (s *spec) parseSize(text string) (rest string, ok bool) {
	bits, rest := leadingNumber(text)
	if s.size = sizes[bits]; bits == longDouble && s.kind == kindFloat {
		s.size = longDouble / 8
	}
	return rest, s.size > 0
}

// parseStruct parses the size and the name of a struct.
func (s *spec) parseStruct(text string) (rest string, ok bool) {
	s.size, rest = leadingNumber(text)
	if name, named := strings.CutPrefix(rest, ":"); named {
		end := strings.IndexByte(name+"%", '%')
		s.typeName, rest = name[:end], name[end:]
	}
	return rest, s.size >= 0 && s.size <= maxStruct
}

// parsePlace parses %stack+1, %rdi or, of a struct, %RDI+RSI.
func (s *spec) parsePlace(text string) bool {
	place, ok := strings.CutPrefix(text, "%")
	if !ok {
		return text == "" || s.kind == kindStruct
	}
	if offset, ok := strings.CutPrefix(place, "stack"); ok {
		s.by, s.at = onStack, offset
		return true
	}
	s.by, s.at = byRegister, strings.ToLower(place[strings.LastIndexByte(place, '+')+1:])
	return true
}

// replaces reports whether a specification is for the same value as an earlier one.
func (s *spec) replaces(old *spec) bool {
	switch {
	case s.by != old.by:
		return false
	case s.by == byIndex || s.by == byFloatIndex:
		return s.index == old.index
	}
	return s.at == old.at
}

// leadingNumber parses the digits at the beginning of a text: -1 if it is too large.
func leadingNumber(text string) (n int, rest string) {
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if end == 0 {
		return 0, text
	}
	parsed, err := strconv.ParseInt(text[:end], 10, 32)
	if err != nil {
		return -1, text[end:]
	}
	return int(parsed), text[end:]
}

// layout is which values are recorded with a call and with its end.
type layout struct{ args, results []spec }

// maxEnumValues bounds the constants of all enums of a file.
const maxEnumValues = 1 << 18

// enums are the constants of enums by name, the largest value first.
type enums map[string][]constant

type constant struct {
	name  string
	value int64
}

// parse adds definitions such as enum color {RED,GREEN=4}; it ignores what is none.
func (e enums) parse(text string) {
	for definition := range strings.SplitSeq(text, ";") {
		head, body, ok := strings.Cut(definition, "{")
		name, isEnum := strings.CutPrefix(strings.TrimSpace(head), "enum ")
		body, _, _ = strings.Cut(body, "}")
		if name = strings.TrimSpace(name); ok && isEnum && name != "" && e[name] == nil {
			e[name] = parseConstants(body, maxEnumValues-e.size())
		}
	}
}

func (e enums) size() (n int) {
	for _, list := range e {
		n += 1 + len(list)
	}
	return n
}

// parseConstants parses the constants in the braces of an enum, at most so many.
func parseConstants(body string, most int) []constant {
	list := []constant{}
	next := int64(0)
	for word := range strings.SplitSeq(body, ",") {
		name, value, given := strings.Cut(word, "=")
		if given {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 0, 64)
			if err != nil {
				continue
			}
			next = n
		}
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if len(list) >= most {
			break
		}
		list = append(list, constant{name, next})
		next++
	}
	slices.SortStableFunc(list, func(a, b constant) int { return cmp.Compare(b.value, a.value) })
	return list
}

// maxFlags bounds how many constants of an enum are shown as one value.
const maxFlags = 64

// enumText returns the name of a value, or those of the flags that make it up, or the number.
func enumText(list []constant, value int64) string {
	if len(list) > 0 {
		if i, found := slices.BinarySearchFunc(list, value, func(c constant, v int64) int { return cmp.Compare(v, c.value) }); found {
			return list[i].name
		}
	}
	var flags []string
	rest := value
	for _, c := range list {
		if c.value > 0 && c.value <= rest && len(flags) < maxFlags {
			flags = append(flags, c.name)
			rest -= c.value
		}
	}
	switch {
	case len(flags) == 0:
		return strconv.FormatInt(value, 10)
	case rest != 0:
		return fmt.Sprintf("%s+%#x", strings.Join(flags, "|"), rest)
	}
	return strings.Join(flags, "|")
}
