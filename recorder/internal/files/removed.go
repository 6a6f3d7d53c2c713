package files

import (
	"errors"
	"fmt"
	"io/fs"
)

// ErrRemoved: the data file was removed or replaced while it was recorded into. The recording
// ends, as nothing more of it could be read. If the file was moved, the recording continues.
var ErrRemoved = errors.New("the trace was removed while it was recorded")

// removed returns an error if the data file has no name any longer. On systems and file systems
// that do not count a file's names it returns nil. io is held.
func (f *Files) removed() error {
	file, ok := f.data.to.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return nil // the next write reports it
	}
	switch names, known := nameCount(info); {
	case !known:
	case names > 0:
		f.linked = true
	case f.linked:
		return fmt.Errorf("%s: %w", f.data.name, ErrRemoved)
	}
	return nil
}
