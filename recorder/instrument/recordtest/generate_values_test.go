//go:build linux

package recordtest_test

import (
	"fmt"
	"strings"
)

// value is one of a generated program: what is written, and what a trace has.
type value struct{ typ, source, text string }

// several is what a trace has of the value as one of several results.
func (v value) several() string {
	if v.text == "null" {
		return "nil"
	}
	return v.text
}

var generatedValues = []value{
	{"int", "int(-5)", "-5"},
	{"int", "int(1 << 40)", "1099511627776"},
	{"int8", "int8(-128)", "-128"},
	{"int16", "int16(300)", "300"},
	{"int32", "int32(-70000)", "-70000"},
	{"int64", "int64(-1 << 63)", "-9223372036854775808"},
	{"uint8", "uint8(255)", "255"},
	{"uint16", "uint16(65535)", "65535"},
	{"uint32", "uint32(4294967295)", "4294967295"},
	{"uint64", "uint64(1<<64 - 1)", "18446744073709551615"},
	{"uintptr", "uintptr(9)", "9"},
	{"bool", "bool(true)", "true"},
	{"bool", "bool(false)", "false"},
	{"float32", "float32(0.25)", "0.25"},
	{"float64", "float64(-1.5)", "-1.5"},
	{"complex128", "complex128(1 + 2i)", "(1+2i)"},
	{"complex64", "complex64(-0.5i)", "(0-0.5i)"},
	{"string", `string("")`, `""`},
	{"string", `string("text")`, `"text"`},
	{"string", `string("日本 ü")`, `"日本 ü"`},
	{"string", `string("` + strings.Repeat("0123456789", 7) + `")`, `"` + strings.Repeat("0123456789", 6) + `0123…+6"`},
	{"Number", "Number(4)", "4"},
	{"time.Duration", "1500*time.Millisecond", "1.5s"},
	{"any", "any(int8(3))", "3"},
	{"any", `any("dynamic")`, `"dynamic"`},
	{"func()", "nothing", "main.nothing"},
	{"*P", "heap", "P@1"},
	{"chan int", "make(chan int)", "chan int@9"},
	{"any", "any(nil)", "null"},
	{"*P", "(*P)(nil)", "null"},
	{"[]int", "[]int(nil)", "null"},
	{"map[string]int", "map[string]int(nil)", "null"},
	{"error", "error(nil)", "null"},
	{"func()", "(func())(nil)", "null"},
	{"[]int", "[]int{1, 2}", "[]int@9"},
	{"[]byte", `[]byte("abc")`, "[]uint8@9"},
	{"map[string]int", `map[string]int{"a": 1}`, "map[string]int@9"},
	{"[2]int", "[2]int{1, 2}", "[2]int{1, 2}"},
	{"P", `P{3, "q"}`, `P{n:3, s:"q"}`},
	{"any", `any(P{4, "any"})`, `P{n:4, s:"any"}`},
	{"Box[int]", "Box[int]{5}", "Box[int]{t:5}"},
	{"error", `error(errors.New("e"))`, `errorString@9("e")`},
	{"[300]int", "[300]int{1}", "[300]int{1, 0, 0, 0, 0, 0, 0, 0, …+292}"},
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

func arguments(vs []value) string { return joined(vs, func(v value) string { return v.text }) }

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
		return ": " + out[0].text
	}
	return ": (" + joined(out, value.several) + ")"
}
