package perfetto

import (
	"bytes"
	"encoding/json"
	"math"

	"tracex/format"
	"tracex/format/pbfield"
	"tracex/recorder/convert/calltrace"
)

// Numbers of fields of a NestedValue, the older form of nesting, and its kinds.
const (
	nestedKey     = pbfield.DebugAnnotation_NestedValue_DictKeys
	nestedEntry   = pbfield.DebugAnnotation_NestedValue_DictValues
	nestedElement = pbfield.DebugAnnotation_NestedValue_ArrayValues
	nestedInt     = pbfield.DebugAnnotation_NestedValue_IntValue
	nestedDouble  = pbfield.DebugAnnotation_NestedValue_DoubleValue
	nestedBool    = pbfield.DebugAnnotation_NestedValue_BoolValue
	nestedString  = pbfield.DebugAnnotation_NestedValue_StringValue
)

// nestedValue adds the contents of a NestedValue, under the name a.name.
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
		case nestedInt:
			a.put(shownName(a.name), calltrace.Int(int64(f.value)))
		case nestedDouble:
			a.put(shownName(a.name), double(f.value))
		case nestedBool:
			a.put(shownName(a.name), calltrace.Bool(f.value != 0))
		case nestedString:
			a.put(shownName(a.name), calltrace.String(a.d.Text(f.raw)))
		case nestedEntry, nestedElement:
			if f.number == nestedElement {
				a.subscript(index)
			} else {
				for keys.next() && keys.number != nestedKey {
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
