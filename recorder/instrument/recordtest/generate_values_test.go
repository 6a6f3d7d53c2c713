//go:build linux

package recordtest_test

import (
	"fmt"
	"strings"
)

// value is one of a generated program: what is written, and what a trace has as an argument, as the
// only result, and as one of several.
type value struct{ typ, source, argument, result, several string }

// alike is a value that is always shown in the same way.
func alike(typ, source, text string) value { return value{typ, source, text, text, text} }

var generatedValues = []value{
	alike("int", "int(-5)", "-5"),
	alike("int", "int(1 << 40)", "1099511627776"),
	alike("int8", "int8(-128)", "-128"),
	alike("int16", "int16(300)", "300"),
	alike("int32", "int32(-70000)", "-70000"),
	alike("int64", "int64(-1 << 63)", "-9223372036854775808"),
	alike("uint8", "uint8(255)", "255"),
	alike("uint16", "uint16(65535)", "65535"),
	alike("uint32", "uint32(4294967295)", "4294967295"),
	alike("uint64", "uint64(1<<64 - 1)", "18446744073709551615"),
	alike("uintptr", "uintptr(9)", "9"),
	alike("bool", "bool(true)", "true"),
	alike("bool", "bool(false)", "false"),
	alike("float32", "float32(0.25)", "0.25"),
	alike("float64", "float64(-1.5)", "-1.5"),
	alike("complex128", "complex128(1 + 2i)", "(1+2i)"),
	alike("complex64", "complex64(-0.5i)", "(0-0.5i)"),
	alike("string", `string("")`, `""`),
	alike("string", `string("text")`, `"text"`),
	alike("string", `string("日本 ü")`, `"日本 ü"`),
	alike("string", `string("`+strings.Repeat("0123456789", 7)+`")`, `"`+strings.Repeat("0123456789", 6)+`0123…+6"`),
	alike("Number", "Number(4)", "4"),
	alike("time.Duration", "1500*time.Millisecond", "1.5s"),
	alike("any", "any(int8(3))", "3"),
	alike("any", `any("dynamic")`, `"dynamic"`),
	alike("func()", "nothing", "main.nothing"),
	alike("*P", "heap", "P@1"),
	alike("chan int", "make(chan int)", "chan int@9"),
	{"any", "any(nil)", "null", "null", "nil"},
	{"*P", "(*P)(nil)", "null", "null", "nil"},
	{"[]int", "[]int(nil)", "null", "null", "nil"},
	{"map[string]int", "map[string]int(nil)", "null", "null", "nil"},
	{"error", "error(nil)", "null", "null", "nil"},
	{"func()", "(func())(nil)", "null", "null", "nil"},
	{"[]int", "[]int{1, 2}", "[]int@9", "[]int@9", "[]int len 2"},
	{"[]byte", `[]byte("abc")`, "[]uint8@9", "[]uint8@9", "[]uint8 len 3"},
	{"map[string]int", `map[string]int{"a": 1}`, "map[string]int@9", "map[string]int@9", "map[string]int len 1"},
	alike("[2]int", "[2]int{1, 2}", "[2]int{1, 2}"),
	alike("P", `P{3, "q"}`, `P{n:3, s:"q"}`),
	alike("any", `any(P{4, "any"})`, `P{n:4, s:"any"}`),
	alike("Box[int]", "Box[int]{5}", "Box[int]{t:5}"),
	{"error", `error(errors.New("e"))`, `errorString@9("e")`, `errorString@9("e")`, "errors.errorString: e"},
	alike("[300]int", "[300]int{1}", "[300]int{…}"),
}

func (g *generator) value() value { return generatedValues[g.IntN(len(generatedValues))] }

func (g *generator) values(n int) []value {
	all := make([]value, n)
	for i := range all {
		all[i] = g.value()
	}
	return all
}

// parameters declares parameters: some have no name.
func parameters(vs []value) string {
	var list []string
	for i, v := range vs {
		name := fmt.Sprintf("a%d", i)
		if i%3 == 2 {
			name = "_"
		}
		list = append(list, name+" "+v.typ)
	}
	return strings.Join(list, ", ")
}

func results(vs []value) string {
	var list []string
	for i, v := range vs {
		list = append(list, fmt.Sprintf("r%d %s", i, v.typ))
	}
	return strings.Join(list, ", ")
}

func expressions(vs []value) string { return joined(vs, func(v value) string { return v.source }) }

func arguments(vs []value) string { return joined(vs, func(v value) string { return v.argument }) }

func joined(vs []value, text func(value) string) string {
	var list []string
	for _, v := range vs {
		list = append(list, text(v))
	}
	return strings.Join(list, ", ")
}

// resultOf is what a trace has of how a call ends.
func resultOf(out []value, e ending) string {
	switch {
	case e.how != returns:
		return ": threw " + e.text
	case len(out) == 0:
		return ""
	case len(out) == 1:
		return ": " + out[0].result
	}
	return ": (" + joined(out, func(v value) string { return v.several }) + ")"
}
