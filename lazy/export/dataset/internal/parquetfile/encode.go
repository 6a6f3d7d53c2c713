package parquetfile

import (
	"encoding/binary"
	"math"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
)

// compressor returns what compresses pages. Several goroutines may use it at once.
var compressor = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)),
		zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are wrong
	}
	return e
})

// encode encodes the values of the page into buf, and takes note of their bounds.
func (c *Column) encode() (how format.Encoding, err error) {
	switch c.leaf.kind {
	case Boolean:
		c.buf = appendBits(c.buf[:0], c.Booleans)
		return format.Plain, nil
	case Int32, Repeat32:
		c.stats.ints32(c.Int32s)
	case Int64, Repeat64:
		c.stats.ints64(c.Int64s)
	}
	switch c.leaf.kind {
	case Int32:
		c.buf, err = new(delta.BinaryPackedEncoding).EncodeInt32(c.buf[:0], c.Int32s)
		return format.DeltaBinaryPacked, err
	case Int64:
		c.buf, err = new(delta.BinaryPackedEncoding).EncodeInt64(c.buf[:0], c.Int64s)
		return format.DeltaBinaryPacked, err
	}
	if c.lookUp() {
		c.buf, err = new(rle.DictionaryEncoding).EncodeInt32(c.buf[:0], c.index)
		return format.RLEDictionary, err
	}
	return c.encodeEach()
}

// lookUp translates the values of the page to their numbers in the dictionary; ok is false if it has ended.
func (c *Column) lookUp() (ok bool) {
	d := &c.dictionary
	if d.ended {
		return false
	}
	c.index = c.index[:0]
	switch c.leaf.kind {
	case Name:
		for _, id := range c.Names {
			c.index = append(c.index, d.name(id))
		}
		return true
	case Text:
		from := uint32(0)
		for _, end := range c.Ends {
			c.index = append(c.index, d.text(c.Text[from:end]))
			from = end
		}
	case Repeat32:
		for _, n := range c.Int32s {
			c.index = append(c.index, d.number(uint64(uint32(n))))
		}
	case Repeat64:
		for _, n := range c.Int64s {
			c.index = append(c.index, d.number(uint64(n)))
		}
	case Double:
		for _, f := range c.Doubles {
			c.index = append(c.index, d.number(math.Float64bits(f)))
		}
	}
	d.judge(len(c.index))
	return true
}

// encodeEach encodes the values without a dictionary.
func (c *Column) encodeEach() (format.Encoding, error) {
	c.buf = c.buf[:0]
	switch c.leaf.kind {
	case Repeat32:
		for _, n := range c.Int32s {
			c.buf = binary.LittleEndian.AppendUint32(c.buf, uint32(n))
		}
	case Repeat64:
		for _, n := range c.Int64s {
			c.buf = binary.LittleEndian.AppendUint64(c.buf, uint64(n))
		}
	case Double:
		for _, f := range c.Doubles {
			c.buf = binary.LittleEndian.AppendUint64(c.buf, math.Float64bits(f))
		}
	default:
		c.offsets = append(append(c.offsets[:0], 0), c.Ends...)
		var err error
		c.buf, err = new(delta.LengthByteArrayEncoding).EncodeByteArray(c.buf, c.Text, c.offsets)
		return format.DeltaLengthByteArray, err
	}
	return format.Plain, nil
}

// appendBits appends truth values, the first in the lowest bit.
func appendBits(dst, src []byte) []byte {
	for len(src) > 0 {
		b := byte(0)
		n := min(8, len(src))
		for i, bit := range src[:n] {
			b |= bit << i
		}
		dst, src = append(dst, b), src[n:]
	}
	return dst
}
