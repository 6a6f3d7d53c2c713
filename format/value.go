package format

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// ValueKind tells what a value is, in memory. The encoding in files differs from version to version.
type ValueKind uint8

const (
	ValueObject     ValueKind = iota // in version 22 also an array without captured elements
	ValueArray                       // in version 22 one with captured elements
	ValueException                   // since version 27; before, exceptions are objects
	ValueNull                        // the null reference
	ValueVoid                        // the result of a method without one
	ValueUnfinished                  // instead of the result of a call that did not end, or threw
	ValueUntracked                   // instead of a result that was not recorded
	ValueUnit                        // Kotlin's Unit
	ValueByte
	ValueShort
	ValueInt
	ValueLong
	ValueFloat
	ValueDouble
	ValueChar
	ValueBoolean
	ValueString
	ValueRawString   // only version 22: printed unquoted: enums, big numbers
	ValueBuilder     // only version 22: a StringBuilder
	ValueSequence    // since version 27: a character sequence other than a string
	ValueEnum        // since version 27: an enum constant
	ValueBigInteger  // since version 27
	ValueBigDecimal  // since version 27
	ValueJavaClass   // Text: the full name; in version 22 the short one with ".class"
	ValueKotlinClass // Text: the full name; in version 22 the short one with ".kclass"

	valueKindCount
)

var valueKindNames = [valueKindCount]string{
	"object", "array", "exception", "null", "void", "mark of a call that did not end", "mark of a result that was not tracked",
	"Unit", "byte", "short", "int", "long", "float", "double", "char", "boolean", "string", "raw string", "string builder",
	"character sequence", "enum constant", "big integer", "big decimal", "Java class", "Kotlin class",
}

// String returns a description of values of this kind.
func (k ValueKind) String() string {
	if k < valueKindCount {
		return valueKindNames[k]
	}
	return fmt.Sprintf("kind of value %d", uint8(k))
}

// The texts shown instead of a result. In version 22 they are strings in the file, decoded to
// and encoded from [ValueUnfinished] and [ValueUntracked].
const (
	UnfinishedMethod = "<unfinished method>"
	UntrackedResult  = "<untracked result>"
)

// maxValueDepth bounds captured values within captured values. maxListed bounds the values in
// lists of one object, which take more memory than bytes. No recorder writes as many.
const (
	maxValueDepth = 200
	maxListed     = 8 << 20
)

// Value is a value at the moment when it was recorded. Which fields are meaningful depends on Kind:
//
//	null, void, Unit, marks              nothing more
//	byte, short, int, long, boolean, char   Bits: the integer, sign extended (char and boolean not)
//	float, double                        Bits: the IEEE 754 bits (of a float, the low 32)
//	string, raw string, big, classes     Text
//	builder                              Bits: identity hash, Text
//	sequence                             ClassID, Bits: identity hash, Text
//	enum constant                        ClassID, Text: its name, Absent: it has none
//	object, exception                    ClassID, Bits: identity hash, Captured
//	array                                ClassID, Bits: see ArrayBits, Captured
//
// The zero Value is an object of class 0 with identity hash 0; for null use [Null].
type Value struct {
	Kind   ValueKind
	Absent bool
	// raw is set for a mark that was a raw string instead of a string in a file of version 22,
	// as our recorders once wrote it.
	raw      bool
	ClassID  int32
	Bits     int64
	Text     string
	Captured *Captured // nil if nothing inside was captured
}

// Captured is the recorded contents of an object, an array or an exception.
type Captured struct {
	Fields   []CapturedField // of an object
	Elements []Value         // of an array: its first elements
	Message  *string         // of an exception; nil if it has none
	Frames   []string        // of an exception: its stack, innermost first
}

// CapturedField is a field of a captured object.
type CapturedField struct {
	Name  string
	Value Value
}

// Null returns the null reference, which is the Target of a point without receiver.
func Null() Value { return Value{Kind: ValueNull} }

// ArrayBits returns the Bits of an array with this identity hash and this length.
func ArrayBits(hash, length int32) int64 { return int64(length)<<32 | int64(uint32(hash)) }

