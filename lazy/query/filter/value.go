package filter

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tracex/lazy/query/nearest"
)

// literalKind tells how a value of the field kinds value and object is read.
type literalKind uint8

const (
	litWord   literalKind = iota // a text, a class, an enum constant, the text as shown
	litQuoted                    // a recorded string
	litNull
	litVoid
	litTruth
	litNumber
	litRange
	litRef // Class@129378, @129378
)

// literal is the value of a term: what was typed, and what it means for its field.
type literal struct {
	raw    string // as typed, without quotes and escapes
	quoted bool

	matcher  matcher  // names, texts
	plain    *matcher // also for the name that it stands for, see Plain; nil if that is the same
	from, to int64    // of whole numbers, times, bytes: the range that = and the order operators accept
	truth    bool
	classes  classes // of kind
	status   status

	kind  literalKind // of a recorded value
	num   number
	upper number // of a range
	open  [2]bool
	class string // of a ref; "" for any
	hash  int32
}

// set interprets the value for a field and an operator. The message tells what is wrong; near are
// words that would be right.
func (l *literal) set(f *Field, o op) (message, hint string, near []string) {
	if o == opRegexp || o == opContains {
		var err error
		if l.matcher, err = newMatcher(o, l.raw, l.quoted); err != nil {
			return "not a regular expression: " + regexpFault(err), "", nil
		}
		return "", "", nil
	}
	switch f.kind {
	case kindName:
		l.matcher, _ = newMatcher(o, l.raw, l.quoted)
		if name := Plain(l.raw); name != l.raw && (f.id == idMethod || f.id == idClass) {
			m, _ := newMatcher(o, name, l.quoted)
			l.plain = &m
		}
	case kindWord:
		return l.setWord(f)
	case kindNumber:
		return l.setRange(o, func(s string) (int64, bool) {
			if f.id == idEvent {
				s = strings.TrimPrefix(s, "#")
			}
			return parseCount(s)
		}, f.Name+" is a whole number", "")
	case kindTime:
		return l.setRange(o, parseTime, f.Name+" is a time with a unit: 10ms, 1.5s, 2us", "")
	case kindBytes:
		return l.setRange(o, parseBytes, f.Name+" is a number of bytes: 100, 64KiB, 1MB", "")
	case kindTruth:
		if l.raw != "true" && l.raw != "false" {
			return f.Name + " is true or false", "the class of the exception is exc", nil
		}
		l.truth = l.raw == "true"
	case kindValue, kindObject:
		return l.setValue(f, o)
	}
	return "", "", nil
}

// setWord looks a word up in the list of a field.
func (l *literal) setWord(f *Field) (message, hint string, near []string) {
	var words []string
	name := strings.ReplaceAll(l.raw, " ", "-")
	if f.id == idKind {
		for _, w := range kindWords {
			if w.word == name {
				l.classes |= w.in
			}
			words = append(words, w.word)
		}
	} else {
		for _, w := range statusWords {
			if w.word == name {
				l.status |= w.is
			}
			words = append(words, w.word)
		}
	}
	if l.classes|classes(l.status) != 0 {
		return "", "", nil
	}
	near = nearest.Alike(name, slices.Values(words))
	if len(near) == 0 {
		hint = "it is one of " + strings.Join(words, ", ")
	}
	return fmt.Sprintf("there is no %s %s", f.Name, l.raw), hint, near
}

// setRange sets from and to: the range of accepted numbers; for != of refused ones.
func (l *literal) setRange(o op, parse func(string) (int64, bool), message, hint string) (string, string, []string) {
	l.from, l.to = math.MinInt64, math.MaxInt64
	if low, high, ok := strings.Cut(l.raw, ".."); ok && (o == opEq || o == opNe) && (low != "" || high != "") {
		for _, end := range []struct {
			text string
			to   *int64
		}{{low, &l.from}, {high, &l.to}} {
			if end.text == "" {
				continue
			}
			n, ok := parse(end.text)
			if !ok {
				return message, hint, nil
			}
			*end.to = n
		}
		if l.from > l.to {
			return "the range ends before it begins", "", nil
		}
		return "", "", nil
	}
	n, ok := parse(l.raw)
	if !ok {
		return message, hint, nil
	}
	switch o {
	case opEq, opNe:
		l.from, l.to = n, n
	case opLess:
		if l.to = n - 1; n == math.MinInt64 {
			l.from, l.to = 1, 0
		}
	case opAtMost:
		l.to = n
	case opMore:
		if l.from = n + 1; n == math.MaxInt64 {
			l.from, l.to = 1, 0
		}
	case opAtLeast:
		l.from = n
	}
	return "", "", nil
}

// setValue reads a recorded value.
func (l *literal) setValue(f *Field, o op) (message, hint string, near []string) {
	l.matcher, _ = newMatcher(opEq, l.raw, l.quoted)
	if l.quoted {
		l.kind = litQuoted
	} else {
		l.read()
	}
	switch {
	case o != opEq && o != opNe && l.kind != litNumber:
		return fmt.Sprintf("%v compares with a number", o), "a text is compared with =, : or ~", nil
	case l.kind == litRange && !l.open[0] && !l.open[1] && l.num.dec.compare(&l.upper.dec) > 0:
		return "the range ends before it begins", "", nil
	case f.kind != kindObject:
	case l.kind == litNumber && l.num.whole && l.num.i == int64(int32(l.num.i)):
		l.kind, l.class, l.hash = litRef, "", int32(l.num.i)
	case l.kind != litRef && l.kind != litWord:
		return "obj is an object: Account@129378, 129378, or the name of its class", "any value is ret, recv, arg or value", nil
	}
	return "", "", nil
}

// read reads a word.
func (l *literal) read() {
	switch l.raw {
	case "null", "nil":
		l.kind = litNull
		return
	case "void":
		l.kind = litVoid
		return
	case "true", "false":
		l.kind, l.truth = litTruth, l.raw == "true"
		return
	}
	var ok bool
	if l.num, ok = parseNumber(l.raw); ok {
		l.kind = litNumber
		return
	}
	if low, high, cut := strings.Cut(l.raw, ".."); cut && (low != "" || high != "") {
		l.open = [2]bool{low == "", high == ""}
		from, ok1 := parseNumber(low)
		to, ok2 := parseNumber(high)
		if (ok1 || l.open[0]) && (ok2 || l.open[1]) {
			l.kind, l.num, l.upper = litRange, from, to
			return
		}
	}
	if i := strings.LastIndexByte(l.raw, '@'); i >= 0 {
		if hash, err := strconv.ParseInt(l.raw[i+1:], 10, 32); err == nil {
			l.kind, l.class, l.hash = litRef, l.raw[:i], int32(hash)
		}
	}
}
