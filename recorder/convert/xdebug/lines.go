package xdebug

import (
	"bufio"
	"errors"
	"io"
)

// maxLine is where lines are cut, in bytes. Values are shortened by Xdebug, unless it is told not to.
const maxLine = 4 << 20

// lines reads the lines of a file.
type lines struct {
	in    *bufio.Reader
	line  []byte // without its end; valid until the next one
	at    int64  // its offset
	cut   bool   // it is longer
	part  bool   // the file ends within it
	after int64
	long  []byte
	err   error // of the input
}

func newLines(r io.Reader) *lines { return &lines{in: bufio.NewReaderSize(r, 64<<10)} }

// next moves to the next line, and reports whether there is one.
func (l *lines) next() bool {
	if l.err != nil {
		return false
	}
	l.at, l.cut = l.after, false
	piece, err := l.in.ReadSlice('\n')
	l.after += int64(len(piece))
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = append(l.long[:0], piece...)
		for errors.Is(err, bufio.ErrBufferFull) {
			piece, err = l.in.ReadSlice('\n')
			l.after += int64(len(piece))
			room := maxLine - len(l.long)
			l.cut = l.cut || len(piece) > room
			l.long = append(l.long, piece[:min(len(piece), room)]...)
		}
		piece = l.long
	}
	if err != nil && !errors.Is(err, io.EOF) {
		l.err = err
		return false
	}
	l.part = err != nil && len(piece) > 0
	for len(piece) > 0 && (piece[len(piece)-1] == '\n' || piece[len(piece)-1] == '\r') {
		piece = piece[:len(piece)-1]
	}
	l.line = piece
	return err == nil || len(piece) > 0
}