// Hash returns the identity hash of an object, an array, an exception, a builder
// or a sequence.
func (v *Value) Hash() int32 { return int32(v.Bits) }

// ByValue reports whether v is a Go struct that was recorded itself rather than by a pointer: it has fields
// and no identity. The identity hash of an object of a JVM is never 0. The text of such a value is a literal,
// Point{X:1, Y:2}.
func (v *Value) ByValue() bool {
	return v.Kind == ValueObject && v.Hash() == 0 && v.Captured != nil && len(v.Captured.Fields) > 0
}

// MoreFields is the name of a last field that stands for those that were not recorded.
const MoreFields = "…"

// Rest reports whether a field stands for those that were not recorded.
func (f *CapturedField) Rest() bool { return f.Name == MoreFields }

// Length returns the full length of an array.
func (v *Value) Length() int32 { return int32(v.Bits >> 32) }

// Float returns a float or double value.
func (v *Value) Float() float64 {
	if v.Kind == ValueFloat {
		return float64(math.Float32frombits(uint32(v.Bits)))
	}
	return math.Float64frombits(uint64(v.Bits))
}

// AppendValue appends a value. It fails with ErrStringTooLong, with ErrVersionLacks if the
// version has no such kind, and if the value is nested too deeply.
func (v Version) AppendValue(dst []byte, x *Value) ([]byte, error) { return v.appendValue(dst, x, 0) }

func (v Version) appendValue(dst []byte, x *Value, depth int) ([]byte, error) {
	if x.Captured != nil && depth >= maxValueDepth {
		return dst, corrupt(-1, fmt.Sprintf("captured values at most %d deep", maxValueDepth), "more")
	}
	if v >= V27 {
		return appendValue27(dst, x, depth)
	}
	return v.appendValue22(dst, x, depth)
}

// appendScalar appends the contents of a value whose kind is encoded the same way in all versions.
func appendScalar(dst []byte, x *Value) ([]byte, error) {
	be := binary.BigEndian
	switch x.Kind {
	case ValueByte, ValueBoolean:
		return append(dst, byte(x.Bits)), nil
	case ValueShort, ValueChar:
		return be.AppendUint16(dst, uint16(x.Bits)), nil
	case ValueInt, ValueFloat:
		return be.AppendUint32(dst, uint32(x.Bits)), nil
	case ValueLong, ValueDouble:
		return be.AppendUint64(dst, uint64(x.Bits)), nil
	case ValueNull, ValueVoid, ValueUnit, ValueUnfinished, ValueUntracked:
		return dst, nil
	}
	return AppendUTF(dst, x.Text)
}

