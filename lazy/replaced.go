package lazy

import (
	"os"
	"sync/atomic"
)

// LookForAnother looks whether the data file has been written anew since it was opened or read to its end, or another
// one has its name: then the status tells, and [LazyTraceReader.Follow] begins with that. It asks the file system. A
// trace that is followed does not need it, and of a packed one it learns nothing.
func LookForAnother(r *LazyTraceReader) {
	if now := r.Status(); !now.Growth.On && !now.Replaced && r.file.replaced(r.path) {
		r.note(func(s *Status) { s.Replaced = true })
	}
}

// fileInfo is what a file was like; the zero value is not known.
type fileInfo struct{ was atomic.Pointer[os.FileInfo] }

func (i *fileInfo) keep(f *os.File) {
	if f == nil {
		return
	}
	if st, err := f.Stat(); err == nil {
		i.was.Store(&st)
	}
}

// replaced reports whether the file at a path is another one now, or was written to.
func (i *fileInfo) replaced(path string) bool {
	was := i.was.Load()
	if was == nil {
		return false
	}
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && !(os.SameFile(st, *was) && st.Size() == (*was).Size() && st.ModTime().Equal((*was).ModTime()))
}
