package format

import "fmt"

// TypeKind is the first byte of a type. On disk, do not change.
type TypeKind uint8

const (
	TypeArray   TypeKind = 0
	TypeBoolean TypeKind = 1
	TypeByte    TypeKind = 2
	TypeChar    TypeKind = 3
	TypeDouble  TypeKind = 4
	TypeFloat   TypeKind = 5
	TypeInt     TypeKind = 6
	TypeLong    TypeKind = 7
	TypeObject  TypeKind = 8
	TypeShort   TypeKind = 9
	TypeVoid    TypeKind = 10

	typeKindCount = 11
)

// maxTypeDepth bounds the dimensions of an array, like the JVM.
const maxTypeDepth = 255

var typeNames = [typeKindCount]string{"", "boolean", "byte", "char", "double", "float", "int", "long", "", "short", "void"}

// Type is the declared type of a field, a variable, an argument or a result.
// The zero value is not a type.
//
//	primitive  kind
//	array      0, type of the elements
//	object     8, class name utf
type Type struct {
	Kind  TypeKind // of the elements, for an array
	Dims  uint8    // dimensions of an array; 0 if not an array
	Class string   // full class name, for TypeObject
}

// String returns the type as Java writes it: int, java.lang.String, byte[][].
func (t Type) String() string {
	name := t.Class
	if t.Kind != TypeObject && t.Kind < typeKindCount {
		name = typeNames[t.Kind]
	}
	for range t.Dims {
		name += "[]"
	}
	return name
}

// Append appends the type. It fails with ErrStringTooLong.
func (t Type) Append(dst []byte) ([]byte, error) {
	for range t.Dims {
		dst = append(dst, byte(TypeArray))
	}
	dst = append(dst, byte(t.Kind))
	if t.Kind != TypeObject {
		return dst, nil
	}
	return AppendUTF(dst, t.Class)
}

func (c *decoder) typ() Type {
	var t Type
	for {
		at := c.i
		k := TypeKind(c.u8())
		switch {
		case c.err != nil:
			return t
		case k >= typeKindCount:
			c.fail(at, "the kind of a type, 0 to 10", fmt.Sprint(uint8(k)))
			return t
		case k == TypeArray:
			if t.Dims == maxTypeDepth {
				c.fail(at, "an array of at most 255 dimensions", "more")
				return t
			}
			t.Dims++
			continue
		case k == TypeObject:
			t.Class = c.utf()
		}
		t.Kind = k
		return t
	}
}
