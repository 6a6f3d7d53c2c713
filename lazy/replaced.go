package lazy

import (
	"os"
	"sync/atomic"
)

// LookForAnother looks whether another data file has the name of the trace's now, or, if the trace is complete, whether
// its file was written to: then the status tells, and [LazyTraceReader.Follow] begins with what is there. It asks the file
// system. A trace that is followed does not need it, and of a packed one it learns nothing.
func LookForAnother(r *LazyTraceReader) {
	if now := r.Status(); !now.Growth.On && !now.Replaced && r.file.replaced(r.path, r.known.Load().EOF) {
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

// replaced reports whether the file at a path is another one now, or, if it was whole, was written to.
func (i *fileInfo) replaced(path string, whole bool) bool {
	was := i.was.Load()
	if was == nil {
		return false
	}
	st, err := os.Stat(path)
	same := err == nil && os.SameFile(st, *was)
	if same && whole {
		same = st.Size() == (*was).Size() && st.ModTime().Equal((*was).ModTime())
	}
	return err == nil && st.Mode().IsRegular() && !same
}
