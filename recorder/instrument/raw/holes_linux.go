package raw

import (
	"errors"
	"io"
	"syscall"
)

// nextData returns the first place from offset on where the file has data, as far as the system
// knows. ok is false if there is none.
func (f *File) nextData(offset int64) (data int64, ok bool) {
	const seekData = 3
	seeker, ok := f.file.(io.Seeker)
	if !ok {
		return offset, true
	}
	data, err := seeker.Seek(offset, seekData)
	switch {
	case err == nil:
		return max(data, offset), true
	case errors.Is(err, syscall.ENXIO):
		return 0, false
	}
	return offset, true // this file system cannot tell
}
