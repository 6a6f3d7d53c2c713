package index

import "tracex/format"

// SetReference replaces the function that gets the reference objects.
func (s *Scan) SetReference(reference func([]byte, format.Cell) error) { s.reference = reference }

// Tell passes all cells to a sink; it must be called before the first Step.
func (s *Scan) Tell(out Sink) { s.out = out }

// Offset returns the current offset of the scan in the data, in bytes.
func (s *Scan) Offset() int64 { return s.scanner.Offset() }

// AtEOF reports whether the scan has read the end mark of the data.
func (s *Scan) AtEOF() bool { return s.eof }

// Err returns what ended the scan early; nil if nothing did.
func (s *Scan) Err() error { return s.err }

// Extend continues the scan in data that has grown.
func (s *Scan) Extend() {
	s.scanner.Extend(s.data.Bytes())
	s.err = nil
}

// BlockAt returns the start of the block that the scan is in, or of the next one, in data
// that grows.
func (s *Scan) BlockAt() int64 { return s.partial.at }

// Shown returns the end of the data that a view shows.
func (s *Scan) Shown() int64 { return s.partial.upTo(s.Offset()) }

// Reveal passes on the reference objects of the current block, which were held back. It
// must be called within mapped.Guard.
func (s *Scan) Reveal() error { return s.partial.reveal(s) }

// Fail ends the scan with an error, unless it has one already.
func (s *Scan) Fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Hides reports whether a view hides the block that the scan is in.
func (s *Scan) Hides() bool { return s.partial.hides(s.Offset()) }

// View returns what is known now.
func (s *Scan) View(complete bool) *View {
	v := &View{Complete: complete, EOF: s.eof, Blocks: s.blocks, Data: s.data, Cells: (s.cellAt - format.HeaderSize) / format.CellSize}
	hidden := s.partial.hides(s.scanner.Offset()) && !complete
	if hidden {
		v.Blocks, v.Cells = s.partial.blocks, (s.partial.cellAt-format.HeaderSize)/format.CellSize
	}
	list := make([]*Stream, 0, len(s.streams))
	for _, t := range s.streams {
		switch {
		case hidden && t == s.cur:
			k := s.partial.before()
			if k.Blocks() == 0 {
				continue
			}
			t.show(&k, s.regen)
		case !t.shared() && len(t.stack) == 0 && t.ended() == t.Blocks():
			t.share(s.regen)
		default:
			t.show(&t.knownStream, s.regen)
		}
		list = append(list, t.shown)
	}
	v.Streams = StreamsOf(list...)
	return v
}

// show makes k the shown stream, unless it is already: few of many threads have grown.
func (t *streamScan) show(k *knownStream, regen *regenerator) {
	if was := t.shown; was == nil || was.Size != k.Size || was.Blocks() != k.Blocks() || was.ended() != k.ended() {
		t.shown = k.view(regen)
	}
}

// share makes t the shown stream, without a copy: there may be a million threads between two
// blocks. It must not change from then on.
func (t *streamScan) share(regen *regenerator) {
	t.Cells, t.regen = &t.scannedStream, regen
	t.shown = &t.Stream
}

// view returns the stream for a View.
func (k *knownStream) view(regen *regenerator) *Stream {
	s := new(scannedStream)
	*s = k.known().scannedStream
	s.Cells, s.regen = s, regen
	if len(k.stack) > 0 && s.more == nil {
		s.more = new(more)
	}
	for _, o := range k.stack {
		s.more.open = append(s.more.open, unended{o.at, o.start})
	}
	return &s.Stream
}

// Problem returns what is missing or damaged in the data, the first if there is more; nil if it is whole. A damaged reference object does
// not end the scan: what refers to it is shown without it.
func (s *Scan) Problem() error {
	err := s.damaged
	if err == nil && !s.eof {
		err = s.err
	}
	return format.At(err, s.data.Path(), 0)
}

// Unfinished returns the number of containers that are still open.
func (s *Scan) Unfinished() int {
	n := 0
	for _, t := range s.streams {
		n += len(t.stack)
	}
	return n
}
