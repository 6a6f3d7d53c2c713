package instrumented

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"testing"

	"tracex/format"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

// commonTypes are types for which common values are encoded, and those for which they are not.
func commonTypes() []*typ {
	var list []*typ
	for kind := reflect.Invalid; kind <= reflect.UnsafePointer; kind++ {
		for s := notSpecial; s <= own; s++ {
			t := newType(&raw.Type{ID: 1, Kind: kind, Name: kind.String()})
			t.special, t.number = s, numberKind(kind, s)
			list = append(list, t)
		}
	}
	return list
}

// TestCommon: the fast path encodes common values as encoder.value does.
func TestCommon(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	texts := []string{"", "a", "\x00", "éa", "\xff", "a longer text of 7-bit characters\x7f", string(make([]byte, 255))}
	for _, version := range []format.Version{format.V22, format.V27} {
		dict := newDictionary(version)
		p := program{dict: &dict, types: types{all: map[uint32]*typ{}}, more: func(bool) {}}
		e := encoder{p: &p, layout: values.LayoutOf(int(version))}
		common, all := map[byte]int{}, commonTypes()
		for round := range 20_000 {
			one := all[random.IntN(len(all))]
			p.referred(one) // a pointer to an unknown type is not a common value
			tag := byte(random.IntN(raw.ValueTest + 2))
			data := binary.LittleEndian.AppendUint64([]byte{tag}, random.Uint64()>>random.IntN(64))
			if tag == raw.ValueString {
				text := texts[random.IntN(len(texts))]
				data = append([]byte{tag, byte(len(text))}, text...)
			}
			data = append(data, make([]byte, random.IntN(40))...)
			if random.IntN(8) == 0 {
				data = data[:1+random.IntN(len(data)-1)]
			}
			before := []byte("before")
			e.c, e.b = raw.Cursor{B: data}, bytes.Clone(before)
			e.value(one, 0, 0)
			want, at, bad := e.b, e.c.At, e.c.Bad
			e.c = raw.Cursor{B: data}
			got := bytes.Clone(before)[:len(before):len(before)]
			got = e.values(got, []*typ{one})
			if e.c.Bad != bad || !bad && (!bytes.Equal(got, want) || e.c.At != at) {
				t.Fatalf("round %d, version %d: % x of %s is % x, bad %v, read %d; expected % x, %v, %d", round, version, data, one.Kind, got, e.c.Bad, e.c.At, want, bad, at)
			}
			if len(data) >= commonSize {
				if _, n := e.common(nil, data, one); n > 0 {
					common[tag]++
				}
			}
		}
		for _, tag := range []byte{raw.ValueNil, raw.ValueFalse, raw.ValueTrue, raw.ValueInt8, raw.ValueInt32, raw.ValueUint8, raw.ValueString, raw.ValueAddress} {
			if common[tag] == 0 {
				t.Errorf("version %d: no value %d was common", version, tag)
			}
		}
	}
}
