package calltrace

import (
	"context"
	"encoding/binary"
	"math"

	"tracex/recorder/convert/spool"
)

// pairs turns the begins and ends of a track into whole calls, for a track that has calls of both
// kinds: where a call goes depends on its end. The calls are numbered in the order of their begins,
// since they are added in that of their ends: of calls of one time that decides which is outside.
type pairs struct {
	w        *Writer
	to       *spool.Spool
	stream   *spool.Stream
	sequence uint64
	open     []pairOpen
	methods  []int32 // of open
	headers  []byte  // of the open calls
	buried   int     // calls that did not fit
	record   []byte  // scratch
}

// pairOpen is a call that has begun.
type pairOpen struct {
	start    int64
	place    uint64
	sequence uint64
	header   int // where its header begins in pairs.headers
}

const (
	// recordSequence is the kind of the records made here.
	recordSequence = 5
	// unknownEnd is the duration of a call without an end.
	unknownEnd = math.MaxInt64
	// maxHeaders bounds the headers of open calls, in bytes.
	maxHeaders = 64 << 20
)

// pair makes whole calls of a stream. They are in a spool of their own, which the caller must close
// when they are read: the other one cannot grow while it is read.
func (w *Writer) pair(ctx context.Context, s *spool.Stream) (*spool.Spool, *spool.Stream, error) {
	p := &pairs{w: w, to: spool.New(w.options.TempDir, w.options.Memory/4)}
	p.stream = p.to.Stream()
	if err := w.each(ctx, w.spool, s, p.add); err != nil {
		p.to.Close()
		return nil, nil, err
	}
	for len(p.open) > 0 {
		if err := p.pop(unknownEnd, w.unfinished); err != nil {
			p.to.Close()
			return nil, nil, err
		}
	}
	return p.to, p.stream, nil
}

func (p *pairs) add(ns int64, record []byte) error {
	r := reader{record[1:]}
	switch record[0] {
	case recordBegin:
		method := r.number()
		if p.buried > 0 || len(p.open) >= maxDepth || len(p.headers) >= maxHeaders {
			p.w.left.count(tooDeep)
			p.buried++
			return nil
		}
		p.open = append(p.open, pairOpen{ns, r.wide(), p.next(), len(p.headers)})
		p.methods = append(p.methods, method)
		p.headers = append(p.headers, r.rest...)
		return nil
	case recordEnd:
		return p.end(ns, r.number()-1, r.rest)
	case recordCall:
		p.record = binary.AppendUvarint(append(p.record[:0], recordSequence), p.next())
		p.record = append(p.record, r.rest...)
		return p.to.Add(p.stream, ns, p.record)
	}
	return p.to.Add(p.stream, ns, record)
}

func (p *pairs) next() uint64 {
	p.sequence++
	return p.sequence
}

func (p *pairs) end(ns int64, method int32, footer []byte) error {
	if p.buried > 0 {
		p.buried--
		return nil
	}
	at := matching(p.methods, method)
	if at < 0 {
		p.w.left.count(noBegin)
		return nil
	}
	for len(p.open) > at+1 {
		if err := p.pop(ns, p.w.unfinished); err != nil {
			return err
		}
	}
	return p.pop(ns, footer)
}

// pop adds the innermost open call, which ended at a time.
func (p *pairs) pop(end int64, footer []byte) error {
	top := len(p.open) - 1
	o, header := p.open[top], p.headers[p.open[top].header:]
	duration := uint64(unknownEnd)
	if end != unknownEnd {
		duration = uint64(end - o.start)
	}
	b := binary.AppendUvarint(append(p.record[:0], recordSequence), o.sequence)
	b = binary.AppendUvarint(b, duration)
	b = binary.AppendUvarint(b, o.place)
	b = binary.AppendUvarint(b, uint64(len(header)))
	b = append(append(b, header...), footer...)
	p.open, p.methods, p.headers = p.open[:top], p.methods[:top], p.headers[:o.header]
	p.record = b
	return p.to.Add(p.stream, o.start, b)
}
