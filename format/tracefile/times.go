package tracefile

import (
	"bufio"
	"errors"
	"io"
	"math"

	"tracex/format"
)

// Untimed reports whether a file of times has cells of objects, but no time, as that of a recording
// without times may be.
func Untimed(f io.ReaderAt) (bool, error) {
	r := bufio.NewReaderSize(io.NewSectionReader(f, format.TimesHeaderSize, math.MaxInt64-format.TimesHeaderSize), 64<<10)
	var cell [format.TimeCellSize]byte
	for any := false; ; any = true {
		if _, err := io.ReadFull(r, cell[:]); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return any, nil
		} else if err != nil {
			return false, err
		}
		switch c := format.DecodeTimeCell(cell[:]); {
		case c.IsEnd():
			return any, nil
		case c.Known():
			return false, nil
		}
	}
}
