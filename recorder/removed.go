package recorder

import (
	"errors"
	"fmt"
	"io/fs"
)

// ErrRemoved: the data file was removed, or another took its place, while it was
// recorded into. The recording ends there, as nothing of it can be read. One that
// was moved goes on.
var ErrRemoved = errors.New("the trace was removed while it was recorded")

// removed says whether the data file has no name any more, by an error. Systems and
// file systems that do not count a file's names are not asked. io is held.
func (f *files) removed() error {
	file, ok := f.data.to.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return nil // the next write tells
	}
	switch names, known := names(info); {
	case !known:
	case names > 0:
		f.linked = true
	case f.linked:
		return fmt.Errorf("recorder: %s: %w", f.data.name, ErrRemoved)
	}
	return nil
}
