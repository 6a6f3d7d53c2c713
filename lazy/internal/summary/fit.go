package summary

import (
	"errors"
	"hash/crc32"
)

// Errors of a summary that is not used.
var (
	// ErrDamaged: the file is cut, changed, or no summary.
	ErrDamaged = errors.New("damaged")
	// ErrVersion: another version of tracex made it.
	ErrVersion = errors.New("made by another version of tracex")
	// ErrOther: it is of other data.
	ErrOther = errors.New("made from other data")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum returns the checksum of bytes.
func Sum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// Samples of a file. On disk, do not change.
const (
	sampledEnds = 64 << 10 // bytes at the beginning, and at the end
	samples     = 30       // between them
	sampleSize  = 4 << 10
)

// Print identifies a file by its size and by samples of its bytes.
type Print struct {
	Size int64
	Sum  uint32
}

// PrintOf returns the Print of a file's bytes.
func PrintOf(b []byte) Print {
	p := Print{Size: int64(len(b))}
	if len(b) <= 2*sampledEnds+samples*sampleSize {
		p.Sum = Sum(b)
		return p
	}
	p.Sum = Sum(b[:sampledEnds])
	between := len(b) - 2*sampledEnds - sampleSize
	for i := range samples {
		at := sampledEnds + between/samples*i
		p.Sum = crc32.Update(p.Sum, castagnoli, b[at:at+sampleSize])
	}
	p.Sum = crc32.Update(p.Sum, castagnoli, b[len(b)-sampledEnds:])
	return p
}
