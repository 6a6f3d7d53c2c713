package spool

// A stream that has ended and is short can be packed: its records become one, which may be kept in another stream, so that
// the stream itself needs no memory.

// packOrdered and packMixed begin what Pack returns: the batches that follow are in order of time, or not.
const (
	packOrdered = 1
	packMixed   = 0
)

// Pack appends the records of a stream to dst, for [Unpack], if they take at most some bytes: otherwise ok is false, and
// the stream is as it was. No more records may be added to a stream that is packed.
func (s *Spool) Pack(dst []byte, t *Stream, most int) (packed []byte, ok bool, err error) {
	s.seal(t)
	for c, buf, size := s.position(t), make([]byte, batchHead), 0; ; {
		head, err := c.head(buf)
		if err != nil {
			return dst, false, err
		}
		if head == nil {
			break
		}
		if size += batchHead + batchSize(head); size > most {
			return dst, false, nil
		}
		c.skip(head)
	}
	how := byte(packMixed)
	if t.ordered {
		how = packOrdered
	}
	dst = append(dst, how)
	r := batchReader{c: s.position(t)}
	for {
		batch, err := r.next()
		if err != nil {
			return dst, false, err
		}
		if batch == nil {
			break
		}
		dst = append(dst, batch...)
	}
	for _, batch := range t.batches {
		s.recycle(batch)
	}
	t.batches, t.extents = nil, nil
	s.drop(t)
	return dst, true, nil
}

// Unpack returns the stream that Pack has packed. It refers to packed, and is only read.
func Unpack(packed []byte) *Stream {
	t := &Stream{ordered: packed[0] == packOrdered, begun: true, at: -1}
	for rest := packed[1:]; len(rest) > 0; {
		size := batchHead + batchSize(rest)
		t.batches = append(t.batches, rest[:size:size])
		rest = rest[size:]
	}
	return t
}