func (v Version) appendFields(dst []byte, fields []CapturedField, depth int) ([]byte, error) {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(fields)))
	var err error
	for i := range fields {
		if dst, err = AppendUTF(dst, fields[i].Name); err != nil {
			return dst, err
		}
		if dst, err = v.appendValue(dst, &fields[i].Value, depth+1); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendValues appends a count and that many values.
func (v Version) appendValues(dst []byte, list []Value, depth int) ([]byte, error) {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(list)))
	var err error
	for i := range list {
		if dst, err = v.appendValue(dst, &list[i], depth); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// value decodes a value; depth is the number of captured values around it.
func (c *decoder) value(v *Value, depth int) {
	if c.v >= V27 {
		c.value27(v, depth)
	} else {
		c.value22(v, depth)
	}
}

// scalar decodes the contents of a value whose kind is encoded the same way in all versions.
func (c *decoder) scalar(v *Value) {
	switch v.Kind {
	case ValueNull, ValueVoid, ValueUnit, ValueUnfinished, ValueUntracked:
	case ValueByte:
		v.Bits = int64(int8(c.u8()))
	case ValueBoolean:
		if c.bool() {
			v.Bits = 1
		}
	case ValueShort:
		v.Bits = int64(int16(c.u16()))
	case ValueChar:
		v.Bits = int64(c.u16())
	case ValueInt:
		v.Bits = int64(c.i32())
	case ValueFloat:
		v.Bits = int64(uint32(c.i32()))
	case ValueLong, ValueDouble:
		v.Bits = c.i64()
	default:
		v.Text = c.utf()
	}
}

// nested fails if captured values are nested too deeply.
func (c *reader) nested(at, depth int) bool {
	if depth >= maxValueDepth {
		c.fail(at, fmt.Sprintf("captured values at most %d deep", maxValueDepth), "more")
	}
	return c.err == nil
}

// listed counts values in lists, and refuses too many of them.
func (c *reader) listed(n int64) bool {
	if c.values += n; c.values > maxListed {
		c.fail(c.i, fmt.Sprintf("at most %d values in one object", maxListed), "more")
	}
	return c.err == nil
}

// elements reads n values. The slice grows with the values read: a count is only a claim.
func (c *decoder) elements(n int64, what string, depth int) (list []Value) {
	c.room(n*int64(c.v.leastValue()), what)
	if !c.listed(n) {
		return nil
	}
	for range n {
		list = append(list, Value{})
		if c.value(&list[len(list)-1], depth); c.err != nil {
			return nil
		}
	}
	return list
}

// fields reads n captured fields.
func (c *decoder) fields(n int64, depth int) (list []CapturedField) {
	c.room(n*int64(2+c.v.leastValue()), "captured fields")
	if !c.listed(n) {
		return nil
	}
	for range n {
		list = append(list, CapturedField{})
		f := &list[len(list)-1]
		f.Name = c.utf()
		if c.value(&f.Value, depth+1); c.err != nil {
			return nil
		}
	}
	return list
}

func (c *skipper) skipValue(depth int) {
	if c.v >= V27 {
		c.skipValue27(depth)
	} else {
		c.skipValue22(depth)
	}
}

func (c *skipper) skipElements(n int64, what string, depth int) {
	c.room(n*int64(c.v.leastValue()), what)
	if !c.listed(n) {
		return
	}
	for ; n > 0 && c.err == nil; n-- {
		c.skipValue(depth)
	}
}

func (c *skipper) skipFields(n int64, depth int) {
	c.room(n*int64(2+c.v.leastValue()), "captured fields")
	if !c.listed(n) {
		return
	}
	for ; n > 0 && c.err == nil; n-- {
		c.skipUTF()
		c.skipValue(depth + 1)
	}
}

// leastValue returns the minimum size of a value in bytes.
func (v Version) leastValue() int {
	if v >= V27 {
		return 1
	}
	return 4
}

// Unquoted reports whether a value is a text without quotes that has no better kind: a raw string,
// or its replacement since version 27, which has no raw strings: a big decimal that is no number.
func (v *Value) Unquoted() bool {
	return v.Kind == ValueRawString || v.Kind == ValueBigDecimal && !isDecimal(v.Text)
}

// isDecimal reports whether s is a number as java.math.BigDecimal writes it, or the beginning
// of one, cut with "...".
func isDecimal(s string) bool {
	s, cut := strings.CutSuffix(s, "...")
	_, ok := number(s)
	if cut && !ok && len(s) > 1 {
		_, ok = number(s + "0") // cut after a point, or in an exponent
	}
	return ok
}

// WholeNumber reports whether a text is in the form of a BigInteger.
func WholeNumber(text string) bool {
	decimals, ok := number(text)
	return ok && !decimals
}

// number reports whether a text is in the form of a BigInteger, or, with decimals, of a
// BigDecimal: digits, with an optional sign before, point within, or exponent after them.
func number(s string) (decimals, ok bool) {
	s = strings.TrimPrefix(s, "-")
	whole := digits(s)
	if whole == 0 {
		return false, false
	}
	canonical := s[0] != '0' || whole == 1
	if s = s[whole:]; s == "" {
		return !canonical, canonical
	}
	if s[0] == '.' {
		n := digits(s[1:])
		if n == 0 {
			return true, false
		}
		s = s[1+n:]
	}
	if len(s) > 1 && s[0] == 'E' {
		if s = s[1:]; s[0] == '+' || s[0] == '-' {
			s = s[1:]
		}
		if n := digits(s); n > 0 {
			s = s[n:]
		} else {
			return true, false
		}
	}
	return true, s == ""
}

// digits returns how many digits s begins with.
func digits(s string) int {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return i
		}
	}
	return len(s)
}
