package query

import (
	"hash/fnv"
	"slices"
	"strconv"
)

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

// text reports whether the column has values, not times or numbers of events.
func (c *callColumn) text() bool {
	switch c.kind {
	case columnNone, columnEvent, columnDuration, columnSelf, columnEvents, columnStart:
		return false
	}
	return true
}

// asks reports whether a method is that of columnIn.
func (c *callColumn) asks(method int32, v *callsPart) bool {
	i := slices.IndexFunc(v.asked, func(t methodTest) bool { return t.of == c.in })
	if i < 0 {
		i = len(v.asked)
		v.asked = append(v.asked, newMethodTest(c.in))
	}
	return v.asked[i].matches(method)
}
