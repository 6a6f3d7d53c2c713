package tracebuf

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/recorder/internal/perfetto/smb"
)

// awaitsPatch reports whether a chunk still lacks lengths that may arrive.
func (r *record) awaitsPatch() bool { return r.flags&smb.NeedsPatching != 0 && !r.seq.gone }

// inChunk puts the next whole packet that begins in the current chunk into b.parts.
// It returns false if there is none. It sets lost when it had to skip one.
func (b *Buffer) inChunk(lost *bool) bool {
	r := b.current(&b.read)
	for r.read < r.count {
		b.parts = b.parts[:0]
		last := r.read == r.count-1
		switch {
		case r.read == 0 && r.flags&smb.ContinuesFromPrev != 0:
			// The beginning was never read, and never will be.
			b.take(r, nil)
		case last && r.flags&smb.ContinuesOnNext != 0:
			switch b.together() {
			case apart:
				b.count.ReadaheadsFailed++
				b.read.on = false
				return false
			case whole:
				b.count.ReadaheadsSucceeded++
				return true
			case torn:
				b.take(r, nil)
			}
			r = b.current(&b.read) // the fragments were skipped
		default:
			switch b.take(r, &b.parts) {
			case taken:
				if r.flags&smb.NeedsPatching == 0 || b.patched() {
					return true
				}
			case empty:
				continue
			}
		}
		r.skipped, *lost = true, true
	}
	return false
}

// joint is the result of joining the fragments of a packet.
type joint int

const (
	whole  joint = iota
	apart        // some have not arrived yet
	broken       // all arrived, but make no sense
	torn         // the next one never arrived, and never will
)

// together puts the fragments of a packet that continues in the next chunks into
// b.parts, if all of them have arrived, and leaves the cursor at the last one.
func (b *Buffer) together() joint {
	end := b.read
	unpatched := b.current(&end).flags & smb.NeedsPatching
	for gap := b.step(&end); end.on; gap = b.step(&end) {
		r := b.current(&end)
		switch {
		case gap, r.count > 0 && r.seq.gone && r.flags&smb.ContinuesFromPrev == 0:
			return torn
		case r.count == 0:
			continue
		case r.flags&smb.ContinuesFromPrev == 0 || r.awaitsPatch():
			return apart
		}
		unpatched |= r.flags & smb.NeedsPatching
		if r.count == 1 && r.flags&smb.ContinuesOnNext != 0 {
			continue
		}
		done := b.join(end)
		if done == whole && unpatched != 0 && !b.patched() {
			done = broken
		}
		return done
	}
	return apart
}

// patched reports whether the packet in b.parts makes sense even though its producer
// is gone and lengths may be missing. A missing length is four zeros, and the second
// zero would be a field with the number 0: the outermost message that was not ended
// shows it.
func (b *Buffer) patched() bool {
	if len(b.parts) == 1 {
		return Acceptable(b.parts[0])
	}
	return Acceptable(bytes.Join(b.parts, nil))
}

func (b *Buffer) join(end cursor) joint {
	done := whole
	for {
		if r := b.current(&b.read); r.read < r.count && b.take(r, &b.parts) == senseless {
			done = broken
		}
		if b.read == end {
			return done
		}
		b.step(&b.read)
	}
}

// fragment is the result of reading a fragment.
type fragment int

const (
	taken fragment = iota
	empty
	senseless // as is the rest of the chunk
)

// take skips the next fragment of a chunk, and appends it to parts unless parts is
// nil.
func (b *Buffer) take(r *record, parts *[][]byte) fragment {
	payload := b.payload(r)
	n, length := fragmentSize(payload[min(r.pos, len(payload)):])
	if length == 0 || n > len(payload)-r.pos-length {
		if n == abortedSize && length > 0 {
			b.count.WriterPacketLoss++
		} else {
			b.count.ABIViolations++
		}
		r.read, r.pos = r.count, 0
		b.passed(r)
		return senseless
	}
	from := r.pos + length
	r.pos = from + n
	r.read++
	r.skipped = false
	if r.read == r.count && r.complete {
		r.seq.drained = true
	}
	b.passed(r)
	if n == 0 {
		return empty
	}
	if parts != nil {
		*parts = append(*parts, payload[from:r.pos:r.pos])
	}
	return taken
}

// passed counts a chunk once all of it is read.
func (b *Buffer) passed(r *record) {
	if r.read == r.count && r.complete {
		b.count.ChunksRead++
		b.count.BytesRead += uint64(r.size)
	}
}

// abortedSize is the size that marks a packet given up by its writer.
const abortedSize = 1<<28 - 1

// fragmentSize decodes a size of up to four bytes, and returns their number as
// length, 0 if invalid.
func fragmentSize(b []byte) (n, length int) {
	v, length := protowire.ConsumeVarint(b[:min(4, len(b))])
	return int(v), max(0, length)
}
