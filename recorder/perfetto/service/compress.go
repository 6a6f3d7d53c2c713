package service

import (
	"bytes"
	"compress/zlib"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

// packer compresses packets. The zero value is ready to use.
type packer struct {
	buf  bytes.Buffer
	zstd *zstd.Encoder // nil until needed
	out  []byte
}

// compress merges the packets of the step into one compressed packet, if the config
// asks for it. If the config asks for both methods, it takes the newer.
func (d *drain) compress() {
	c := d.n.config
	field, packed := protowire.Number(0), []byte(nil)
	switch {
	case len(d.buf) == 0:
		return
	case c.GetCompression().GetZstd() != nil:
		field, packed = tracebuf.FieldZstdCompressed, d.packed.zstdOf(d.buf, int(c.GetCompression().GetZstd().GetLevel()))
	case c.GetCompression().GetDeflate() != nil || c.GetCompressionType() == messages.TraceConfig_COMPRESSION_TYPE_DEFLATE:
		field, packed = tracebuf.FieldCompressed, d.packed.deflateOf(d.buf)
	}
	if packed == nil {
		return
	}
	packet := protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), packed)
	d.buf = protowire.AppendBytes(protowire.AppendTag(d.buf[:0], fieldPacket, protowire.BytesType), packet)
	d.sizes = append(d.sizes[:0], len(d.buf))
}

// deflateOf returns b compressed, or nil if that fails. The result is valid until
// the next call.
func (p *packer) deflateOf(b []byte) []byte {
	p.buf.Reset()
	w, err := zlib.NewWriterLevel(&p.buf, zlib.DefaultCompression)
	if err == nil {
		_, err = w.Write(b)
	}
	if err != nil || w.Close() != nil {
		return nil // impossible: it writes to memory
	}
	return p.buf.Bytes()
}

// zstdOf is like deflateOf, for zstd. Levels are those of the zstd command; 0 means
// the default.
func (p *packer) zstdOf(b []byte, level int) []byte {
	if p.zstd == nil {
		of := zstd.SpeedDefault
		if level != 0 {
			of = zstd.EncoderLevelFromZstd(level)
		}
		// One step is compressed at a time, so a larger window would be of no use.
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(of), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(2*readBytes), zstd.WithLowerEncoderMem(true))
		if err != nil {
			return nil // impossible: the options are valid
		}
		p.zstd = e
	}
	p.out = p.zstd.EncodeAll(b, p.out[:0])
	return p.out
}
