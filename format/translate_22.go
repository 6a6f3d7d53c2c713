package format

import (
	"strconv"
	"strings"
)

// From version 27 to 22. A value whose kind 22 lacks becomes the value that 22's own recorder
// would write, or else the text that 27 prints.

// noContent is the text of a sequence whose content was not recorded: that would have required
// running the program's own code.
const noContent = "<char sequence content is unavailable>"

func (t *Translator) footer22(f *Footer) {
	r := &f.Result
	switch {
	case f.threw() && f.Exception == "":
		// In 22 a call without an exception name has not thrown: it must not look as if it
		// had returned null.
		t.count(ChangeNoName)
		f.Threw = false
		t.result22(r)
	case f.threw() && r.Kind == ValueUnfinished:
		*r = Null()
	case f.threw() && r.Kind == ValueNull:
		t.count(ChangeThrownResult)
	default:
		t.result22(r)
	}
}

// result22 translates a result. A mark stays a mark: 22 has it as a string.
func (t *Translator) result22(v *Value) {
	if v.Kind == ValueUnfinished || v.Kind == ValueUntracked {
		return
	}
	t.value22(v)
	if (v.Kind == ValueString || v.Kind == ValueRawString) && (v.Text == UnfinishedMethod || v.Text == UntrackedResult) {
		t.count(ChangeLikeMark)
	}
}

func (t *Translator) value22(v *Value) {
	switch v.Kind {
	case ValueObject:
		if v.Captured == nil && t.known.throwable(v.ClassID) && v.ClassID >= 0 {
			t.count(ChangeObject)
		}
	case ValueException:
		if v.Captured == nil && !t.known.throwable(v.ClassID) && v.ClassID >= 0 {
			t.count(ChangeException)
		}
	}
	t.inner22(v)
}

// inner22 is value22 for values that do not count as changes for being an object or an exception.
func (t *Translator) inner22(v *Value) {
	switch v.Kind {
	case ValueObject, ValueArray:
		t.object22(v)
	case ValueException:
		t.exception22(v)
	case ValueEnum:
		t.count(ChangeEnum)
		t.enum22(v)
	case ValueBigInteger, ValueBigDecimal:
		t.count(ChangeBig)
		v.Kind = ValueRawString
	case ValueSequence:
		t.sequence22(v)
	case ValueJavaClass:
		v.Text = t.fit(v.Text + javaSuffix)
	case ValueKotlinClass:
		v.Text = t.fit(v.Text + kotlinSuffix)
	case ValueUnfinished:
		t.count(ChangeMarkText)
		*v = Value{Kind: ValueString, Text: UnfinishedMethod}
	case ValueUntracked:
		t.count(ChangeMarkText)
		*v = Value{Kind: ValueString, Text: UntrackedResult}
	}
}

func (t *Translator) object22(v *Value) {
	in := v.Captured
	if in != nil {
		if len(in.Elements)+len(in.Fields) == 0 {
			t.count(ChangeNothingCaptured)
			v.Captured = nil
		}
		t.captured(in)
	}
	if v.ClassID < 0 {
		// No recorder writes this. The text that 27 prints is kept.
		t.count(ChangeNoClass)
		*v = Value{Kind: ValueRawString, Text: t.known.name(v.ClassID) + "@" + strconv.Itoa(int(v.Hash()))}
	}
}

func (t *Translator) exception22(v *Value) {
	if v.Captured != nil {
		t.count(ChangeExceptionState)
		v.Captured = nil
	}
	v.Kind = ValueObject
	t.object22(v)
}

// enum22 turns an enum constant into the text that version 27 prints.
func (t *Translator) enum22(v *Value) {
	name := t.known.name(v.ClassID)
	text := name[strings.LastIndexByte(name, '.')+1:] + "."
	if v.Absent {
		text += "null"
	} else {
		text += v.Text
	}
	*v = Value{Kind: ValueRawString, Text: t.fit(text)}
}

// sequence22 turns a character sequence into the value that 22's recorder would write: a string
// builder, a string, or an object if the content is not known.
func (t *Translator) sequence22(v *Value) {
	id, ok := t.known.builder()
	switch {
	case t.known.name(v.ClassID) == builderClass:
		if !ok || id != v.ClassID {
			t.count(ChangeBuilderID)
		}
		*v = Value{Kind: ValueBuilder, Bits: int64(v.Hash()), Text: v.Text}
	case v.Text == noContent && v.ClassID >= 0:
		t.count(ChangeNoContent)
		*v = Value{ClassID: v.ClassID, Bits: int64(v.Hash())}
	default:
		t.count(ChangeSequence)
		*v = Value{Kind: ValueString, Text: v.Text}
	}
}
