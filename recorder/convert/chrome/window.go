package chrome

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"tracex/format"
	"tracex/recorder/convert/sources"
)

const (
	// windowSize is how many bytes are read at once; the events in them are one batch.
	windowSize = 256 << 10
	// largestEvent bounds the size of an event, in windows: 32 MiB.
	largestEvent = 128
)

// window is the part of the input that is in memory. Parsers use its text, which does not change: a
// batch refers to it.
type window struct {
	ctx   context.Context
	in    sources.Input
	buf   []byte
	least int    // what is read at once
	size  int    // the same, more for a large event
	moves func() // called before the text changes
	scanner
	base int64 // offset of the text in the input
	eof  bool
	err  error // of reading
}

// offset returns where the scanner is in the input.
func (w *window) offset() int64 { return w.base + int64(w.i) }

// refill drops what is before i, and reads more. It reports whether there is more.
func (w *window) refill() bool {
	if w.eof || w.err != nil {
		return false
	}
	w.moves()
	if w.err = w.ctx.Err(); w.err != nil {
		return false
	}
	rest := w.s[min(w.i, len(w.s)):]
	w.base += int64(len(w.s) - len(rest))
	if len(w.buf) != w.size {
		w.buf = make([]byte, w.size)
	}
	n := copy(w.buf, rest)
	before := n
	for tries := 0; n < len(w.buf) && !w.eof && w.err == nil; tries++ {
		read, err := w.in.Read(w.buf[n:])
		switch n += read; {
		case errors.Is(err, io.EOF):
			w.eof = true
		case err != nil:
			w.err = err // what was read before it is used
		case read > 0:
			tries = 0
		case tries > 100:
			w.err = io.ErrNoProgress
		}
	}
	w.scanner = scanner{s: string(w.buf[:n])}
	if w.in.Progress != nil {
		w.in.Progress(w.base + int64(len(w.s)))
	}
	return n > before
}

// byte returns the next byte that is neither white space nor, with commas, a comma; 0 at the end
// of the input.
func (w *window) byte(commas bool) byte {
	for {
		c := w.peek()
		switch {
		case c == ',' && commas:
			w.i++
		case w.fault != short:
			return c
		default:
			w.fault = sound
			if !w.refill() {
				return 0
			}
		}
	}
}

// whole calls read, which reads something at i, until it is in the window as a whole. It reports
// false if the thing is too large: then it is skipped.
func (w *window) whole(read func()) bool {
	from := w.i
	for {
		read()
		if w.fault != short || w.eof || w.err != nil {
			return true // with a fault the input ends within it
		}
		w.i, w.fault = from, sound
		rest := len(w.s) - from
		for w.size > w.least && w.size/4 > rest {
			w.size /= 2
		}
		if rest >= w.size {
			if w.size >= largestEvent*w.least {
				w.skip()
				return false
			}
			w.size *= 2
		}
		w.refill()
		from = 0
	}
}

// skip skips a value of any size. It returns how many elements or members it has, or of a text how many lines
// that are no comments.
func (w *window) skip() (n int64) {
	var s skipping
	for {
		for ; w.i < len(w.s); w.i++ {
			if done, last := s.next(w.s[w.i]); done {
				if last {
					w.i++
				}
				return s.n
			}
		}
		if !w.refill() {
			w.end()
			return s.n
		}
	}
}

// skipping is where in a value that is skipped.
type skipping struct {
	depth    int
	inString bool
	escape   bool
	some     bool // there is something since the last comma, or line end
	comment  bool
	n        int64
}

// next takes the next byte, and reports whether the value is at its end, and the byte its last one.
func (s *skipping) next(c byte) (done, last bool) {
	switch {
	case s.escape:
		s.escape = false
		if s.depth == 0 && c == 'n' {
			s.line()
		}
	case s.inString && c == '\\':
		s.escape = true
	case c == '"':
		if s.inString = !s.inString; !s.inString && s.depth == 0 {
			s.line()
			return true, true
		}
		s.element()
	case s.inString:
		if s.depth == 0 && !s.some {
			s.some, s.comment = true, c == '#'
		}
	case c == '{', c == '[':
		s.element()
		s.depth++
	case c == '}', c == ']':
		s.depth--
		return s.depth <= 0, s.depth == 0 // or at the end of what is around a word
	case c == ',':
		if s.depth == 0 {
			return true, false
		}
		if s.depth == 1 {
			s.some = false
		}
	case c > ' ':
		s.element()
	}
	return false, false
}

// element counts an element, or a member, of the value.
func (s *skipping) element() {
	if s.depth == 1 && !s.some {
		s.some = true
		s.n++
	}
}

// line ends a line of a text.
func (s *skipping) line() {
	if s.some && !s.comment {
		s.n++
	}
	s.some, s.comment = false, false
}

// failure returns the fault of the scanner as an error of the input.
func (w *window) failure() error {
	switch {
	case w.err != nil:
		return w.err
	case w.fault == short:
		return &format.Error{File: w.in.Path, Offset: w.base + int64(len(w.s)), Found: "the end of the file within the trace", Err: format.ErrTruncated}
	case w.fault == damaged:
		found := "the end of the file"
		if w.i < len(w.s) {
			found = quote(w.s[w.i:])
		}
		return &format.Error{File: w.in.Path, Offset: w.offset(), Expected: w.want, Found: found, Err: format.ErrCorrupt,
			Hint: "the file is not a Chrome trace as JSON from there on; the events before it are in the trace"}
	}
	return nil
}

// quote returns the beginning of a text for a message.
func quote(s string) string {
	const most = 20
	b := []byte(s[:min(len(s), most)])
	b = bytes.ToValidUTF8(b, []byte("\ufffd"))
	return `"` + strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, string(b)) + `"`
}
