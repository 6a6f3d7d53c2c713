package format_test

import (
	"fmt"

	"tracex/format"
)

// The annotator's knowledge of version 27, from its description.

// classes27 are the classes of points by their byte, as version 22 numbers them.
var classes27 = [...]int{6, 4, 5, 3, 1, 2, 0, 7, 8, 10, 11, 9}

func (a *annotator) value27(name string) {
	kinds := [...]string{"null", "void", "Unit", "byte", "short", "int", "long", "float", "double", "char", "boolean", "string", "enum constant",
		"big integer", "big decimal", "object", "object with fields", "array", "array with elements", "character sequence", "exception",
		"exception with its state", "Java class", "Kotlin class", "unfinished", "untracked"}
	sizes := [...]int{3: 1, 4: 2, 5: 4, 6: 8, 7: 4, 8: 8, 9: 2, 10: 1, 25: 0}
	k := a.b[a.i]
	a.line(1, "%s: %s", name, kinds[k])
	if n := sizes[k]; n > 0 {
		a.line(n, "its bits")
		return
	}
	switch k {
	case 11, 13, 14, 22, 23:
		a.utf("text")
	case 12:
		a.i32("class")
		a.optional("name")
	case 15, 16, 17, 18, 19, 20, 21:
		a.i32("class")
		a.i32("identity hash")
		a.inside27(k)
	}
}

func (a *annotator) inside27(k byte) {
	if k == 17 || k == 18 {
		a.i32("length")
	}
	switch k {
	case 16:
		a.list("captured fields", func() { a.utf("field"); a.value("value") })
	case 18:
		a.list("captured elements", func() { a.value("element") })
	case 19:
		a.utf("text")
	case 21:
		a.optional("message")
		a.list("frames", func() { a.utf("frame") })
	}
}

func (a *annotator) optional(name string) {
	if a.u8("has "+name) == 1 {
		a.utf(name)
	}
}

// statuses annotates the diff statuses of a container.
func (a *annotator) statuses() {
	n := int(a.b[a.i])
	if a.version == 27 {
		n = int(int8(a.b[a.i]))
	}
	a.line(1, "statuses below %d", n)
	if n > 0 {
		a.line(n, "they are")
	}
}

// values27 returns values of the kinds that version 27 adds, including a constant and an
// exception without text.
func values27() []format.Value {
	message := "no\x00é👍"
	return []format.Value{{Kind: format.ValueNull}, {Kind: format.ValueVoid}, {Kind: format.ValueUnit}, {Kind: format.ValueByte, Bits: -1},
		{Kind: format.ValueInt, Bits: 3}, {Kind: format.ValueLong, Bits: 4}, {Kind: format.ValueShort, Bits: 2}, {Kind: format.ValueFloat, Bits: 0x3f800000},
		{Kind: format.ValueDouble, Bits: 0x3ff0000000000000}, {Kind: format.ValueString, Text: "s"}, {Kind: format.ValueChar, Bits: 'A'},
		{Kind: format.ValueBoolean, Bits: 1}, {Kind: format.ValueEnum, Text: "RED"}, {Kind: format.ValueEnum, Absent: true},
		{Kind: format.ValueBigInteger, Text: "12"}, {Kind: format.ValueBigDecimal, Text: "1.2"}, {Bits: 8},
		{Bits: 9, Captured: &format.Captured{Fields: []format.CapturedField{{Name: "f", Value: format.Null()}}}},
		{Kind: format.ValueArray, Bits: format.ArrayBits(10, 100)},
		{Kind: format.ValueArray, Bits: format.ArrayBits(11, 100), Captured: &format.Captured{Elements: []format.Value{{Kind: format.ValueInt, Bits: 5}}}},
		{Kind: format.ValueSequence, Bits: 12, Text: "sb"}, {Kind: format.ValueException, Bits: 13},
		{Kind: format.ValueException, Bits: 14, Captured: &format.Captured{Message: &message, Frames: []string{"demo.Main.run(Main.java:17)"}}},
		{Kind: format.ValueException, Bits: 15, Captured: new(format.Captured)},
		{Kind: format.ValueJavaClass, Text: "demo.A"}, {Kind: format.ValueKotlinClass, Text: "demo.B"}, {Kind: format.ValueUnfinished}, {Kind: format.ValueUntracked}}
}

func (a *annotator) loops() {
	if a.version == 27 {
		a.list("loops", func() { a.i32("loop") })
	}
}

// exception annotates the exception in a call's footer.
func (a *annotator) exception() {
	if a.version == 27 {
		a.optional("exception")
		return
	}
	a.utf("exception")
}

// classOf returns the class of a point by its byte.
func (a *annotator) classOf(b byte) int {
	if a.version == 27 {
		return classes27[b]
	}
	return int(b)
}

// goldenName returns the name of the golden file for a version.
func goldenName(name string, v format.Version) string {
	if v == format.V22 {
		return name
	}
	return fmt.Sprintf("v%d.%s", v, name)
}
