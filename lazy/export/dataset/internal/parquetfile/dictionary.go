package parquetfile

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
)

// Bounds of a dictionary: values, and bytes of their texts. Readers hold it in memory.
const (
	mostEntries = 1 << 16
	mostText    = 1 << 20
)

// dictionary numbers the values of a chunk that differ, from 0.
type dictionary struct {
	kind  Kind
	ended bool // what follows is not looked up

	entries int
	numbers []uint64 // of entries that are numbers: the bits
	ids     []int32  // of names
	texts   []byte   // of texts, one after the other
	ends    []uint32

	slots []int32         // by the lowest bits of a hash, with the next free one taken: number + 1; 0 if free
	names map[int32]int32 // numbers of names that are not in dense
	dense []int32         // by the id of a name: number + 1
	seed  maphash.Seed
	salt  uint64
}

// densest bounds the ids of names whose numbers are found without hashing.
const densest = 1 << 16

func (d *dictionary) reset(kind Kind) {
	if d.kind = kind; d.slots == nil {
		d.slots, d.seed, d.salt = make([]int32, 1<<8), maphash.MakeSeed(), rand.Uint64()
	}
	d.ended = kind == Boolean || kind == Int32 || kind == Int64
	d.entries = 0
	d.numbers, d.ids, d.texts, d.ends = d.numbers[:0], d.ids[:0], d.texts[:0], d.ends[:0]
	clear(d.slots)
	clear(d.dense)
	clear(d.names)
}

// judge ends the dictionary after a page of so many values if it is full, or if most values are new.
func (d *dictionary) judge(values int) {
	d.ended = d.entries >= mostEntries || len(d.texts) >= mostText || d.entries > 256 && d.entries > values/2
}

// name returns the number of a name.
func (d *dictionary) name(id int32) int32 {
	if uint32(id) < uint32(len(d.dense)) && d.dense[id] > 0 {
		return d.dense[id] - 1
	}
	if n, ok := d.names[id]; ok {
		return n
	}
	n := int32(d.entries)
	d.entries++
	d.ids = append(d.ids, id)
	if id < 0 || id >= densest {
		if d.names == nil {
			d.names = make(map[int32]int32)
		}
		d.names[id] = n
		return n
	}
	for int(id) >= len(d.dense) {
		d.dense = append(d.dense, make([]int32, max(256, len(d.dense)))...)
	}
	d.dense[id] = n + 1
	return n
}

// number returns the number of a number.
func (d *dictionary) number(b uint64) int32 {
	mask := len(d.slots) - 1
	i := d.slot(b) & mask
	for ; d.slots[i] > 0; i = (i + 1) & mask {
		if n := d.slots[i] - 1; d.numbers[n] == b {
			return n
		}
	}
	d.numbers = append(d.numbers, b)
	return d.take(i)
}

// slot returns the hash of a number. It differs from run to run, as that of texts does: no trace can have
// numbers that are slow to look up.
func (d *dictionary) slot(b uint64) int {
	high, low := bits.Mul64(b^d.salt, 0x9e3779b97f4a7c15)
	return int(uint32(high ^ low ^ low>>32))
}

// text returns the number of a text.
func (d *dictionary) text(b []byte) int32 {
	mask := len(d.slots) - 1
	i := int(maphash.Bytes(d.seed, b)) & mask
	for ; d.slots[i] > 0; i = (i + 1) & mask {
		if n := d.slots[i] - 1; bytes.Equal(d.entry(n), b) {
			return n
		}
	}
	d.texts = append(d.texts, b...)
	d.ends = append(d.ends, uint32(len(d.texts)))
	return d.take(i)
}

// entry returns a text by its number.
func (d *dictionary) entry(n int32) []byte {
	from := uint32(0)
	if n > 0 {
		from = d.ends[n-1]
	}
	return d.texts[from:d.ends[n]]
}

// take takes a slot for a new entry.
func (d *dictionary) take(slot int) int32 {
	n := int32(d.entries)
	d.entries++
	if d.slots[slot] = n + 1; 2*d.entries > len(d.slots) {
		d.grow()
	}
	return n
}

// grow makes room for twice as many entries.
func (d *dictionary) grow() {
	d.slots = make([]int32, 1<<bits.Len(uint(2*len(d.slots)-1)))
	mask := len(d.slots) - 1
	for n := range int32(d.entries) {
		var i int
		if d.kind == Text {
			i = int(maphash.Bytes(d.seed, d.entry(n))) & mask
		} else {
			i = d.slot(d.numbers[n]) & mask
		}
		for d.slots[i] > 0 {
			i = (i + 1) & mask
		}
		d.slots[i] = n + 1
	}
}

// appendPlain appends the entries as the dictionary page has them, PLAIN: of texts the length (4 bytes) is before
// each.
func (d *dictionary) appendPlain(dst []byte, names func(int32) string) []byte {
	le := binary.LittleEndian
	switch d.kind {
	case Name:
		for _, id := range d.ids {
			s := names(id)
			dst = append(le.AppendUint32(dst, uint32(len(s))), s...)
		}
	case Text:
		for n := range int32(d.entries) {
			b := d.entry(n)
			dst = append(le.AppendUint32(dst, uint32(len(b))), b...)
		}
	case Repeat32:
		for _, b := range d.numbers {
			dst = le.AppendUint32(dst, uint32(b))
		}
	default:
		for _, b := range d.numbers {
			dst = le.AppendUint64(dst, b)
		}
	}
	return dst
}
