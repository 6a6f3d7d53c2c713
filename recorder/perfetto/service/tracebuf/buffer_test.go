package tracebuf

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tracex/recorder/internal/perfetto/smb"
)

// chunkSize is the size of the only chunk in a page of 4 KiB.
const chunkSize = 4088

// chunk returns a complete chunk whose packets are texts.
func chunk(writer uint16, id uint32, flags smb.Flags, packets ...string) *smb.Chunk {
	c := &smb.Chunk{Writer: writer, ID: id, Flags: flags, Complete: true, Size: chunkSize, Count: len(packets)}
	for _, p := range packets {
		c.Payload = append(append(c.Payload, byte(len(p))|0x80, byte(len(p)>>7)), p...)
	}
	c.Payload = append(c.Payload, make([]byte, chunkSize-8-len(c.Payload))...)
	return c
}

// scraped returns a chunk that was copied while it was being written.
func scraped(c *smb.Chunk) *smb.Chunk {
	c.Complete = false
	return c
}

// all reads all available packets: the texts, with "!" before each that is marked as
// following a loss.
func all(b *Buffer) string {
	var list []string
	b.BeginRead()
	for {
		p, ok := b.ReadNextPacket()
		if !ok {
			return strings.Join(list, " ")
		}
		text := string(bytes.Join(p.Parts, nil))
		if p.Lost {
			text = "!" + text
		}
		list = append(list, text)
	}
}

// story is a buffer with the expected counters, tested step by step.
type story struct {
	*testing.T
	b      *Buffer
	from   *Origin
	expect Stats
}

func newStory(t *testing.T) *story {
	return &story{t, New(1<<20, false), &Origin{Producer: 1}, Stats{BufferSize: 1 << 20}}
}

// wrote and read add to the expected counters of chunks.
func (s *story) wrote(n uint64) { s.expect.ChunksWritten += n; s.expect.BytesWritten += n * 4096 }
func (s *story) read(n uint64)  { s.expect.ChunksRead += n; s.expect.BytesRead += n * 4096 }

// step writes chunks and checks the packets then available and the counters. The
// Stats are those of Perfetto's tracing service for the same steps.
func (s *story) step(what, want string, chunks ...*smb.Chunk) {
	s.Helper()
	for _, c := range chunks {
		s.b.CopyChunkUntrusted(s.from, c)
	}
	if got := all(s.b); got != want {
		s.Errorf("%s: read %q, want %q", what, got, want)
	}
	if s.b.count != s.expect {
		s.Errorf("%s: counted\n%+v, want\n%+v", what, s.b.count, s.expect)
	}
}

// Packets that are empty, or in several chunks, some of which arrive later.
func TestBufferPackets(t *testing.T) {
	const next, prev = smb.ContinuesOnNext, smb.ContinuesFromPrev
	s := newStory(t)
	s.wrote(1)
	s.read(1)
	s.step("first", "!A1 A2", chunk(1, 0, 0, "A1", "A2"))
	s.wrote(1)
	s.read(1)
	s.step("empty packets", "C1 C2", chunk(1, 1, 0, "", "C1", "", "C2", ""))

	s.wrote(3)
	s.read(3)
	s.expect.ReadaheadsSucceeded++
	s.step("one packet in three chunks", "D0 DxDyDz D2", chunk(1, 2, next, "D0", "Dx"), chunk(1, 3, next|prev, "Dy"), chunk(1, 4, prev, "Dz", "D2"))

	s.wrote(1)
	s.expect.ReadaheadsFailed++
	s.step("a beginning", "E0", chunk(1, 5, next, "E0", "Ex"))
	s.wrote(1)
	s.read(2)
	s.expect.ReadaheadsSucceeded++
	s.step("its end", "ExEy E1", chunk(1, 6, prev, "Ey", "E1"))
}

// Chunks that arrive out of order, twice, and larger or smaller than before.
func TestBufferOrder(t *testing.T) {
	s := newStory(t)
	s.wrote(1)
	s.read(1)
	s.step("first", "!G6", chunk(1, 6, 0, "G6"))
	s.wrote(1)
	s.step("after a gap", "", chunk(1, 8, 0, "G8"))
	s.wrote(1)
	s.read(2)
	s.expect.OutOfOrder++
	s.step("the hole filled", "G7 G8", chunk(1, 7, 0, "G7"))

	s.step("the same chunk again", "", chunk(1, 8, 0, "G8"))
	s.expect.ABIViolations++
	smaller := chunk(1, 8, 0, "G8", "G9")
	smaller.Size, smaller.Payload = 1000, smaller.Payload[:992]
	s.step("the same chunk in another size", "", smaller)
	s.expect.ABIViolations++
	s.step("with fewer packets", "", chunk(1, 7, 0))
}

