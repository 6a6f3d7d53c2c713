package interop

import (
	"slices"

	"tracex/format"
)

// threw returns the footer of a call that threw: since version 27 perhaps something
// without a name.
func (g *tricky) threw() format.Footer {
	if g.version < format.V27 {
		return format.Footer{Result: format.Value{Kind: format.ValueVoid}, Exception: "a.Oops", Threw: true}
	}
	f := format.Unfinished(format.ClassCall)
	f.Threw = true
	if g.r.IntN(2) == 0 {
		f.Exception = "a.b.Oops$Inner"
	}
	return f
}

// value returns a value of a class that a method may well return.
func (g *tricky) value() format.Value {
	switch g.r.IntN(12) {
	case 0:
		return format.Null()
	case 1:
		return format.Value{Kind: format.ValueVoid}
	case 2:
		return format.Value{Kind: format.ValueString, Text: "text"}
	case 3:
		return format.Value{Kind: format.ValueLong, Bits: 8}
	case 4:
		return format.Value{Kind: format.ValueBoolean, Bits: 1}
	case 5, 6:
		return format.Value{ClassID: g.anyClass(), Bits: 9}
	case 7, 8, 9:
		if g.version < format.V27 {
			return g.value22()
		}
		return g.value27()
	}
	return format.Value{Kind: format.ValueInt, Bits: int64(g.r.IntN(100))}
}

// valueLike usually returns a value that a getter of this type may have read: folding
// compares the two.
func (g *tricky) valueLike(t format.Type) format.Value {
	class := t.Class
	switch {
	case g.r.IntN(5) == 0:
		return g.value()
	case t.Dims > 0:
		class = map[string]string{"int[]": "[I", "java.lang.String[][]": "[[Ljava.lang.String;"}[t.String()]
	case t.Kind == format.TypeInt:
		class = "java.lang.Integer"
	case t.Kind == format.TypeLong:
		class = "java.lang.Long"
	case t.Kind == format.TypeBoolean:
		class = "java.lang.Boolean"
	}
	id := int32(slices.Index(trickyClasses, class))
	if id < 0 || g.r.IntN(3) == 0 {
		return g.scalarLike(t)
	}
	kinds := []format.ValueKind{format.ValueObject, format.ValueArray}
	if g.version >= format.V27 {
		kinds = append(kinds, format.ValueException, format.ValueSequence, format.ValueEnum)
	}
	v := format.Value{Kind: kinds[g.r.IntN(len(kinds))], ClassID: id}
	if v.Kind == format.ValueEnum {
		v.Text = "GREEN"
	} else {
		v.Bits = 9
	}
	return v
}

// scalarLike returns a value whose kind determines the type, if there is one.
func (g *tricky) scalarLike(t format.Type) format.Value {
	old := g.version < format.V27
	switch {
	case t.Dims > 0:
	case t.Kind == format.TypeInt, t.Class == "java.lang.Integer":
		return format.Value{Kind: format.ValueInt, Bits: -7}
	case t.Kind == format.TypeLong:
		return format.Value{Kind: format.ValueLong, Bits: -8}
	case t.Kind == format.TypeBoolean:
		return format.Value{Kind: format.ValueBoolean}
	case t.Class == "kotlin.Unit":
		return format.Value{Kind: format.ValueUnit}
	case t.Class == "java.lang.Class":
		return format.Value{Kind: format.ValueJavaClass, Text: "int"}
	case t.Class == "kotlin.reflect.KClass":
		return format.Value{Kind: format.ValueKotlinClass, Text: "kotlin.Int"}
	case t.Class == "java.math.BigInteger" && !old:
		return format.Value{Kind: format.ValueBigInteger, Text: "12"}
	case t.Class == "java.math.BigDecimal" && !old:
		return format.Value{Kind: format.ValueBigDecimal, Text: "1.2"}
	case t.Class == "java.lang.StringBuilder" && old:
		return format.Value{Kind: format.ValueBuilder, Bits: 3, Text: "b"}
	case t.Class == "java.lang.String" && old:
		kinds := []format.ValueKind{format.ValueString, format.ValueRawString, format.ValueBuilder, format.ValueJavaClass, format.ValueKotlinClass}
		return format.Value{Kind: kinds[g.r.IntN(len(kinds))], Text: "s"}
	case t.Class == "java.lang.String":
		return format.Value{Kind: format.ValueString, Text: "s"}
	}
	return g.value()
}

