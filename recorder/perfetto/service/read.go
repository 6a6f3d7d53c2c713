package service

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"fmt"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

// drain reads a session's data, some at a time, so that others can take the lock in between.
// What it has read is removed from the session.
type drain struct {
	n      *session
	opened bool
	buffer int  // being read
	begun  bool // its iterator is valid
	wrote  uint64
	done   bool
	sizes  []int // of the packets of the last read, in bytes
	buf    []byte
	packed packer
	stamp  stamp
}

// restart begins to read the data added since done was set.
func (d *drain) restart() {
	d.opened, d.buffer, d.begun, d.wrote, d.done = false, 0, false, 0, false
}

// read reads packets, about most bytes, and returns them in the format of a trace
// file. They are valid until the next read. Called with mu held.
func (d *drain) read(most int) []byte {
	if d.buf == nil {
		d.buf = make([]byte, 0, most+most/8)
	}
	d.buf, d.sizes = d.buf[:0], d.sizes[:0]
	if d.done || d.n.state != sessionCloned && d.n.triggers.wait() {
		d.done = true
		return nil
	}
	if !d.opened {
		d.own(d.n.packets.first(d.n.buffers.all, &d.n.triggers))
		d.opened = true
	}
	for d.buffer < len(d.n.buffers.all) && len(d.buf) < most {
		b := d.n.buffers.all[d.buffer]
		if changes := b.Stats().Changes(); !d.begun || d.wrote != changes {
			b.BeginRead()
			d.begun, d.wrote = true, changes
		}
		if !d.packets(b, most) {
			d.buffer++
			d.begun = false
		}
	}
	if d.buffer >= len(d.n.buffers.all) && len(d.buf) < most {
		d.own(d.n.packets.last(d.n.stats))
		d.done = true
	}
	d.compress()
	return d.buf
}

// packets reads from a buffer. It returns false when the buffer has no more.
func (d *drain) packets(b *tracebuf.Buffer, most int) bool {
	for len(d.buf) < most {
		p, ok := b.ReadNextPacket()
		if !ok {
			return false
		}
		if len(p.Parts) == 0 {
			continue
		}
		whole := p.Parts[0]
		if len(p.Parts) > 1 {
			whole = bytes.Join(p.Parts, nil)
		}
		if !tracebuf.Acceptable(whole) {
			d.n.packets.invalid++
			continue
		}
		before := len(d.buf)
		d.stamp.of(&p, d.n.packets.sequence)
		d.buf = appendPacket(d.buf, &p, &d.stamp)
		d.sizes = append(d.sizes, len(d.buf)-before)
	}
	return true
}

func (d *drain) own(list []*messages.TracePacket) {
	for _, p := range list {
		b, err := proto.Marshal(p)
		if err != nil {
			continue // a text from a client is not valid UTF-8: leave the packet out
		}
		if marker := p.GetSynchronizationMarker(); marker != nil {
			// Readers that search for the marker expect exactly these fields, in this order.
			b = appendVarint(b[:0], tracebuf.FieldTrustedUID, uint64(int64(p.GetTrustedUid())))
			b = appendVarint(b, tracebuf.FieldSequenceID, uint64(p.GetTrustedPacketSequenceId()))
			b = protowire.AppendBytes(protowire.AppendTag(b, tracebuf.FieldSyncMarker, protowire.BytesType), marker)
		}
		before := len(d.buf)
		d.buf = protowire.AppendTag(d.buf, fieldPacket, protowire.BytesType)
		d.buf = protowire.AppendBytes(d.buf, b)
		d.sizes = append(d.sizes, len(d.buf)-before)
	}
}

const (
	// readBytes is about how much is read at once.
	readBytes = 256 << 10
	// maxSlice is the most bytes of a packet that one reply carries, so that its frame stays
	// below 128 KiB.
	maxSlice = 100 << 10
)

// readBuffers sends the session's data. A connection's requests are handled one
// after the other, so no other reply is sent in between.
func (s *Service) readBuffers(r *ipc.Request) {
	s.lock()
	n := r.Conn.Value.(*consumer).session
	readable := n != nil && n.out == nil && !s.closed
	s.unlock()
	if !readable {
		_ = r.Reply(&messages.ReadBuffersResponse{})
		return
	}
	// A consumer that reads slowly delays only itself: the lock is not held while its
	// connection is written.
	for d := (&drain{n: n}); !d.done; {
		s.lock()
		if s.sessions[n.id] != n {
			s.unlock()
			_ = r.Reject()
			return
		}
		b := d.read(readBytes)
		s.unlock()
		if sendPackets(r, b, d.sizes, d.done) != nil {
			return // the consumer is gone
		}
	}
}

