package format

import "errors"

// Extend replaces the input of a Scanner from [NewBytesScanner] by data: the same file, which
// has grown. A scan that ended at the end of its input continues, at the object that was cut
// short; any other error stays. data may be at another address than before. It may also be
// shorter, but must include everything visited.
func (s *Scanner) Extend(data []byte) {
	if s.err != nil {
		if !errors.Is(s.err, ErrTruncated) {
			return
		}
		s.err = nil
		// The scanner has left the last object already, before the next one turned out to be
		// cut short. Leaving a block's start does nothing.
		s.obj = Object{Kind: KindBlockStart, Thread: s.obj.Thread}
		s.started = s.started && s.pos > 0
	}
	s.buf = data
}
