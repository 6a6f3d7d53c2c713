package query

import (
	"hash/maphash"
	"math"
	"strings"
)

// packedValues numbers different values, as a valueTable does, in less memory: 16 bytes for each, some 12
// to find it, and its text. It keeps only what compares them.
type packedValues struct {
	list  []packedValue
	texts []*strings.Builder // of packedTexts bytes each, which do not move
	size  int                // bytes of all texts
	index []uint32           // number + 1, by hash: an open table, at most half full
	seed  maphash.Seed
}

// packedValue is a callValue.
type packedValue struct {
	number int64  // an integer, the bits of a fraction, a thread, or the event of a call
	at     uint32 // of the text: index of the builder times packedTexts, and the offset there
	length uint16 // of the text; longer ones are cut
	kind   valueClass
}

const packedTexts = 1 << 16

// add returns the number of a value, from 0.
func (t *packedValues) add(v *callValue) int32 {
	p, text := packedValue{kind: v.kind}, v.text
	switch v.kind {
	case valueInteger, valueThread:
		p.number, text = v.n, ""
	case valueFraction:
		p.number, text = int64(math.Float64bits(v.f)), ""
	case valueCall:
		p.number = int64(v.event)
	}
	text = text[:min(len(text), packedTexts-1)]
	p.length = uint16(len(text))
	if 2*len(t.list) >= len(t.index) {
		t.rehash()
	}
	at := t.find(&p, text)
	if n := t.index[at]; n > 0 {
		return int32(n - 1)
	}
	last := len(t.texts) - 1
	if last < 0 || t.texts[last].Len()+len(text) > packedTexts {
		b := new(strings.Builder)
		b.Grow(packedTexts)
		t.texts = append(t.texts, b)
		last++
	}
	p.at = uint32(last*packedTexts + t.texts[last].Len())
	t.texts[last].WriteString(text)
	t.size += len(text)
	t.list = append(t.list, p)
	t.index[at] = uint32(len(t.list))
	return int32(len(t.list) - 1)
}

// find returns where a value is in the index, or belongs.
func (t *packedValues) find(p *packedValue, text string) uint64 {
	mask := uint64(len(t.index) - 1)
	at := t.hash(p, text) & mask
	for ; t.index[at] > 0; at = (at + 1) & mask {
		o := &t.list[t.index[at]-1]
		if o.kind == p.kind && o.number == p.number && o.length == p.length && t.text(o) == text {
			break
		}
	}
	return at
}

func (t *packedValues) hash(p *packedValue, text string) uint64 {
	h := maphash.String(t.seed, text) ^ uint64(p.number)*0x9e3779b97f4a7c15 ^ uint64(p.kind)
	return h ^ h>>32
}

// rehash doubles the index.
func (t *packedValues) rehash() {
	if t.index == nil {
		t.seed = maphash.MakeSeed()
	}
	t.index = make([]uint32, max(1<<10, 2*len(t.index)))
	for i := range t.list {
		p := &t.list[i]
		t.index[t.find(p, t.text(p))] = uint32(i + 1)
	}
}

// text returns the text of a value. It shares the memory of all.
func (t *packedValues) text(p *packedValue) string {
	if p.length == 0 {
		return ""
	}
	from := p.at % packedTexts
	return t.texts[p.at/packedTexts].String()[from : from+uint32(p.length)]
}

// value returns a value, with what compares it.
func (t *packedValues) value(n int32) callValue {
	p := &t.list[n]
	v := callValue{kind: p.kind, text: t.text(p)}
	switch p.kind {
	case valueFraction:
		v.f = math.Float64frombits(uint64(p.number))
	case valueCall:
		v.event = int32(p.number)
	default:
		v.n = p.number
	}
	return v
}

// bytes returns how much memory the values take.
func (t *packedValues) bytes() int {
	return 16*cap(t.list) + packedTexts*len(t.texts) + 4*len(t.index)
}
