package service

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

// Left passes on the packets that a killed process had in the folder of its session, see
// [SessionConfig].Folder: those that it had not passed on, and some that it had. passed is a trace file, which
// may be empty or end anywhere: packets that are in it are left out. take gets packets in the format of a
// trace file, which are valid until it returns. Nothing is changed, so Left can be called again. kept is false
// if the session kept nothing in the folder.
func Left(folder string, passed io.Reader, take func(packets []byte) error) (kept bool, err error) {
	l := &left{
		take: take, packets: servicePackets{sequences: make(map[tracebuf.SequenceID]uint32)},
		last: make(map[tracebuf.SequenceID]place), origins: make(map[uint32]*leftProducer),
		buffer: tracebuf.New(leftBuffer, false),
	}
	l.stamp.places = true
	if err := l.pass(passed); err != nil {
		return false, err
	}
	files, err := filepath.Glob(filepath.Join(escaped(folder), chunksPrefix+"*"))
	if err != nil || len(files) == 0 {
		return false, err
	}
	slices.Sort(files)
	if !l.clocks {
		if err := l.readClocks(); err != nil {
			return true, err
		}
	}
	for _, f := range files {
		if err := l.file(f); err != nil {
			return true, err
		}
	}
	return true, l.end(folder)
}

// escaped makes a path a pattern that matches only it.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// left reads what a killed process left.
type left struct {
	take    func([]byte) error
	packets servicePackets // only sequences is used
	last    map[tracebuf.SequenceID]place
	clocks  bool // readings of the clocks were passed on
	origins map[uint32]*leftProducer
	buffer  *tracebuf.Buffer
	fresh   int // bytes in the buffer that have not been read
	stamp   stamp
	chunk   smb.Chunk
	out     []byte
}

// leftProducer is a producer, with the page size of its memory; 0 if that is gone.
type leftProducer struct {
	tracebuf.Origin
	page    int
	scraped bool
}

const (
	// leftBuffer is the size of the buffer in bytes, and leftUnread how much of it is filled at once.
	leftBuffer, leftUnread = 64 << 20, 8 << 20
	// mostPacket is the most bytes of a packet with its stamp.
	mostPacket = smb.MaxPacket + 1<<10
	// clockSnapshotField is the field of a packet with readings of the clocks. It is fixed by the protocol: do
	// not change it.
	clockSnapshotField = 6
)

// pass notes which packets have been passed on.
func (l *left) pass(in io.Reader) error {
	return eachPacket(in, func(packet []byte) {
		var at place
		placed := false
		sequence := uint64(0)
		for len(packet) > 0 {
			number, kind, n := protowire.ConsumeTag(packet)
			if n < 0 {
				return
			}
			size := protowire.ConsumeFieldValue(number, kind, packet[n:])
			if size < 0 {
				return
			}
			value := packet[n : n+size]
			switch {
			case number == clockSnapshotField:
				l.clocks = true
			case number == tracebuf.FieldSequenceID && kind == protowire.VarintType:
				sequence, _ = protowire.ConsumeVarint(value)
			case number == fieldPlace && kind == protowire.BytesType:
				b, _ := protowire.ConsumeBytes(value)
				at, placed = parsePlace(b)
			}
			packet = packet[n+size:]
		}
		if !placed {
			return
		}
		l.packets.sequences[at.SequenceID] = uint32(sequence)
		if before, known := l.last[at.SequenceID]; !known || at.after(before) {
			l.last[at.SequenceID] = at
		}
	})
}

// eachPacket calls f for the whole packets of a trace file. What f gets is valid until it returns.
func eachPacket(in io.Reader, f func(packet []byte)) error {
	r := bufio.NewReaderSize(in, 1<<18)
	var packet []byte
	for {
		tag, err := binary.ReadUvarint(r)
		if err == nil && tag != fieldPacket<<3|uint64(protowire.BytesType) {
			return nil // its reader reports it
		}
		size := uint64(0)
		if err == nil {
			size, err = binary.ReadUvarint(r)
		}
		if err == nil && size <= mostPacket {
			packet = slices.Grow(packet[:0], int(size))[:size]
			_, err = io.ReadFull(r, packet)
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), size > mostPacket:
			return nil
		case err != nil:
			return err
		}
		f(packet)
	}
}

// readClocks passes on readings of the clocks: the process was killed before it could.
func (l *left) readClocks() error {
	d := drain{}
	k := servicePackets{uid: int32(os.Getuid()), config: new(messages.TraceConfig)}
	d.own([]*messages.TracePacket{k.own(&messages.TracePacket{Data: &messages.TracePacket_ClockSnapshot{ClockSnapshot: k.clocks()}})})
	return l.take(d.buf)
}