// Writers that give packets up, or count wrong.
func TestBufferNonsense(t *testing.T) {
	s := newStory(t)
	s.wrote(2)
	s.read(2)
	s.expect.WriterPacketLoss++
	gaveUp := chunk(1, 9, 0, "J0", "")
	copy(gaveUp.Payload[4:], []byte{0xff, 0xff, 0xff, 0x7f})
	s.step("given up", "!J0 !J1", gaveUp, chunk(1, 10, 0, "J1"))

	s.wrote(1)
	s.read(1)
	s.expect.ABIViolations++
	more := chunk(1, 11, 0, "O1", "O2")
	more.Count = 5
	more.Payload = append(more.Payload[:8:8], bytes.Repeat([]byte{0xee}, chunkSize-16)...)
	s.step("more packets than there are", "O1 O2", more)
	s.wrote(1)
	s.read(1)
	s.step("after it", "!P1", chunk(1, 12, 0, "P1"))
}

// A chunk that is copied several times while it is being written.
func TestBufferScraped(t *testing.T) {
	s := newStory(t)
	s.wrote(1)
	s.step("scraped", "!Q1 Q2", scraped(chunk(2, 0, 0, "Q1", "Q2")))
	s.step("again", "", scraped(chunk(2, 0, 0, "Q1", "Q2")))
	s.expect.ChunksRewritten++
	s.step("with more", "Q3 Q4", scraped(chunk(2, 0, 0, "Q1", "Q2", "Q3", "Q4")))
	s.expect.ChunksRewritten++
	s.read(1)
	s.step("complete", "Q5 Q6", chunk(2, 0, 0, "Q1", "Q2", "Q3", "Q4", "Q5", "Q6"))
}

// Lengths that arrive late, or for chunks that do not exist.
func TestBufferPatches(t *testing.T) {
	s := newStory(t)
	id := SequenceID{1, 9}
	s.wrote(2)
	s.step("lengths are missing", "", chunk(9, 0, smb.NeedsPatching, "T0", "xxxxT1"), chunk(9, 1, 0, "T2"))
	s.expect.PatchesFailed++
	if s.b.TryPatchChunk(id, 7, nil, false) {
		t.Error("a chunk that is not there was patched")
	}
	s.expect.PatchesFailed++
	if s.b.TryPatchChunk(id, 0, []Patch{{Offset: chunkSize - 8 - 3}}, false) {
		t.Error("patched after the end")
	}
	s.expect.PatchesSucceeded++
	s.b.TryPatchChunk(id, 0, []Patch{{6, [4]byte{'a', 'b', 'c', 'd'}}}, true)
	s.step("one arrived", "")
	s.b.TryPatchChunk(id, 0, nil, false)
	s.read(2)
	s.step("all arrived", "!T0 abcdT1 T2")
}

// TestBufferSequences has several writers, of several producers, and a packet whose
// beginning never arrived.
func TestBufferSequences(t *testing.T) {
	b := New(1<<20, false)
	b.CopyChunkUntrusted(&Origin{Producer: 7}, chunk(1, 0, 0, "of another"))
	b.CopyChunkUntrusted(&Origin{Producer: 1}, chunk(3, 0, 0, "U3"))
	if got := all(b); got != "!U3 !of another" {
		t.Errorf("read %q", got)
	}
	b.CopyChunkUntrusted(&Origin{Producer: 1}, chunk(4, 5, smb.ContinuesFromPrev, "rest", "U4"))
	if got := all(b); got != "!U4" {
		t.Errorf("read %q", got)
	}
	if b.count.ChunksWritten != 3 || b.count.ChunksRead != 3 {
		t.Errorf("counted %+v", b.count)
	}
}

// Chunk ids that wrap.
func TestBufferWraps(t *testing.T) {
	b := New(1<<16, false)
	from := new(Origin)
	for i := range uint32(4) {
		b.CopyChunkUntrusted(from, chunk(1, i-2, 0, fmt.Sprint(i)))
	}
	if got, want := all(b), "!0 1 2 3"; got != want {
		t.Errorf("read %q, want %q", got, want)
	}
}

