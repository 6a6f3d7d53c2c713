package service

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/service/tracebuf"
)

// journal keeps what a session took from the memory of producers in files until it is passed on, so that
// [Left] can read it when this process was killed. A chunk is written before it is freed in the memory, and
// the memory is a file beside the journal, so everything is in one of them. The service's lock guards it,
// but for what forget uses. A nil journal keeps nothing.
//
//	FOLDER/shared-7   the memory of producer 7, until that has ended
//	FOLDER/chunks-12  records: size u32 of what follows, kind u8, and, little-endian,
//	                  producer  number u32, uid i32, pid i32, machine u32, page size u32, scraped u8
//	                  chunk     producer u32, id u32, size u32, count u32, writer u16, flags u8, complete u8,
//	                            payload without the zeros at its end
//	                  patch     producer u32, chunk u32, writer u16, more u8, then offset u32 and 4 bytes each
type journal struct {
	folder string
	tell   func(format string, args ...any)
	file   *os.File // nil before the first record, and after an error
	number int      // of the file
	size   int64    // of the file
	full   int64    // size at which another file begins; tests have small ones
	failed bool     // an error was told, and nothing more is written
	record []byte   // scratch
	oldest atomic.Int64
}

// Kinds of records. On disk: do not change them.
const (
	journalProducer = 1
	journalChunk    = 2
	journalPatch    = 3
)

const (
	memoryPrefix, chunksPrefix = "shared-", "chunks-"
	// journalFile is about the size of a file, in bytes.
	journalFile = 4 << 20
)

// newJournal returns nil if the disk has little room: that is needed for the trace.
func newJournal(folder string, tell func(string, ...any)) *journal {
	if !roomy(folder) {
		tell("the disk has little room: %w", errNotKept)
		return nil
	}
	return &journal{folder: folder, tell: tell, full: journalFile}
}

// memory returns the path for a producer's memory; "" without a journal.
func (j *journal) memory(p *producer) string {
	if j == nil {
		return ""
	}
	return filepath.Join(j.folder, memoryPrefix+fmt.Sprint(p.id()))
}

func (j *journal) path(number int64) string {
	return filepath.Join(j.folder, fmt.Sprintf("%s%09d", chunksPrefix, number))
}

// producer writes who a producer is. It precedes its chunks in each file.
func (j *journal) producer(p *producer) {
	if j == nil {
		return
	}
	j.begin(journalProducer)
	j.numbers(p.id(), uint32(p.from.UID), uint32(p.from.PID), p.from.Machine, uint32(p.memory.page))
	j.record = append(j.record, flag(p.scraped))
	j.write()
}

func (j *journal) chunk(p *producer, c *smb.Chunk) {
	if j != nil {
		j.chunkOf(p.id(), c)
	}
}

func (j *journal) chunkOf(producer uint32, c *smb.Chunk) {
	j.begin(journalChunk)
	j.numbers(producer, c.ID, uint32(c.Size), uint32(c.Count))
	j.record = binary.LittleEndian.AppendUint16(j.record, c.Writer)
	j.record = append(j.record, byte(c.Flags), flag(c.Complete))
	j.record = append(j.record, bytes.TrimRight(c.Payload, "\x00")...)
	j.write()
}

func (j *journal) patch(p *producer, writer uint16, chunk uint32, list []tracebuf.Patch, more bool) {
	if j == nil {
		return
	}
	j.begin(journalPatch)
	j.numbers(p.id(), chunk)
	j.record = append(binary.LittleEndian.AppendUint16(j.record, writer), flag(more))
	for i := range list {
		j.numbers(list[i].Offset)
		j.record = append(j.record, list[i].Data[:]...)
	}
	j.write()
}

func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}

func (j *journal) begin(kind byte) { j.record = append(j.record[:0], 0, 0, 0, 0, kind) }

func (j *journal) numbers(all ...uint32) {
	for _, n := range all {
		j.record = binary.LittleEndian.AppendUint32(j.record, n)
	}
}

// write writes the record. After an error nothing more is written: the recording goes on without the journal.
func (j *journal) write() {
	if j.failed {
		return
	}
	binary.LittleEndian.PutUint32(j.record, uint32(len(j.record)-4))
	var err error
	if j.file == nil {
		j.file, err = os.OpenFile(j.path(int64(j.number)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err == nil {
		_, err = j.file.Write(j.record)
	}
	if j.size += int64(len(j.record)); err != nil {
		j.tell("%w: %w", errNotKept, err)
		_ = j.close() // it is not read
		j.failed = true
		for at := j.oldest.Load(); at <= int64(j.number); at++ {
			_ = os.Remove(j.path(at)) // the trace needs the room
		}
	}
}

// errNotKept is the consequence when there is no journal.
var errNotKept = errors.New("what was recorded last is lost if this process is killed")

// turn begins a new file, with what the session has not passed on, and returns a function that removes
// the files before it; nil if the file is still small.
func (j *journal) turn(s *Service, n *session) (forget func()) {
	if j == nil || j.size < j.full || j.failed {
		return nil
	}
	_ = j.file.Close() // it was written without a buffer
	j.file, j.size = nil, 0
	j.number++
	if !roomy(j.folder) {
		j.failed = true
		j.tell("the disk has little room: %w", errNotKept)
	}
	for _, p := range s.producersInOrder() {
		if p.memory.told {
			j.producer(p)
		}
	}
	for _, b := range n.buffers.all {
		known := uint32(0)
		b.Unread(func(from *tracebuf.Origin, c *smb.Chunk) {
			if s.connected[from.Producer] == nil && from.Producer != known {
				known = from.Producer
				j.gone(from)
			}
			j.chunkOf(from.Producer, c)
		})
	}
	before := int64(j.number)
	return func() {
		for at := j.oldest.Load(); at < before; at++ {
			_ = os.Remove(j.path(at)) // what is in it is known to be read twice
		}
		j.oldest.Store(before)
	}
}

// gone writes who a producer was that has ended.
func (j *journal) gone(from *tracebuf.Origin) {
	j.begin(journalProducer)
	j.numbers(from.Producer, uint32(from.UID), uint32(from.PID), from.Machine, 0)
	j.record = append(j.record, 0)
	j.write()
}

// close closes the file. What is in the folder stays.
func (j *journal) close() error {
	if j == nil || j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file, j.failed = nil, true
	return err
}
