package service

import (
	"fmt"
	"strings"
	"testing"

	"tracex/recorder/perfetto/smb"
)

// text94 is a packet of 94 bytes; with its size it has 96, and its record has 112.
func text94(name string) string { return name + strings.Repeat(".", 94-len(name)) }

// counts holds what a buffer counted.
func counts(t *testing.T, b buffer, want counters) {
	t.Helper()
	if got := *b.counted(); got != want {
		t.Errorf("counted\n%+v, want\n%+v", got, want)
	}
}

// TestSecondOverwrites fills a ring with more than it holds: what is oldest goes,
// and what follows says why.
func TestSecondOverwrites(t *testing.T) {
	b := newSecondBuffer(4096, false)
	from := &source{producer: 1}
	const each, holds = 112, 4096 / 112 // bytes, records
	for i := range uint32(holds) {
		b.write(from, chunk(uint16(1+i%2), i/2, 0, text94(fmt.Sprint(i))))
	}
	want := counters{bufferSize: 4096, chunksWritten: holds, bytesWritten: holds * each}
	counts(t, b, want)
	// The next goes to the front, over chunk 0 of writer 1 and chunk 0 of writer 2,
	// of which a part is padding then.
	b.write(from, chunk(3, 0, 0, text94("a"), text94("b")))
	want.chunksWritten++
	want.bytesWritten += 208
	want.wraps++
	want.chunksOverwritten += 2
	want.bytesOverwritten += 2 * each
	want.paddingWritten += 2*each - 208
	counts(t, b, want)
	got := strings.Fields(strings.ReplaceAll(all(b), ".", ""))
	if len(got) != holds-2+2 || got[0] != "!65!2" || got[1] != "!65!3" || got[2] != "4" || got[holds-2] != "a" {
		t.Errorf("read %q", got)
	}
	want.chunksRead += holds - 2 + 1
	want.bytesRead += (holds-2)*each + 208
	counts(t, b, want)
	// What was read is not lost.
	b.write(from, chunk(1, holds/2, 0, text94("behind")))
	want.chunksWritten++
	want.bytesWritten += each
	want.paddingCleared += 2*each - 208 + each
	want.paddingWritten += 2*each - 208
	counts(t, b, want)
	if got := all(b); got != text94("behind") {
		t.Errorf("read %q", got)
	}
}

// TestSecondDiscards has a buffer that keeps what is old: it stops at its end.
func TestSecondDiscards(t *testing.T) {
	b := newSecondBuffer(4096, true)
	from := new(source)
	for i := range uint32(38) {
		b.write(from, chunk(1, i, 0, text94(fmt.Sprint(i))))
		if i == 10 {
			all(b) // makes no room
		}
	}
	if got := strings.Fields(all(b)); len(got) != 25 || !strings.HasPrefix(got[24], "35.") {
		t.Errorf("read %.5q", got)
	}
	counts(t, b, counters{
		bufferSize: 4096, chunksWritten: 36, bytesWritten: 36 * 112, chunksRead: 36, bytesRead: 36 * 112, chunksDiscarded: 2,
	})
	b = b.fresh().(*secondBuffer)
	b.write(from, chunk(1, 0, 0, "again"))
	if got := all(b); got != "again" {
		t.Errorf("a new one like it: %q", got)
	}
}

// TestSecondAgain copies a chunk while it is being written, and again when it is
// complete: where it was, elsewhere when it was read, and when it was overwritten
// meanwhile. Nothing comes twice.
func TestSecondAgain(t *testing.T) {
	b := newSecondBuffer(12<<10, false)
	from := new(source)
	step := func(want string, chunks ...*smb.Chunk) {
		t.Helper()
		for _, c := range chunks {
			b.write(from, c)
		}
		if got := all(b); got != want {
			t.Errorf("read %q, want %q", got, want)
		}
	}
	step("a", scraped(chunk(1, 0, 0, "a")))
	step("", scraped(chunk(1, 0, 0, "a")))
	step("b", scraped(chunk(1, 0, 0, "a", "b")), chunk(2, 0, 0))
	step("c", chunk(1, 0, 0, "a", "b", "c"))
	if b.count.chunksRewritten != 1 || b.count.chunksRelocated != 1 {
		t.Errorf("%d rewritten, %d elsewhere", b.count.chunksRewritten, b.count.chunksRelocated)
	}
	step("", chunk(1, 0, 0, "a", "b", "c")) // it was read
	// Overwritten, with one packet read and one not.
	step("d", scraped(chunk(1, 1, 0, "d")))
	b.write(from, scraped(chunk(1, 1, 0, "d", "e")))
	for i := range uint32(3) {
		b.write(from, scraped(chunk(3, i, 0, fmt.Sprint("x", i))))
	}
	step("!65!x1 !65!f", chunk(1, 1, 0, "d", "e", "f"))
	// Fewer packets than before, or other flags, make no sense.
	b.write(from, chunk(4, 0, smb.ContinuesOnNext, "g", "h"))
	violations := b.count.abiViolations
	b.write(from, chunk(4, 0, smb.ContinuesOnNext, "g"))
	b.write(from, chunk(4, 0, 0, "g", "h"))
	if got := b.count.abiViolations - violations; got != 2 {
		t.Errorf("%d violations", got)
	}
}

// TestSecondForgets has more writers than are remembered without a chunk.
func TestSecondForgets(t *testing.T) {
	b := newSecondBuffer(1<<20, false)
	from := new(source)
	const writers = 3000
	for i := range uint16(writers) {
		b.write(from, chunk(i+1, 7, 0, "x"))
		all(b)
	}
	if n := len(b.all); n != len(b.byID) || n > emptyMost+emptyMost/8+1 || n < emptyMost {
		t.Errorf("%d sequences, %d by id", n, len(b.byID))
	}
	// One that is written to often makes nobody else be forgotten.
	for i := range uint32(3000) {
		b.write(from, chunk(writers-1, 8+i, 0, "o"))
		all(b)
	}
	// Of those that are remembered, a loss is noticed.
	b.write(from, chunk(writers, 9, 0, "y"))
	b.write(from, chunk(1, 9, 0, "z"))
	if got := all(b); got != "!3!y z" {
		t.Errorf("read %q", got)
	}
}

// A clone goes on where its original was, and neither changes the other.
func TestSecondClone(t *testing.T) {
	b := newSecondBuffer(4096, false)
	from := new(source)
	b.write(from, chunk(1, 0, 0, "a"))
	if got := all(b); got != "a" {
		t.Fatal(got)
	}
	b.write(from, chunk(1, 1, 0, "bbb"))
	c := b.clone()
	b.write(from, chunk(1, 2, 0, "c"))
	b.patch(sequenceID{0, 1}, 1, []patch{{0, [4]byte{0x83, 0, 'x', 'x'}}}, false)
	if got := all(c); got != "bbb" {
		t.Errorf("the clone has %q", got)
	}
	if got := all(b); got != "xxb c" {
		t.Errorf("the original has %q", got)
	}
	if c.counted().chunksRead != 1 || c.counted().chunksWritten != 2 || ringBytes(t, c) != 64 {
		t.Errorf("the clone counted %+v", *c.counted())
	}
}
