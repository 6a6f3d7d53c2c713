package format

import "errors"

// Extend goes on with data, of which what the Scanner was made of, by
// [NewBytesScanner], is the beginning: a file that has grown. A scan that ended
// where its input did is under way again, at the object that was cut short; any
// other error stays. data may lie elsewhere in memory than before, and may be
// shorter, but not so short that what was visited lies behind its end.
func (s *Scanner) Extend(data []byte) {
	if s.err != nil {
		if !errors.Is(s.err, ErrTruncated) {
			return
		}
		s.err = nil
		// The last object was left before the next one turned out cut short;
		// to leave a block's start does nothing.
		s.obj = Object{Kind: KindBlockStart, Thread: s.obj.Thread}
		s.started = s.started && s.pos > 0
	}
	s.buf = data
}
