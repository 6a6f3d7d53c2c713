package smb

import "fmt"

// Fragment is a packet in a chunk, or the part of a packet in it.
type Fragment struct {
	// Data is the bytes, part of the Chunk's payload. If empty, the fragment is neither
	// a packet nor a loss.
	Data []byte
	// Offset is where Data begins in the payload.
	Offset int
	// FromPrev means that these bytes continue the last packet of the previous chunk,
	// OnNext that the next chunk continues them.
	FromPrev, OnNext bool
}

// Fragments iterates over the packets of a chunk.
//
//	it := chunk.Fragments()
//	for it.Next() {
//		… it.Fragment …
//	}
//	err := it.Err()
type Fragments struct {
	Fragment
	payload []byte
	flags   Flags
	pos     int
	read    int
	count   int
	err     error
}

// Fragments returns an iterator over the packets of the chunk. Each step reads the
// current payload.
func (c *Chunk) Fragments() Fragments {
	return Fragments{payload: c.Payload, flags: c.Flags, count: c.Count}
}

// Next moves to the next packet. It returns false after the last one, and at the
// first that makes no sense; the packets after that one are lost.
func (f *Fragments) Next() bool {
	if f.read >= f.count || f.err != nil {
		return false
	}
	n, length := getSize(f.payload[f.pos:])
	at := f.pos + length
	if length == 0 || n > len(f.payload)-at {
		f.err = f.fault(n, length)
		return false
	}
	f.Fragment = Fragment{
		Data:     f.payload[at : at+n : at+n],
		Offset:   at,
		FromPrev: f.read == 0 && f.flags&ContinuesFromPrev != 0,
		OnNext:   f.read == f.count-1 && f.flags&ContinuesOnNext != 0,
	}
	f.pos = at + n
	f.read++
	return true
}

func (f *Fragments) fault(n, length int) error {
	where := fmt.Sprintf("packet %d of %d, at byte %d of %d", f.read+1, f.count, f.pos, len(f.payload))
	switch {
	case n == aborted && length > 0:
		return fmt.Errorf("%w: %s", ErrAborted, where)
	case f.pos >= len(f.payload):
		return fmt.Errorf("%w: %s begins after the end", ErrCorrupt, where)
	case length == 0:
		return fmt.Errorf("%w: %s has no size", ErrCorrupt, where)
	}
	return fmt.Errorf("%w: %s has %d bytes", ErrCorrupt, where, n)
}

// Read returns the number of packets so far.
func (f *Fragments) Read() int { return f.read }

// Used returns how many bytes of the payload they take, sizes included.
func (f *Fragments) Used() int { return f.pos }

// Err returns why there were fewer packets than the chunk's count: nil if there were
// not, [ErrAborted] if the writer gave one up, or [ErrCorrupt].
func (f *Fragments) Err() error { return f.err }