// Numbers of the fields of ReadBuffersResponse. On the wire: do not change them.
const (
	fieldSlices    = 2
	fieldSliceData = 1
	fieldSliceLast = 2
)

// stream sends a reply that others will follow, once the consumer has read most of the
// earlier ones: what waits for it stays small, however much is sent.
func stream(r *ipc.Request, message proto.Message) error {
	if err := r.Conn.Wait(context.Background()); err != nil {
		return err
	}
	return r.Stream(message)
}

// sendPackets sends packets, without the bytes that precede each in a file. If last
// is set, the last reply ends the request.
func sendPackets(r *ipc.Request, b []byte, sizes []int, last bool) error {
	var reply []byte
	for _, n := range sizes {
		_, _, head := protowire.ConsumeTag(b)
		_, length := protowire.ConsumeVarint(b[head:])
		packet := b[head+length : n]
		b = b[n:]
		for first := true; first || len(packet) > 0; first = false {
			if len(reply) >= maxSlice {
				if err := stream(r, ipc.Raw(reply)); err != nil {
					return err
				}
				reply = reply[:0]
			}
			part := packet[:min(len(packet), max(maxSlice-len(reply), minSlice))]
			packet = packet[len(part):]
			reply = appendSlice(reply, part, len(packet) == 0)
		}
	}
	if last {
		return r.Reply(ipc.Raw(reply))
	}
	if len(reply) == 0 {
		return nil
	}
	return stream(r, ipc.Raw(reply))
}

// minSlice is the least that a slice has of a packet, if the packet has as much.
const minSlice = 1 << 10

func appendSlice(dst, part []byte, last bool) []byte {
	size := protowire.SizeTag(fieldSliceData) + protowire.SizeBytes(len(part)) + protowire.SizeTag(fieldSliceLast) + 1
	dst = protowire.AppendTag(dst, fieldSlices, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(size))
	dst = protowire.AppendTag(dst, fieldSliceData, protowire.BytesType)
	dst = protowire.AppendBytes(dst, part)
	return appendVarint(dst, fieldSliceLast, protowire.EncodeBool(last))
}

// write writes the session's file until the session is over, or the file can take no
// more. It runs in the file's goroutine.
func (n *session) write() {
	s, o := n.s, n.out
	defer s.outputs.Done()
	for range o.due {
		s.lock()
		ending := o.ending
		s.unlock()
		full, err := n.drainInto(o)
		if err == nil && o.sync {
			err = o.file.Sync()
		}
		if full || err != nil || ending {
			n.written(err)
			return
		}
	}
}

// drainInto writes all available data. It reports whether the file has reached its
// maximum size.
func (n *session) drainInto(o *output) (full bool, err error) {
	d := &drain{n: n}
	for !d.done && !full {
		n.s.lock()
		b := d.read(readBytes)
		if o.most > 0 && o.taken+int64(len(b)) >= o.most {
			// Only whole packets, as many as fit.
			b, full = b[:d.fit(o.most-o.taken)], true
		}
		o.taken += int64(len(b))
		n.s.unlock()
		if _, err := o.file.Write(b); err != nil {
			return false, err
		}
	}
	return full, nil
}

// fit returns the size in bytes of those packets of the last step that fit into room
// bytes.
func (d *drain) fit(room int64) (size int) {
	for _, n := range d.sizes {
		if int64(size+n) >= room {
			break
		}
		size += n
	}
	return size
}

// written closes the file and ends the session, if it is not over yet.
func (n *session) written(err error) {
	s, o := n.s, n.out
	if closed := o.file.Close(); err == nil {
		err = closed
	}
	s.lock()
	defer s.unlock()
	o.done = true
	if err != nil {
		s.complain("writing the trace of session %d: %w", n.id, err)
		o.failure = fmt.Sprintf("Failed to write the trace file: %v", err)
	}
	if o.answer != nil {
		answerEnd(o.answer, cmp.Or(o.why, o.failure))
	}
	if s.sessions[n.id] != n {
		s.dropBuffers(n)
		return
	}
	n.stop("")
}

// startOutput starts writing the session's file.
func (n *session) startOutput() {
	n.s.outputs.Add(1)
	go n.write()
}

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