// A ring overwrites the oldest records, whatever their sizes: if a record does not
// fit before the end, or leaves a part of another one, there is padding.
func TestBufferOverwrites(t *testing.T) {
	b := New(10<<10, false)
	from := new(Origin)
	const large, small = 4096, 1040 // bytes of records
	part := func(id uint32) *smb.Chunk {
		c := chunk(1, id, 0, fmt.Sprint(id))
		c.Size, c.Payload = 1020, c.Payload[:1012]
		return c
	}
	want := Stats{BufferSize: 10 << 10}
	step := func(c *smb.Chunk, size uint64, change func()) {
		t.Helper()
		b.CopyChunkUntrusted(from, c)
		want.ChunksWritten++
		want.BytesWritten += size
		change()
		if b.count != want {
			t.Errorf("chunk %d: counted\n%+v, want\n%+v", c.ID, b.count, want)
		}
	}
	overwrites := func() { want.ChunksOverwritten++; want.BytesOverwritten += large }
	step(chunk(1, 0, 0, "0"), large, func() {})
	step(chunk(1, 1, 0, "1"), large, func() {})
	step(chunk(1, 2, 0, "2"), large, func() { // at the front, over chunk 0
		overwrites()
		want.PaddingWritten += 2048
		want.Wraps++
	})
	step(part(3), small, func() { // over a part of chunk 1
		overwrites()
		want.PaddingWritten += large - small
	})
	step(chunk(1, 4, 0, "4"), large, func() { // over the rest, and some of the padding at the end
		want.PaddingCleared += large - small + 2048
		want.PaddingWritten += 1008
	})
	step(part(5), small, func() { // at the front again
		want.PaddingCleared += 1008
		want.PaddingWritten += 1008
		want.Wraps++
		overwrites()
		want.PaddingWritten += large - small
	})
	if got := all(b); got != "!3 4 5" {
		t.Errorf("read %q", got)
	}
	// Overwriting a chunk that was read is no loss.
	b.CopyChunkUntrusted(from, chunk(1, 6, 0, "6"))
	if got := all(b); got != "6" || b.count.ChunksOverwritten != want.ChunksOverwritten {
		t.Errorf("read %q, %d chunks were overwritten", got, b.count.ChunksOverwritten)
	}
}

// A chunk that is copied while it is being written, and overwritten with later ones
// before it is complete, is not read twice.
func TestBufferAgain(t *testing.T) {
	b := New(3*4096, false)
	from := new(Origin)
	b.CopyChunkUntrusted(from, scraped(chunk(1, 3, 0, "a")))
	if got := all(b); got != "!a" {
		t.Fatalf("read %q", got)
	}
	for _, id := range []uint32{6, 5, 4} { // the last of these replaces 3
		b.CopyChunkUntrusted(from, chunk(1, id, 0, fmt.Sprint(id)))
	}
	b.CopyChunkUntrusted(from, chunk(1, 3, 0, "a", "b"))
	if got := all(b); got != "b 4 5" {
		t.Errorf("read %q", got)
	}
}

// Missing chunks that were read, and overwritten before older ones, do not delay
// reading.
func TestBufferHoleOfRead(t *testing.T) {
	b := New(4*4096, false)
	from := new(Origin)
	for _, id := range []uint32{2, 0, 1} {
		b.CopyChunkUntrusted(from, chunk(1, id, 0, fmt.Sprint(id)))
	}
	if got := all(b); got != "!0 1 2" {
		t.Fatalf("read %q", got)
	}
	b.CopyChunkUntrusted(from, chunk(1, 3, 0, "3"))
	if got := all(b); got != "3" {
		t.Fatalf("read %q", got)
	}
	b.CopyChunkUntrusted(from, chunk(1, 4, 0, "4")) // replaces 2
	if got := all(b); got != "4" {
		t.Errorf("read %q", got)
	}
}

// A buffer that discards keeps unread chunks, and stops permanently.
func TestBufferDiscards(t *testing.T) {
	b := New(4*4096, true)
	from := new(Origin)
	for i := range uint32(4) {
		b.CopyChunkUntrusted(from, chunk(1, i, 0, fmt.Sprint(i)))
	}
	if got, want := all(b), "!0 1 2 3"; got != want {
		t.Fatalf("read %q, want %q", got, want)
	}
	for i := range uint32(6) {
		b.CopyChunkUntrusted(from, chunk(1, 4+i, 0, fmt.Sprint(4+i)))
	}
	if got, want := all(b), "4 5 6 7"; got != want {
		t.Errorf("read %q, want %q", got, want)
	}
	b.CopyChunkUntrusted(from, chunk(1, 8, 0, "8"))
	if got := all(b); got != "" || b.count.ChunksDiscarded != 3 {
		t.Errorf("read %q, %d chunks discarded", got, b.count.ChunksDiscarded)
	}
}

// A clone continues where its original was, and neither changes the other.
func TestBufferClone(t *testing.T) {
	b := New(3*4096, false)
	from := new(Origin)
	b.CopyChunkUntrusted(from, chunk(1, 0, 0, "a"))
	b.CopyChunkUntrusted(from, chunk(1, 1, 0, "b"))
	if got := all(b); got != "!a b" {
		t.Fatal(got)
	}
	b.CopyChunkUntrusted(from, chunk(1, 2, 0, "c"))
	c := b.Clone()
	for i := range uint32(3) {
		b.CopyChunkUntrusted(from, chunk(1, 3+i, 0, fmt.Sprint(i)))
	}
	if got := all(c); got != "c" {
		t.Errorf("the clone has %q", got)
	}
	if got := all(b); got != "!0 1 2" {
		t.Errorf("the original has %q", got)
	}
	ringBytes(t, c)
}