// file reads a file of the journal. It may end within a record.
func (l *left) file(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for len(data) >= 5 {
		size := int(binary.LittleEndian.Uint32(data))
		if size < 1 || size > len(data)-4 {
			return nil
		}
		l.record(data[4], data[5:4+size])
		data = data[4+size:]
		if l.fresh > leftUnread {
			if err := l.drain(); err != nil {
				return err
			}
		}
	}
	return nil
}

// record takes over a record. One that makes no sense is left out.
func (l *left) record(kind byte, b []byte) {
	u32 := func(i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }
	switch {
	case kind == journalProducer && len(b) == 21:
		id := u32(0)
		if p := l.origins[id]; p != nil {
			p.page = int(u32(16))
			return
		}
		l.origins[id] = &leftProducer{
			Origin: tracebuf.Origin{Producer: id, UID: int32(u32(4)), PID: int32(u32(8)), Machine: u32(12)},
			page:   int(u32(16)), scraped: b[20] != 0,
		}
	case kind == journalChunk && len(b) >= 20:
		c := &l.chunk
		*c = smb.Chunk{
			ID: u32(4), Size: int(u32(8)), Count: int(u32(12)), Writer: binary.LittleEndian.Uint16(b[16:]),
			Flags: smb.Flags(b[18]), Complete: b[19] != 0, Payload: append(c.Payload[:0], b[20:]...),
		}
		l.copy(u32(0))
	case kind == journalPatch && len(b) >= 11:
		var list []tracebuf.Patch
		for at := b[11:]; len(at) >= 8; at = at[8:] {
			list = append(list, tracebuf.Patch{Offset: binary.LittleEndian.Uint32(at), Data: [4]byte(at[4:8])})
		}
		l.buffer.TryPatchChunk(tracebuf.SequenceID{Producer: u32(0), Writer: binary.LittleEndian.Uint16(b[8:])}, u32(4), list, b[10] != 0)
	}
}

// copy puts the chunk into the buffer.
func (l *left) copy(producer uint32) {
	p := l.origins[producer]
	if p == nil || l.chunk.Writer == 0 || l.chunk.Writer > smb.MaxWriterID {
		return
	}
	l.buffer.CopyChunkUntrusted(&p.Origin, &l.chunk)
	l.fresh += l.chunk.Size
}

// end reads the memory of producers, and the rest of the buffer.
func (l *left) end(folder string) error {
	ids := make([]uint32, 0, len(l.origins))
	for id := range l.origins {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if err := l.memory(l.origins[id], filepath.Join(folder, memoryPrefix+fmt.Sprint(id))); err != nil {
			return err
		}
		l.buffer.ProducerGone(id)
	}
	return l.drain()
}

func (l *left) memory(p *leftProducer, path string) error {
	if p.page == 0 {
		return nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // the producer had ended
	}
	if err != nil {
		return err
	}
	r, err := smb.NewReader(data, p.page)
	if err != nil {
		return nil // it was not made to its end, so nothing is in it
	}
	return r.ScrapeLeft(&l.chunk, func(c *smb.Chunk) bool {
		if c.Complete || p.scraped {
			l.copy(p.Producer)
		}
		return true
	})
}

// drain passes on the packets in the buffer.
func (l *left) drain() error {
	l.out, l.fresh = l.out[:0], 0
	l.buffer.BeginRead()
	for {
		p, ok := l.buffer.ReadNextPacket()
		if !ok || len(l.out) > readBytes {
			if err := l.take(l.out); err != nil {
				return err
			}
			l.out = l.out[:0]
		}
		if !ok {
			return nil
		}
		whole := bytes.Join(p.Parts, nil)
		at := placeOf(&p)
		if before, known := l.last[at.SequenceID]; known {
			if !at.after(before) {
				continue
			}
			if at.chunk-before.chunk <= 1 {
				p.Lost = false // it follows one that was passed on
			}
		}
		if l.last[at.SequenceID] = at; !tracebuf.Acceptable(whole) || len(whole) == 0 {
			continue
		}
		l.stamp.of(&p, l.sequence)
		l.out = appendPacket(l.out, &p, &l.stamp)
	}
}

// sequence returns the number of a sequence in the trace, which goes on from those that were passed on.
func (l *left) sequence(id tracebuf.SequenceID) uint32 {
	number, known := l.packets.sequences[id]
	if !known {
		number = ownSequence
		for _, n := range l.packets.sequences {
			number = max(number, n)
		}
		number++
		l.packets.sequences[id] = number
	}
	return number
}
