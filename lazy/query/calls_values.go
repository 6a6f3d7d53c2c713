package query

import (
	"cmp"
	"hash/fnv"
	"math"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
)

// callValue is the value of a call in a column of texts. The zero value is absent.
type callValue struct {
	kind  valueClass
	n     int64   // of integers; the id of a thread
	f     float64 // of numbers with a fraction
	raw   string  // of a string, without quotes
	text  string  // as shown; of what was thrown, the full class name
	event int32   // of a call around
	at    int64   // its place
}

// valueClass orders values: numbers by their size are before texts.
type valueClass uint8

const (
	valueAbsent valueClass = iota
	valueInteger
	valueFraction
	valueOther
	valueLiteral // true, false, null
	valueString  // a string: text is in quotes
	valueThrown
	valueThread
	valueCall // a call around
)

// number reports whether values compare by size.
func (v *callValue) number() bool { return v.kind == valueInteger || v.kind == valueFraction }

// compare puts numbers first, by size, then texts. Both must be there.
func (v *callValue) compare(o *callValue) int {
	if v.number() && o.number() {
		switch {
		case v.kind == valueInteger && o.kind == valueInteger:
			return cmp.Compare(v.n, o.n)
		case v.kind == valueInteger:
			return compareFraction(v.n, o.f)
		case o.kind == valueInteger:
			return -compareFraction(o.n, v.f)
		}
		return cmp.Compare(v.f, o.f)
	}
	if v.number() != o.number() {
		if v.number() {
			return -1
		}
		return 1
	}
	if v.kind == valueThread && o.kind == valueThread {
		return cmp.Compare(v.n, o.n)
	}
	return cmp.Or(cmp.Compare(b2i(v.kind == valueThrown), b2i(o.kind == valueThrown)), strings.Compare(v.text, o.text), cmp.Compare(v.event, o.event))
}

// compareFraction compares an integer with a fraction, which is not exact as a comparison of fractions. They are
// never equal: the integer comes first, or what is no number.
func compareFraction(n int64, f float64) int {
	if f >= 1<<63 || f >= -1<<63 && n <= int64(math.Floor(f)) {
		return -1
	}
	return 1
}

// appendJSON appends the value as JSON: numbers, truth values and null as such, strings without
// quotes, others as shown.
func (v *callValue) appendJSON(b []byte) []byte {
	switch v.kind {
	case valueAbsent:
		return append(b, "null"...)
	case valueInteger, valueFraction:
		if v.kind == valueInteger || !math.IsNaN(v.f) && !math.IsInf(v.f, 0) {
			if v.kind == valueInteger {
				return strconv.AppendInt(b, v.n, 10)
			}
			return strconv.AppendFloat(b, v.f, 'g', -1, 64)
		}
	case valueLiteral:
		return append(b, v.text...)
	}
	if v.kind == valueString {
		return format.AppendJSONString(b, v.raw)
	}
	return format.AppendJSONString(b, v.text)
}

// shown is the value as rows show it.
func (v *callValue) shown(threw string) string {
	switch v.kind {
	case valueInteger:
		return strconv.FormatInt(v.n, 10)
	case valueThrown:
		return threw + thrownName(v.text)
	case valueCall:
		return v.text + " #" + strconv.Itoa(int(v.event))
	}
	return v.text
}

// appendKey appends what no other value has.
func (v *callValue) appendKey(b []byte) []byte {
	b = append(b, '0'+byte(v.kind))
	switch v.kind {
	case valueInteger, valueThread:
		return strconv.AppendInt(b, v.n, 10)
	case valueCall:
		return strconv.AppendInt(append(strconv.AppendInt(b, v.at, 10), ' '), int64(v.event), 10)
	}
	return append(b, v.text...)
}

// key is appendKey as a text.
func (v *callValue) key() string { return string(v.appendKey(nil)) }

