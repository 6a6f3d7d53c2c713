//go:build tracexrt

package tracexrt

import "unsafe"

// The conditions of until=, each after its pattern: see raw.OptionsVariable. They are asked for functions that the pattern
// names, at the beginning of a call, and those on results at its end.
var untilConditions [64]string

// asks asks the conditions for a call that has begun.
//
//go:noinline
func (st *goroutine) asks(fr *frame, args []any) {
	fr.until = 0
	acquire()
	for i := 0; i < len(until) && st.session == session; i++ {
		if fr.f.until>>i&1 == 0 {
			continue
		}
		switch more, ok := fr.f.holds(untilConditions[i], 'a', args); {
		case ok && more:
			fr.until |= 1 << i
		case ok:
			note()
		}
	}
	release()
}

// asksResults asks those that are left for a call that returns.
//
//go:noinline
func (st *goroutine) asksResults(fr *frame, results []any) {
	acquire()
	for i := 0; i < len(until) && st.session == session; i++ {
		if fr.until>>i&1 != 0 {
			if _, ok := fr.f.holds(untilConditions[i], 'r', results); ok {
				note()
			}
		}
	}
	release()
}

// holds reports whether all conditions on arguments ('a'), or on results ('r'), hold, and whether there are others.
func (f *Func) holds(conditions string, on byte, values []any) (more, ok bool) {
	for len(conditions) > 0 {
		var c string
		c, conditions = cut(conditions, UntilCondition)
		var name, op, text string
		name, c = cut(c, UntilPart)
		op, c = cut(c, UntilPart)
		text, c = cut(c, UntilPart)
		if len(name) < 2 || len(op) != 1 {
			return false, false
		}
		if name[0] != on {
			more = true
			continue
		}
		i := f.valueNamed(on, name[1:])
		if i < 0 || i >= len(values) {
			return false, false
		}
		e := (*eface)(unsafe.Pointer(&values[i]))
		t, d := e.typ, e.data
		switch {
		case on == 'r':
			t = elemOf(&values[i])
		case t != nil && t.direct():
			d = unsafe.Pointer(&e.data)
		}
		if t != nil && meant(t) != t { // a Ref
			t, d = meant(t), *(*unsafe.Pointer)(d)
		}
		if !compares(t, d, op[0], text, c) {
			return false, false
		}
	}
	return more, true
}

// cut cuts a text at the first byte sep.
func cut(s string, sep byte) (before, after string) {
	for i := range len(s) {
		if s[i] == sep {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// valueNamed returns the index of an argument or a result by its name, or its number from 1 on, without the receiver; -1 if there
// is none.
func (f *Func) valueNamed(on byte, name string) int {
	names, results := cut(f.Args, ';')
	first := 0
	if on == 'r' {
		names = results
	} else if f.Recv {
		first = 1
	}
	if name[0] >= '0' && name[0] <= '9' {
		return first + int(decimal(name)) - 1
	}
	for i := 0; len(names) > 0; i++ {
		var n string
		if n, names = cut(names, ','); n == name || on == 'r' && name == "err" && n == "error" {
			return i
		}
	}
	return -1
}

// compares reports whether the value at d is in a relation to one that an option gives: a text, then as an integer and as the
// bits of a float64, if it is a number.
func compares(t *rtype, d unsafe.Pointer, op byte, text, numbers string) bool {
	const null = "nil"
	same := op == '=' || op == '!' // what has no order
	if t == nil {
		return same && (text == null) == (op == '=')
	}
	integer, bits := cut(numbers, UntilPart)
	order := func(less, more bool) bool {
		switch op {
		case '=':
			return !less && !more
		case '!':
			return less || more
		case '<':
			return less
		case '>':
			return more
		case 'l':
			return !more
		}
		return !less
	}
	switch k := t.kindOf(); k {
	case kindBool:
		is := *(*uint8)(d)&1 != 0
		return same && (text == "true" || text == "false") && (is == (text == "true")) == (op == '=')
	case kindString:
		s := *(*string)(d)
		if !readable(uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(len(s))) && len(s) > 0 {
			return false
		}
		i := 0
		for i < len(s) && i < len(text) && s[i] == unescaped(text[i]) {
			i++
		}
		less := i < len(text) && (i == len(s) || s[i] < unescaped(text[i]))
		return order(less, !less && (i < len(s)))
	case kindFloat32, kindFloat64:
		if bits == "" {
			return false
		}
		v, w := *(*float64)(d), fromBits(bits)
		if k == kindFloat32 {
			v = float64(*(*float32)(d))
		}
		return v == v && order(v < w, v > w) // not a number is in no relation
	case kindInt, kindInt8, kindInt16, kindInt32, kindInt64:
		v := int64(0)
		switch t.size {
		case 1:
			v = int64(*(*int8)(d))
		case 2:
			v = int64(*(*int16)(d))
		case 4:
			v = int64(*(*int32)(d))
		default:
			v = *(*int64)(d)
		}
		if integer == "" {
			return bits != "" && order(float64(v) < fromBits(bits), float64(v) > fromBits(bits))
		}
		w := int64(decimal(integer))
		if integer[0] == '-' {
			w = -int64(decimal(integer[1:]))
		}
		return order(v < w, v > w)
	case kindUint, kindUint8, kindUint16, kindUint32, kindUint64, kindUintptr:
		v := uint64(0)
		switch t.size {
		case 1:
			v = uint64(*(*uint8)(d))
		case 2:
			v = uint64(*(*uint16)(d))
		case 4:
			v = uint64(*(*uint32)(d))
		default:
			v = *(*uint64)(d)
		}
		if integer == "" {
			return bits != "" && order(float64(v) < fromBits(bits), float64(v) > fromBits(bits))
		}
		if integer[0] == '-' {
			return order(false, true)
		}
		w := decimal(integer)
		return order(v < w, v > w)
	case kindPointer, kindMap, kindChan, kindFunc, kindUnsafePointer, kindSlice, kindInterface:
		return same && text == null && (*(*uintptr)(d) == 0) == (op == '=')
	}
	return false
}

// unescaped returns a byte of a text in an option.
func unescaped(b byte) byte {
	if b == UntilBlank {
		return ' '
	}
	return b
}

// fromBits reads the bits of a float64 as a decimal number.
func fromBits(s string) float64 {
	n := uint64(0)
	for i := range len(s) {
		n = n*10 + uint64(s[i]-'0')
	}
	return *(*float64)(unsafe.Pointer(&n))
}
