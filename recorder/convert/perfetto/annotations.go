package perfetto

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/format/pbfield"
	"tracex/recorder/convert/calltrace"
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
		case pbfield.DebugAnnotation_NameIid:
			n.nameIID = f.value
		case pbfield.DebugAnnotation_Name:
			n.name = f.raw
		case pbfield.DebugAnnotation_ProtoTypeNameIid:
			n.typeIID = f.value
		case pbfield.DebugAnnotation_ProtoTypeName:
			n.typeName = f.raw
		case pbfield.DebugAnnotation_DictEntries, pbfield.DebugAnnotation_ArrayValues, pbfield.DebugAnnotation_BoolValue, pbfield.DebugAnnotation_UintValue,
			pbfield.DebugAnnotation_IntValue, pbfield.DebugAnnotation_DoubleValue, pbfield.DebugAnnotation_StringValue, pbfield.DebugAnnotation_PointerValue,
			pbfield.DebugAnnotation_NestedValue, pbfield.DebugAnnotation_LegacyJsonValue, pbfield.DebugAnnotation_ProtoValue, pbfield.DebugAnnotation_StringValueIid:
			n.kind, n.bits, n.raw = f.number, f.value, f.raw
		}
	}
	return !f.bad
}

// nests reports whether the annotation has nested values instead of one value.
func (n *annotation) nests() bool {
	switch n.kind {
	case pbfield.DebugAnnotation_DictEntries, pbfield.DebugAnnotation_ArrayValues, pbfield.DebugAnnotation_NestedValue, pbfield.DebugAnnotation_LegacyJsonValue:
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
		if e = a.in.find(pbfield.InternedData_DebugAnnotationNames, n.nameIID); e == nil {
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
	case n.kind == pbfield.DebugAnnotation_NestedValue:
		return a.nestedValue(n.raw, depth)
	case n.kind == pbfield.DebugAnnotation_LegacyJsonValue:
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
		if number == pbfield.DebugAnnotation_DictEntries {
			if e := a.in.find(pbfield.InternedData_DebugAnnotationNames, m.nameIID); e != nil {
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
	case pbfield.DebugAnnotation_BoolValue:
		return calltrace.Bool(n.bits != 0), true
	case pbfield.DebugAnnotation_UintValue:
		return calltrace.Uint(n.bits), true
	case pbfield.DebugAnnotation_IntValue:
		return calltrace.Int(int64(n.bits)), true
	case pbfield.DebugAnnotation_DoubleValue:
		return double(n.bits), true
	case pbfield.DebugAnnotation_StringValue:
		return calltrace.String(a.d.Text(n.raw)), true
	case pbfield.DebugAnnotation_StringValueIid:
		e := a.in.find(pbfield.InternedData_DebugAnnotationStringValues, n.bits)
		if e == nil {
			return v, false
		}
		return calltrace.String(a.d.Text(e.text)), true
	case pbfield.DebugAnnotation_PointerValue:
		return hexadecimal(n.bits), true
	case pbfield.DebugAnnotation_ProtoValue: // of a type that only the trace names
		name := n.typeName
		if e := a.in.find(pbfield.InternedData_DebugAnnotationValueTypeNames, n.typeIID); e != nil {
			name = e.text
		}
		return calltrace.Unquoted("<" + string(name[:min(len(name), 1<<10)]) + ", " + strconv.Itoa(len(n.raw)) + " bytes>"), true
	}
	return v, false
}

// nestedValue adds the contents of a NestedValue, the older form of nesting, under the name a.name.
func (a *arguments) nestedValue(b []byte, depth int) (added, ok bool) {
	if depth == 0 {
		return false, false
	}
	stem, index := len(a.name), 0
	keys := fields{rest: b} // advances over the keys in step with the entries
	ok = true
	f := fields{rest: b}
	for f.next() {
		one := true
		switch f.number {
		case pbfield.DebugAnnotation_NestedValue_IntValue:
			a.put(shownName(a.name), calltrace.Int(int64(f.value)))
		case pbfield.DebugAnnotation_NestedValue_DoubleValue:
			a.put(shownName(a.name), double(f.value))
		case pbfield.DebugAnnotation_NestedValue_BoolValue:
			a.put(shownName(a.name), calltrace.Bool(f.value != 0))
		case pbfield.DebugAnnotation_NestedValue_StringValue:
			a.put(shownName(a.name), calltrace.String(a.d.Text(f.raw)))
		case pbfield.DebugAnnotation_NestedValue_DictValues, pbfield.DebugAnnotation_NestedValue_ArrayValues:
			if f.number == pbfield.DebugAnnotation_NestedValue_ArrayValues {
				a.subscript(index)
			} else {
				for keys.next() && keys.number != pbfield.DebugAnnotation_NestedValue_DictKeys {
				}
				a.name = clean(append(a.name, '.'), keys.raw)
			}
			var whole bool
			one, whole = a.nestedValue(f.raw, depth-1)
			ok = ok && whole
			a.name = a.name[:stem]
			if one {
				index++
			}
		default:
			one = false
		}
		added = added || one
	}
	return added, ok && !f.bad
}

// json adds the contents of a JSON text; other text is added as a whole.
func (a *arguments) json(b []byte, depth int) (added, ok bool) {
	if !json.Valid(b) {
		a.put(shownName(a.name), calltrace.Unquoted(a.d.Text(b)))
		return true, true
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return a.jsonValue(d, depth)
}

// jsonValue adds the next value.
func (a *arguments) jsonValue(d *json.Decoder, depth int) (added, ok bool) {
	if depth == 0 {
		return false, false
	}
	token, err := d.Token()
	if err != nil {
		return false, false
	}
	var v format.Value
	switch token := token.(type) {
	case json.Delim:
		return a.jsonMembers(d, token == '{', depth)
	case nil:
		v = calltrace.Unquoted("null")
	case bool:
		v = calltrace.Bool(token)
	case string:
		v = calltrace.String(a.d.Text([]byte(token)))
	case json.Number:
		if n, err := token.Int64(); err == nil {
			v = calltrace.Int(n)
		} else if f, err := token.Float64(); err == nil {
			v = double(math.Float64bits(f))
		} else {
			v = calltrace.Unquoted(a.d.Text([]byte(token)))
		}
	}
	a.put(shownName(a.name), v)
	return true, true
}

// jsonMembers adds the members of an object, or the elements of an array.
func (a *arguments) jsonMembers(d *json.Decoder, object bool, depth int) (added, ok bool) {
	stem, index := len(a.name), 0
	for d.More() {
		if object {
			key, err := d.Token()
			name, isText := key.(string)
			if err != nil || !isText {
				return added, false
			}
			a.name = append(append(a.name, '.'), name[:min(len(name), max(0, maxPath-len(a.name)))]...)
		} else {
			a.subscript(index)
		}
		one, whole := a.jsonValue(d, depth-1)
		a.name = a.name[:stem]
		if !whole {
			return added || one, false
		}
		if one {
			index++
		}
		added = added || one
	}
	_, err := d.Token()
	return added, err == nil
}
