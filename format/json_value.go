package format

import (
	"math"
	"strconv"
	"unicode/utf16"
)

// jsonTypes are the names of value kinds in JSON. Programs read them: do not change.
var jsonTypes = [valueKindCount]string{
	ValueNull: "null", ValueVoid: "void", ValueUnit: "unit",
	ValueByte: "byte", ValueShort: "short", ValueInt: "int", ValueLong: "long",
	ValueFloat: "float", ValueDouble: "double", ValueBoolean: "boolean", ValueChar: "char",
	ValueString: "string", ValueRawString: "raw", ValueBuilder: "builder",
	ValueJavaClass: "java class", ValueKotlinClass: "kotlin class",
	ValueObject: "object", ValueArray: "object", ValueException: "object",
	ValueSequence: "sequence", ValueEnum: "enum", ValueBigInteger: "big integer", ValueBigDecimal: "big decimal",
	ValueUnfinished: "unfinished", ValueUntracked: "untracked",
}

// maxExact bounds the integers that survive in JSON readers that parse numbers as doubles.
const maxExact = 1 << 53

// value appends a value as an object of JSON.
func (j *JSON) value(dst []byte, v *Value) []byte { return j.members(append(dst, '{'), v) }

// members appends the members of a value, and the closing brace.
func (j *JSON) members(dst []byte, v *Value) []byte {
	kind := v.Kind
	if v.Unquoted() {
		kind = ValueRawString
	}
	dst = append(append(append(dst, `"type":"`...), jsonTypes[kind]...), '"')
	switch v.Kind {
	case ValueByte, ValueShort, ValueInt:
		dst = strconv.AppendInt(append(dst, `,"value":`...), v.Bits, 10)
	case ValueLong:
		dst = appendJSONLong(append(dst, `,"value":`...), v.Bits)
	case ValueFloat:
		dst = appendJSONFloat(append(dst, `,"value":`...), v.Float(), 32)
	case ValueDouble:
		dst = appendJSONFloat(append(dst, `,"value":`...), v.Float(), 64)
	case ValueBoolean:
		dst = strconv.AppendBool(append(dst, `,"value":`...), v.Bits != 0)
	case ValueChar:
		u := uint16(v.Bits)
		dst = AppendJSONString(append(dst, `,"value":`...), charText(u))
		if utf16.IsSurrogate(rune(u)) {
			dst = appendJSONInt(dst, "unit", int64(u))
		}
	case ValueString, ValueRawString, ValueBigInteger, ValueBigDecimal:
		dst = appendJSONText(dst, v.Text)
	case ValueJavaClass:
		dst = appendJSONText(dst, v.Text+j.c.version.classSuffix(".class"))
	case ValueKotlinClass:
		dst = appendJSONText(dst, v.Text+j.c.version.classSuffix(".kclass"))
	case ValueBuilder:
		dst = appendJSONInt(dst, "id", int64(v.Hash()))
		dst = appendJSONText(dst, v.Text)
	case ValueSequence:
		dst = j.class(append(dst, ','), v.ClassID)
		dst = appendJSONInt(dst, "id", int64(v.Hash()))
		dst = appendJSONText(dst, v.Text)
	case ValueEnum:
		dst = j.class(append(dst, ','), v.ClassID)
		if !v.Absent {
			dst = appendJSONText(dst, v.Text)
		}
	case ValueObject, ValueArray, ValueException:
		dst = j.class(append(dst, ','), v.ClassID)
		dst = j.captured(appendJSONInt(dst, "id", int64(v.Hash())), v)
	}
	return append(dst, '}')
}

// captured appends the captured contents of an object.
func (j *JSON) captured(dst []byte, v *Value) []byte {
	in := v.Captured
	if v.Kind == ValueArray {
		dst = appendJSONInt(dst, "length", int64(v.Length()))
		if in == nil && j.c.version < V27 {
			in = new(Captured) // none of its elements
		}
	}
	if in == nil {
		return dst
	}
	switch v.Kind {
	case ValueArray:
		return j.values(dst, "elements", in.Elements)
	case ValueException:
		if in.Message != nil {
			dst = AppendJSONString(append(dst, `,"message":`...), *in.Message)
		}
		dst = append(dst, `,"frames":[`...)
		for i, frame := range in.Frames {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSONString(dst, frame)
		}
		return append(dst, ']')
	}
	dst = append(dst, `,"fields":[`...)
	for i := range in.Fields {
		if in.Fields[i].Rest() {
			return append(dst, `],"more":true`...)
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = j.field(dst, &in.Fields[i])
	}
	return append(dst, ']')
}

// field appends a captured field, whose name may be empty.
func (j *JSON) field(dst []byte, f *CapturedField) []byte {
	dst = AppendJSONString(append(dst, `{"name":`...), f.Name)
	return j.members(append(dst, ','), &f.Value)
}

// values appends a member that is a list of values.
func (j *JSON) values(dst []byte, name string, list []Value) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":[`...)
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = j.value(dst, &list[i])
	}
	return append(dst, ']')
}

// appendJSONLong appends an integer: as a number, or as a string of digits if readers that
// parse numbers as doubles would change it.
func appendJSONLong(dst []byte, n int64) []byte {
	if n >= -maxExact && n <= maxExact {
		return strconv.AppendInt(dst, n, 10)
	}
	return append(strconv.AppendInt(append(dst, '"'), n, 10), '"')
}

// appendJSONFloat appends a float or double: as a number, or as a string if JSON has
// no number for it.
func appendJSONFloat(dst []byte, x float64, bits int) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(appendFloat(append(dst, '"'), x, bits), '"')
	}
	return appendFloat(dst, x, bits)
}

// appendJSONInt appends a member that is an integer.
func appendJSONInt(dst []byte, name string, n int64) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return strconv.AppendInt(dst, n, 10)
}

// charText returns a UTF-16 unit as a string in memory.
func charText(u uint16) string {
	if u >= 0xd800 && u < 0xe000 {
		return string(appendUnit(nil, u))
	}
	return string(rune(u))
}
