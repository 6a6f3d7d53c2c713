package perfetto

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/format/pbfield"
	"tracex/recorder/convert/calltrace"
)

// Numbers of fields of a DebugAnnotation.
const (
	annotationNameIID   = pbfield.DebugAnnotation_NameIid
	annotationBool      = pbfield.DebugAnnotation_BoolValue
	annotationUint      = pbfield.DebugAnnotation_UintValue
	annotationInt       = pbfield.DebugAnnotation_IntValue
	annotationDouble    = pbfield.DebugAnnotation_DoubleValue
	annotationString    = pbfield.DebugAnnotation_StringValue
	annotationPointer   = pbfield.DebugAnnotation_PointerValue
	annotationNested    = pbfield.DebugAnnotation_NestedValue // the older form of nesting
	annotationJSON      = pbfield.DebugAnnotation_LegacyJsonValue
	annotationName      = pbfield.DebugAnnotation_Name
	annotationEntry     = pbfield.DebugAnnotation_DictEntries // of a dictionary
	annotationElement   = pbfield.DebugAnnotation_ArrayValues // of an array
	annotationTypeIID   = pbfield.DebugAnnotation_ProtoTypeNameIid
	annotationMessage   = pbfield.DebugAnnotation_ProtoValue // of an unknown type
	annotationTypeName  = pbfield.DebugAnnotation_ProtoTypeName
	annotationStringIID = pbfield.DebugAnnotation_StringValueIid
)

// annotation is one DebugAnnotation, without its nested values.
type annotation struct {
	nameIID  uint64
	name     []byte
	kind     protowire.Number // the field of the value; 0 if none
	bits     uint64
	raw      []byte
	typeIID  uint64
	typeName []byte
}

func (n *annotation) parse(b []byte) bool {
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case annotationNameIID:
			n.nameIID = f.value
		case annotationName:
			n.name = f.raw
		case annotationTypeIID:
			n.typeIID = f.value
		case annotationTypeName:
			n.typeName = f.raw
		case annotationEntry, annotationElement, annotationBool, annotationUint, annotationInt, annotationDouble,
			annotationString, annotationPointer, annotationNested, annotationJSON, annotationMessage, annotationStringIID:
			n.kind, n.bits, n.raw = f.number, f.value, f.raw
		}
	}
	return !f.bad
}

// nests reports whether the annotation has nested values instead of one value.
func (n *annotation) nests() bool {
	switch n.kind {
	case annotationEntry, annotationElement, annotationNested, annotationJSON:
		return true
	}
	return false
}

// annotation adds a DebugAnnotation: an argument, or one for each nested value,
// under names such as size.width and list[0].
func (a *arguments) annotation(b []byte) {
	var n annotation
	if !n.parse(b) || n.kind == 0 {
		a.left++
		return
	}
	var e *internedText
	if n.nameIID != 0 {
		if e = a.in.find(internedAnnotationNames, n.nameIID); e == nil {
			a.left++
			return
		}
	}
	if !n.nests() && e != nil {
		if v, ok := a.leaf(&n); ok {
			a.putInterned(n.nameIID, e, &v)
		} else {
			a.left++
		}
		return
	}
	if e != nil {
		n.name = e.text
	}
	a.name = clean(a.name[:0], n.name)
	if _, ok := a.named(&n, b, maxNesting); !ok {
		a.left++
	}
}

// named adds an annotation under the name a.name. added reports whether there was
// anything to add.
func (a *arguments) named(n *annotation, b []byte, depth int) (added, ok bool) {
	switch {
	case depth == 0:
		return false, false
	case n.kind == annotationNested:
		return a.nestedValue(n.raw, depth)
	case n.kind == annotationJSON:
		return a.json(n.raw, depth)
	case n.nests():
		return a.members(n.kind, b, depth)
	}
	v, ok := a.leaf(n)
	if ok {
		a.put(shownName(a.name), v)
	}
	return ok, ok
}

// members adds the entries of a dictionary or the elements of an array: the fields
// of b with this number.
func (a *arguments) members(number protowire.Number, b []byte, depth int) (added, ok bool) {
	stem, index := len(a.name), 0
	ok = true
	f := fields{rest: b}
	for f.next() {
		if f.number != number {
			continue
		}
		var m annotation
		if !m.parse(f.raw) {
			return added, false
		}
		if number == annotationEntry {
			if e := a.in.find(internedAnnotationNames, m.nameIID); e != nil {
				m.name = e.text
			}
			a.name = clean(append(a.name, '.'), m.name)
		} else {
			a.subscript(index)
		}
		one, whole := a.named(&m, f.raw, depth-1)
		if one {
			index++
		}
		added, ok = added || one, ok && whole
		a.name = a.name[:stem]
	}
	return added, ok && !f.bad
}

func (a *arguments) subscript(index int) {
	a.name = append(a.name, '[')
	a.name = strconv.AppendInt(a.name, int64(index), 10)
	a.name = append(a.name, ']')
}

// leaf returns the value of an annotation that has no nested values.
func (a *arguments) leaf(n *annotation) (v format.Value, ok bool) {
	switch n.kind {
	case annotationBool:
		return calltrace.Bool(n.bits != 0), true
	case annotationUint:
		return unsigned(n.bits), true
	case annotationInt:
		return calltrace.Int(int64(n.bits)), true
	case annotationDouble:
		return double(n.bits), true
	case annotationString:
		return calltrace.String(a.d.Text(n.raw)), true
	case annotationStringIID:
		e := a.in.find(internedStrings, n.bits)
		if e == nil {
			return v, false
		}
		return calltrace.String(a.d.Text(e.text)), true
	case annotationPointer:
		return hexadecimal(n.bits), true
	case annotationMessage:
		name := n.typeName
		if e := a.in.find(internedTypeNames, n.typeIID); e != nil {
			name = e.text
		}
		return calltrace.Unquoted("<" + string(name[:min(len(name), 1<<10)]) + ", " + strconv.Itoa(len(n.raw)) + " bytes>"), true
	}
	return v, false
}
