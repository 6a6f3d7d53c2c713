package lazy

import "os"

// LookForAnother looks whether the data file has been written anew since it was opened or read to its end, or another
// one has its name: then the status tells, and [LazyTraceReader.Follow] begins with that. It asks the file system. A
// trace that is followed needs it not, and of a packed one it learns nothing.
func (r *LazyTraceReader) LookForAnother() {
	was, now := r.file.Load(), r.Status()
	if was == nil || now.Growth.On || now.Replaced {
		return
	}
	st, err := os.Stat(r.path)
	if err == nil && st.Mode().IsRegular() && !sameFile(st, *was) {
		r.note(func(s *Status) { s.Replaced = true })
	}
}

func sameFile(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// remember keeps what the data file is like now.
func (t *trace) remember(f *os.File) {
	if f == nil {
		return
	}
	if st, err := f.Stat(); err == nil {
		t.file.Store(&st)
	}
}