func (g *tricky) anyClass() int32 { return int32(g.r.IntN(len(trickyClasses))) }

// A string with every character that is escaped within quotes, and with a quote.
const trickyText = "a \"b\"\\\n\r\té\U0001F600"

// value22 returns a value of a kind that is encoded differently in version 22 than
// later, or exists only there.
func (g *tricky) value22() format.Value {
	switch g.r.IntN(6) {
	case 0:
		return format.Value{Kind: format.ValueUnit}
	case 1:
		return format.Value{Kind: format.ValueRawString, Text: "Color.RED"}
	case 2:
		return format.Value{Kind: format.ValueJavaClass, Text: "Foo.class"}
	case 3:
		return format.Value{Kind: format.ValueKotlinClass, Text: "Foo.kclass"}
	case 4:
		return format.Value{Kind: format.ValueBuilder, Bits: 5, Text: trickyText}
	}
	return format.Value{Kind: format.ValueArray, ClassID: g.anyClass(), Bits: format.ArrayBits(7, 100),
		Captured: &format.Captured{Elements: []format.Value{format.Null()}}}
}

// value27 returns a value of a kind that is new in version 27, or means another
// class since then.
func (g *tricky) value27() format.Value {
	class := g.anyClass()
	switch g.r.IntN(14) {
	case 0:
		return format.Value{Kind: format.ValueUnit}
	case 1:
		return format.Value{Kind: format.ValueUnfinished}
	case 2:
		return format.Value{Kind: format.ValueUntracked}
	case 3:
		return format.Value{Kind: format.ValueEnum, ClassID: class, Text: "RED"}
	case 4:
		return format.Value{Kind: format.ValueEnum, ClassID: class, Absent: true}
	case 5:
		return format.Value{Kind: format.ValueBigInteger, Text: "123456789012345678901234567890"}
	case 6:
		return format.Value{Kind: format.ValueBigDecimal, Text: "-0.10E+7"}
	case 7:
		return format.Value{Kind: format.ValueJavaClass, Text: trickyClasses[class]}
	case 8:
		return format.Value{Kind: format.ValueKotlinClass, Text: trickyClasses[class]}
	case 9:
		return format.Value{Kind: format.ValueSequence, ClassID: class, Bits: -5, Text: trickyText}
	case 10:
		return format.Value{Kind: format.ValueArray, ClassID: class, Bits: format.ArrayBits(-7, 100)}
	case 11:
		return format.Value{Kind: format.ValueArray, ClassID: class, Bits: format.ArrayBits(7, 100),
			Captured: &format.Captured{Elements: []format.Value{g.value()}}}
	case 12:
		return format.Value{ClassID: class, Bits: 9,
			Captured: &format.Captured{Fields: []format.CapturedField{{Name: "x", Value: g.value()}}}}
	}
	return g.thrown(class)
}

// thrown returns an exception with nothing captured, with or without a message.
func (g *tricky) thrown(class int32) format.Value {
	v := format.Value{Kind: format.ValueException, ClassID: class, Bits: 11}
	switch message := trickyText; g.r.IntN(4) {
	case 0:
		v.Captured = &format.Captured{Frames: []string{"a.Foo.f(Foo.kt:7)"}}
	case 1:
		v.Captured = &format.Captured{Message: &message}
	case 2:
		message = ""
		v.Captured = &format.Captured{Message: &message, Frames: []string{"a", "b"}}
	}
	return v
}
