package perfetto

import (
	"bytes"
	"compress/zlib"
	"io"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"
)

// unpacker decompresses packets within packets.
type unpacker struct {
	deflate io.ReadCloser // nil until needed
	zstd    *zstd.Decoder
	packed  []byte // scratch for the decompressed packets
	within  bool   // the current packets are from a compressed one
}

// zstdWindow is how far back compressed bytes may refer, in bytes: enough for all
// levels that need no more than the usual memory.
const zstdWindow = 8 << 20

// open returns a reader that decompresses a packet's data, by the method of its
// kind.
func (u *unpacker) open(p *packet) (r io.Reader, err error) {
	in := bytes.NewReader(p.data)
	switch {
	case p.kind == packetZstd && u.zstd != nil:
		return u.zstd, u.zstd.Reset(in)
	case p.kind == packetZstd:
		u.zstd, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(zstdWindow))
		return u.zstd, err
	case u.deflate != nil:
		return u.deflate, u.deflate.(zlib.Resetter).Reset(in, nil)
	}
	if u.deflate, err = zlib.NewReader(in); err != nil {
		u.deflate = nil
	}
	return u.deflate, err
}

func (u *unpacker) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}

// compressed reports whether packets of a kind contain compressed packets.
func compressed(kind protowire.Number) bool { return kind == packetDeflated || kind == packetZstd }

// unpack converts the packets that a packet holds compressed.
func (c *Converter) unpack(p packet) error {
	u := &c.unpacker
	if u.within {
		c.left.Count(damaged, 1, p.offset)
		return nil
	}
	in, err := u.open(&p)
	if err != nil {
		c.left.Count(damaged, 1, p.offset)
		return nil
	}
	u.within = true
	defer func() { u.within = false }()
	f := framer{r: in, buf: u.packed[:0], tooLarge: func(int64) { c.left.Count(largePackets, 1, p.offset) }}
	defer func() {
		if cap(f.buf) <= 16*framerBuffer { // larger only for a packet of that size
			u.packed = f.buf
		}
	}()
	for {
		b, _, err := f.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			c.left.Count(damaged, 1, p.offset)
			return nil
		}
		if err := c.packet(b, p.offset); err != nil {
			return err
		}
	}
}
