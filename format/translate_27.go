package format

import "strings"

// To version 27, from earlier ones. It knows more about a value, which is derived from its
// text or its class.

// maxStatuses27 is how many diff statuses a container can have in version 27.
const maxStatuses27 = 127

// builderClass is the class of a string builder in version 22.
const builderClass = "java.lang.StringBuilder"

// Suffixes of the text of a class as a value before version 27.
const (
	javaSuffix   = ".class"
	kotlinSuffix = ".kclass"
)

func (t *Translator) footer27(f *Footer) {
	r := &f.Result
	switch {
	case r.Kind == ValueUnfinished || r.Kind == ValueUntracked:
		t.count(ChangeMark) // the file has a text
		r.raw = false
	case f.Threw && r.Kind == ValueNull:
		r.Kind = ValueUnfinished
	default:
		t.value27(r)
	}
}

func (t *Translator) value27(v *Value) {
	switch v.Kind {
	case ValueObject:
		switch {
		case v.Captured != nil:
			t.captured(v.Captured)
		case t.known.throwable(v.ClassID):
			if !t.known.thrown(v.ClassID) {
				t.count(ChangeExceptionName)
			}
			v.Kind = ValueException
		}
	case ValueArray:
		if v.Captured != nil {
			t.captured(v.Captured)
		}
	case ValueRawString:
		t.unquoted(v)
	case ValueBuilder:
		t.count(ChangeBuilder)
		v.Kind, v.ClassID = ValueSequence, t.builder()
	case ValueJavaClass:
		t.class27(v, javaSuffix)
	case ValueKotlinClass:
		t.class27(v, kotlinSuffix)
	}
}

// unquoted turns an unquoted text into a big number: no other text without a class is printed
// without quotes.
func (t *Translator) unquoted(v *Value) {
	switch decimals, ok := number(v.Text); {
	case ok && !decimals:
		t.count(ChangeBigNumber)
		v.Kind = ValueBigInteger
	case ok:
		t.count(ChangeBigNumber)
		v.Kind = ValueBigDecimal
	default:
		t.count(ChangeUnquoted)
		v.Kind = ValueBigDecimal
	}
}

// class27 removes the suffix from a class as a value. A short name stays short.
func (t *Translator) class27(v *Value, suffix string) {
	name, ok := strings.CutSuffix(v.Text, suffix)
	if !ok {
		t.count(ChangeUnquoted)
		v.Kind = ValueBigDecimal
		return
	}
	if !full(name) {
		t.count(ChangeShortClass)
	}
	v.Text = name
}

// full reports whether a name includes the package, or belongs to a class without one: a short
// name has no dot, and an array's ends with its brackets.
func full(name string) bool {
	if strings.HasPrefix(name, "[") || strings.Contains(name, ".") {
		return !strings.HasSuffix(name, "]")
	}
	for kind, primitive := range typeNames {
		if primitive == name && TypeKind(kind) != TypeObject && TypeKind(kind) != TypeArray {
			return true
		}
	}
	return false
}

// builder returns the class of a string builder. It adds the class to the trace if it is missing.
func (t *Translator) builder() int32 {
	if id, ok := t.known.builder(); ok {
		return id
	}
	id, err := t.newClass()
	if err != nil {
		t.err = err
		return 0
	}
	t.owed = &ClassDescriptor{ID: id, Name: builderClass}
	t.known.class(id, builderClass)
	return id
}

func (t *Translator) newClass() (int32, error) {
	if t.NewClass != nil {
		return t.NewClass()
	}
	return t.known.Free()
}
