package calltrace

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"tracex/format"
	"tracex/recorder/convert/fit"
)

// Limits of a value that is made of one of the input.
const (
	mostParts   = 1 << 10   // values in it, at all depths
	mostLetters = 128 << 10 // bytes of its texts
	mostDepth   = 32
)

// Value returns the value of what an input has, as far as it is within limits: nil, a bool, a number
// of any type, a [json.Number], a string, a []any, a map[string]any, whose fields are sorted by name,
// or a [format.Value]. Anything else becomes "…", as does what is nested too deeply. Objects and lists
// have a class without a name.
func (w *Writer) Value(x any) format.Value {
	m := valueMaker{w: w, parts: mostParts, letters: mostLetters}
	return m.of(x, 0)
}

// JSON is Value for a JSON text, whose fields keep their order. A text that is none is returned as
// one without quotes.
func (w *Writer) JSON(text []byte) format.Value {
	m := valueMaker{w: w, parts: mostParts, letters: mostLetters}
	if !json.Valid(text) {
		return Unquoted(m.text(string(text)))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return m.next(d, 0)
}

// valueMaker makes one value.
type valueMaker struct {
	w              *Writer
	parts, letters int // what there is room for
}

// room reports whether there is room for another value at a depth.
func (m *valueMaker) room(depth int) bool {
	m.parts--
	return m.parts >= 0 && depth <= mostDepth
}

// text cuts a text for which there is no room.
func (m *valueMaker) text(s string) string {
	if len(s) > m.letters {
		m.w.left.Count(largeValue, 1, -1)
		end := m.letters
		for end > 0 && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end] + "…"
	}
	m.letters -= min(len(s), m.letters)
	return s
}

func (m *valueMaker) mark() format.Value {
	m.w.left.Count(largeValue, 1, -1)
	return Unquoted("…")
}

func (m *valueMaker) of(x any, depth int) format.Value {
	if !m.room(depth) {
		return m.mark()
	}
	switch x := x.(type) {
	case nil:
		return Null()
	case bool:
		return Bool(x)
	case string:
		return String(m.text(x))
	case json.Number:
		return Number(m.text(string(x)))
	case format.Value:
		return x
	case []any:
		var list []format.Value
		for i := 0; i < len(x) && m.parts > 0; i++ {
			list = append(list, m.of(x[i], depth+1))
		}
		return m.w.ListOf(list, len(x))
	case map[string]any:
		var fields []format.CapturedField
		for _, name := range slices.Sorted(maps.Keys(x)) {
			if m.parts <= 0 {
				break
			}
			fields = append(fields, format.CapturedField{Name: m.text(name), Value: m.of(x[name], depth+1)})
		}
		return m.w.ObjectOf(fields, len(x))
	}
	return m.number(x)
}

// number returns the value of a number of a type of the language.
func (m *valueMaker) number(x any) format.Value {
	switch x := x.(type) {
	case int:
		return Int(int64(x))
	case int32:
		return Int(int64(x))
	case int64:
		return Int(x)
	case uint32:
		return Int(int64(x))
	case uint64:
		return Uint(x)
	case float32:
		return Float(float64(x))
	case float64:
		return Float(x)
	}
	return m.mark()
}

// next returns the next value of a valid text.
func (m *valueMaker) next(d *json.Decoder, depth int) format.Value {
	token, err := d.Token()
	if err != nil {
		return m.mark() // impossible: the text is valid
	}
	open, nested := token.(json.Delim)
	switch {
	case !nested:
		return m.of(token, depth)
	case !m.room(depth):
		skip(d, 1)
		return m.mark()
	case open == '{':
		var fields []format.CapturedField
		n := 0
		for ; d.More(); n++ {
			name, _ := d.Token()
			if text, ok := name.(string); ok && m.parts > 0 {
				fields = append(fields, format.CapturedField{Name: m.text(text), Value: m.next(d, depth+1)})
				continue
			}
			skip(d, 0)
		}
		_, _ = d.Token()
		return m.w.ObjectOf(fields, n)
	}
	var list []format.Value
	n := 0
	for ; d.More(); n++ {
		if m.parts > 0 {
			list = append(list, m.next(d, depth+1))
			continue
		}
		skip(d, 0)
	}
	_, _ = d.Token()
	return m.w.ListOf(list, n)
}

// ObjectOf returns an object without a class, shown as {a:1}. Its whole has n fields: if some are missing,
// that is counted and shown.
func (w *Writer) ObjectOf(fields []format.CapturedField, n int) format.Value {
	if len(fields) < n {
		w.left.Count(largeValue, 1, -1)
		fields = append(fields, format.CapturedField{Name: format.MoreFields, Value: Null()})
	}
	if len(fields) == 0 {
		return w.unquoted("{}")
	}
	return Object(w.nameless(), 0, fields)
}

// ListOf returns an array without a class, shown as [1, 2]. Its whole has n elements.
func (w *Writer) ListOf(elements []format.Value, n int) format.Value {
	switch {
	case len(elements) < n:
		w.left.Count(largeValue, 1, -1)
	case n == 0:
		return w.unquoted("[]")
	}
	return List(w.nameless(), elements, n)
}

// nameless returns the number of the class without a name.
func (w *Writer) nameless() int32 {
	if w.class == 0 {
		w.class = w.Class("") + 1
	}
	return w.class - 1
}

// unquoted is Unquoted in the kind that the version has, which need not be mended.
func (w *Writer) unquoted(text string) format.Value {
	v := Unquoted(text)
	fit.Unquoted(&v, w.options.Version)
	return v
}

// skip skips the rest of a value of which so many lists and objects are open; with 0, a whole value.
func skip(d *json.Decoder, open int) {
	for {
		token, err := d.Token()
		if err != nil {
			return
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			open++
		case json.Delim('}'), json.Delim(']'):
			open--
		}
		if open <= 0 {
			return
		}
	}
}