// recordedValue returns a recorded value.
func recordedValue(c *format.Context, v *format.Value) (out callValue) {
	switch v.Kind {
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong:
		out.kind, out.n = valueInteger, v.Bits
		return out
	case format.ValueFloat, format.ValueDouble:
		out.kind, out.f = valueFraction, v.Float()
	case format.ValueString:
		out.kind, out.text = valueString, shorten(string(c.AppendValueText(nil, v)))
		if out.raw = shorten(v.Text); len(out.text) == len(out.raw)+2 {
			out.raw = out.text[1 : len(out.text)-1] // shares its memory
		} else {
			out.raw = strings.Clone(out.raw)
		}
		return out
	case format.ValueBoolean, format.ValueNull:
		out.kind = valueLiteral
	default:
		out.kind = valueOther
	}
	out.text = shorten(string(c.AppendValueText(nil, v)))
	return out
}

// valueOf returns a recorded value; nothing for nil.
func valueOf(c *format.Context, v *format.Value) (out callValue) {
	if v == nil {
		return out
	}
	return recordedValue(c, v)
}

// thrownName names what a call threw, from the full name of its class.
func thrownName(class string) string {
	if class == "" {
		return "threw"
	}
	return format.ShortClass(class)
}

// longestText bounds the texts of values that are kept, in bytes. Longer ones end in their hash.
const longestText = 1 << 10

// shorten makes a long text shorter.
func shorten(text string) string {
	if len(text) <= longestText {
		return text
	}
	h := fnv.New64a()
	h.Write([]byte(text))
	return text[:longestText] + "… #" + strconv.FormatUint(h.Sum64(), 16)
}

// valueTable numbers different values. It is for one goroutine.
type valueTable struct {
	list  []callValue
	ids   map[string]int32
	ints  map[int64]int32
	names map[idOf]string // of what values name by an id
	key   []byte
}

// idOf is an id: of a method, a thread, a location.
type idOf struct {
	kind  columnKind
	id    int32
	flags int16
}

// clear forgets all values. It keeps the names of ids.
func (t *valueTable) clear() {
	clear(t.list)
	t.list = t.list[:0]
	clear(t.ids)
	clear(t.ints)
}

// number returns the number of a value, from 0.
func (t *valueTable) number(v callValue) int32 {
	if v.kind == valueInteger {
		if n, ok := t.ints[v.n]; ok {
			return n
		}
		if t.ints == nil {
			t.ints = make(map[int64]int32)
		}
		t.ints[v.n] = int32(len(t.list))
	} else {
		t.key = v.appendKey(t.key[:0])
		if n, ok := t.ids[string(t.key)]; ok {
			return n
		}
		if t.ids == nil {
			t.ids = make(map[string]int32)
		}
		t.ids[string(t.key)] = int32(len(t.list))
	}
	t.list = append(t.list, v)
	return int32(len(t.list) - 1)
}

// named returns the value with the name of an id.
func (t *valueTable) named(id idOf, name func() string) callValue {
	text, ok := t.names[id]
	if !ok {
		if t.names == nil {
			t.names = make(map[idOf]string)
		}
		text = name()
		t.names[id] = text
	}
	return callValue{kind: valueOther, text: text}
}

// openHere is an open call.
type openHere struct {
	found int32 // number among the calls found in the part, notFound, or ^k for the k-th around it
	outer bool  // no other call found is around it
	vague bool  // a call directly in it has no time
	how   hiding
	shown int32 // number of the innermost call on the stack that no step hides, from 1: this one or one around it; 0 if none
	seen  int64 // points visited before it; 0 if it began before the part
	calls int64 // ns: of the calls directly in it, in this part
}

const notFound = 1<<31 - 1

// has adds the time of a call directly in this one.
func (o *openHere) has(t lazy.Time) {
	o.calls += max(0, t.Duration)
	o.vague = o.vague || t.Duration < 0
}

// join adds what a later part found out about the calls in an open call.
func (o *openHere) join(later *openHere) {
	o.calls += later.calls
	o.vague = o.vague || later.vague
}

// endedCall is a call that was found and has ended.
type endedCall struct {
	openHere
	at     int64
	time   lazy.Time // a negative duration if not known
	event  int32
	thread int32
	value  int32 // in values, of the column that sorts or groups
	result int32 // in results; -1 if not asked for
	state  lazy.State
	threw  bool
}

// self returns the time of a call without that of the calls in it; ok is false if it is not known.
func (e *endedCall) self() (ns int64, ok bool) {
	if e.time.Duration < 0 || e.openHere.vague {
		return 0, false
	}
	return max(0, e.time.Duration-e.openHere.calls), true
}
