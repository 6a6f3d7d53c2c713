package perfetto

import (
	"bytes"
	"compress/zlib"
	"io"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"
)

// unpacker undoes the compression of packets in packets.
type unpacker struct {
	deflate io.ReadCloser // nil: nothing was compressed so yet
	zstd    *zstd.Decoder
	packed  []byte // room for what comes out
	within  bool   // packets come out of a compressed one
}

// zstdWindow is how far back compressed bytes may refer, in bytes: as far as all
// levels do that need no more than the usual memory.
const zstdWindow = 8 << 20

// open returns a reader of what is compressed in b, in the way that a kind of packet
// says.
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

// compressed reports whether packets of a kind hold packets.
func compressed(kind protowire.Number) bool { return kind == packetDeflated || kind == packetZstd }

// unpack takes in the packets that a packet holds compressed.
func (c *Converter) unpack(p packet) error {
	u := &c.unpacker
	if u.within {
		c.left.leave(damaged, &p)
		return nil
	}
	in, err := u.open(&p)
	if err != nil {
		c.left.leave(damaged, &p)
		return nil
	}
	u.within = true
	defer func() { u.within = false }()
	f := framer{r: in, buf: u.packed[:0], tooLarge: func(int64) { c.left.leave(largePackets, &p) }}
	defer func() {
		if cap(f.buf) <= 16*framerBuffer { // more, only a packet of that size needs
			u.packed = f.buf
		}
	}()
	for {
		b, _, err := f.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			c.left.leave(damaged, &p)
			return nil
		}
		if err := c.packet(b, p.offset); err != nil {
			return err
		}
	}
}
