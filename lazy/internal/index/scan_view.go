package index

import "tracex/format"

// SetReference has another function get the reference objects from now on.
func (s *Scan) SetReference(reference func([]byte, format.Cell) error) { s.reference = reference }

// Tell has a sink get all cells; before the first step.
func (s *Scan) Tell(out Sink) { s.out = out }

// Offset returns how far the scan has come in the data, in bytes.
func (s *Scan) Offset() int64 { return s.scanner.Offset() }

// AtEOF reports whether the scan has come to the end mark of the data.
func (s *Scan) AtEOF() bool { return s.eof }

// Err returns what has ended the scan early; nil when nothing has.
func (s *Scan) Err() error { return s.err }

// Extend has the scan go on in data that has grown.
func (s *Scan) Extend() {
	s.scanner.Extend(s.data.Bytes())
	s.err = nil
}

// BlockAt returns where the block begins that the scan is in, or the next one will;
// of data that grows.
func (s *Scan) BlockAt() int64 { return s.partial.at }

// Shown returns up to which offset a view shows the data.
func (s *Scan) Shown() int64 { return s.partial.upTo(s.Offset()) }

// Reveal tells of the reference objects of the block that the scan is in, which were
// kept back. It must be called within guard.
func (s *Scan) Reveal() error { return s.partial.reveal(s) }

// Fail ends the scan with an error, unless another one has.
func (s *Scan) Fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Hides reports whether a view does not show the block that the scan is in.
func (s *Scan) Hides() bool { return s.partial.hides(s.Offset()) }

// View returns what is known now.
func (s *Scan) View(complete bool) *View {
	v := &View{Complete: complete, EOF: s.eof, Blocks: s.blocks, Data: s.data, Cells: (s.place - format.HeaderSize) / format.CellSize}
	hidden := s.partial.hides(s.scanner.Offset()) && !complete
	if hidden {
		v.Blocks, v.Cells = s.partial.blocks, (s.partial.place-format.HeaderSize)/format.CellSize
	}
	for _, t := range s.order {
		k := t.known()
		if hidden && t == s.cur {
			if k = s.partial.before(); len(k.Blocks) == 0 {
				continue
			}
		}
		// Of many threads, few have grown.
		if was := t.shown; was == nil || was.Size != k.Size || len(was.Blocks) != len(k.Blocks) || len(was.Lasts) != len(k.Lasts) {
			t.shown = k.view(s.regen)
		}
		v.Streams = append(v.Streams, t.shown)
	}
	return v
}

// knownStream is what a scan knows of a stream.
type knownStream struct {
	Stream
	stack  []openFrame
	n      int64
	points []checkpoint
	mins   []int64
}

func (t *streamScan) known() knownStream {
	return knownStream{t.Stream, t.stack, t.n, t.points, t.mins}
}

// view returns the stream for a view.
func (k *knownStream) view(regen *regenerator) *Stream {
	out := k.Stream
	for _, o := range k.stack {
		out.open = append(out.open, unended{o.at, o.start})
	}
	out.Cells = &scannedCells{stream: &out, n: k.n, points: k.points, mins: k.mins, regen: regen}
	return &out
}

// Problem says what of the data is missing or damaged; nil when it is whole.
func (s *Scan) Problem() error {
	if s.err == nil || s.eof {
		return nil
	}
	return format.At(s.err, s.data.Path(), 0)
}

// Unfinished counts the containers that are still open.
func (s *Scan) Unfinished() int {
	n := 0
	for _, t := range s.streams {
		n += len(t.stack)
	}
	return n
}
