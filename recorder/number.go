package recorder

import (
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
)

// terms is what a thread needs of its recorder to write what a program names: values, and the
// ids of numbers. With zero terms nothing is written.
type terms struct {
	values.Terms
	r *Recorder // for what is not usual
}

func (r *Recorder) terms() terms {
	return terms{values.Terms{Text: int32(r.config.MaxString), Tag: r.registry.Tag(), Names: r.types, Layout: r.layout}, r}
}

// method returns the id of a method whose number does not match: it has another number of
// arguments, or belongs to another recorder.
func (by *terms) method(m Method) int32 {
	switch {
	case !by.r.on():
		return 0
	case registry.Upper(int64(m))&^registry.ArityMask == by.Tag:
		by.r.counts.misuse.arguments.Add(1)
		return int32(m) - 1
	}
	return by.r.registry.OtherMethod(int64(m))
}

func (by *terms) variable(v Variable) int32 {
	if registry.Upper(int64(v)) == by.Tag {
		return int32(v) - 1
	}
	return by.otherVariable(v)
}

func (by *terms) otherVariable(v Variable) int32 {
	if !by.r.on() {
		return 0
	}
	return by.r.registry.OtherVariable(int64(v))
}

func (by *terms) field(f Field) int32 {
	if registry.Upper(int64(f)) == by.Tag {
		return int32(f) - 1
	}
	return by.otherField(f)
}

func (by *terms) otherField(f Field) int32 {
	if !by.r.on() {
		return 0
	}
	return by.r.registry.OtherField(int64(f))
}

// location returns the id of a location; -1 if none.
func (by *terms) location(at Location) int32 {
	if at != 0 && uint32(at>>values.Shift) != by.Tag {
		at = by.otherLocation(at)
	}
	return int32(at) - 1
}

// otherLocation is not inlined, so that location is.
//
//go:noinline
func (by *terms) otherLocation(at Location) Location {
	if by.r.on() {
		by.r.registry.Misuse(int64(at))
	}
	return 0
}
