package fit

import (
	"bufio"
	"errors"
	"io"
)

// Lines reads the lines of a text.
type Lines struct {
	Line  []byte // without its end; valid until the next one
	At    int64  // its offset
	After int64  // that of the next line
	Cut   bool   // it is longer
	Part  bool   // the file ends within it
	Err   error  // of the input

	in   *bufio.Reader
	most int
	long []byte
}

// NewLines returns lines that are cut after about so many bytes.
func NewLines(r io.Reader, most int) *Lines {
	return &Lines{in: bufio.NewReaderSize(r, 64<<10), most: most}
}

// Next moves to the next line, and reports whether there is one.
func (l *Lines) Next() bool {
	if l.Err != nil {
		return false
	}
	l.At, l.Cut = l.After, false
	piece, err := l.in.ReadSlice('\n')
	l.After += int64(len(piece))
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = append(l.long[:0], piece...)
		for errors.Is(err, bufio.ErrBufferFull) {
			piece, err = l.in.ReadSlice('\n')
			l.After += int64(len(piece))
			room := l.most - len(l.long)
			l.Cut = l.Cut || len(piece) > room
			l.long = append(l.long, piece[:min(len(piece), room)]...)
		}
		piece = l.long
	}
	if err != nil && !errors.Is(err, io.EOF) {
		l.Err = err
		return false
	}
	l.Part = err != nil && len(piece) > 0
	for len(piece) > 0 && (piece[len(piece)-1] == '\n' || piece[len(piece)-1] == '\r') {
		piece = piece[:len(piece)-1]
	}
	l.Line = piece
	return err == nil || len(piece) > 0
}
