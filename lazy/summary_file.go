package lazy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
	"tracex/lazy/internal/summary"
)

// Reasons why a summary is not used, besides those of package summary.
var (
	errSummaryOlder = errors.New("older than the data")
	errSummaryTimes = errors.New("made with other times")
)

// summaryPath returns where the summary is; "" for a trace that has none.
func (t *trace) summaryPath() string {
	if t.indexPath == "" {
		return "" // unpacked
	}
	return t.path + format.SumSuffix
}

// withSummary calls f while the summary stays as it is.
func (t *trace) withSummary(f func(*summaryFile) error) error {
	s := &t.summary
	if err := t.lookForSummary(); err != nil {
		return err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	return mapped.Guard(func() error { return f(s) }, s.m)
}

// lookForSummary opens the summary, unless that was tried with the present data.
func (t *trace) lookForSummary() error {
	size, _ := t.sizes()
	s := &t.summary
	s.mu.RLock()
	done := s.looked == size && s.timed == t.timed() || s.closed
	s.mu.RUnlock()
	if done {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	s.drop()
	s.looked, s.timed = size, t.timed()
	path := t.summaryPath()
	if path == "" || size == 0 {
		return nil
	}
	m, file, err := t.openSummary(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		s.why = err
	default:
		s.m, s.file = m, file
	}
	return nil
}

// openSummary maps a summary that fits the data.
func (t *trace) openSummary(path string) (*mapped.File, *summary.File, error) {
	f, _, err := mapped.OpenRegular(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	m, err := mapped.Map(f, path)
	if err != nil {
		return nil, nil, err
	}
	var file *summary.File
	if err = mapped.Guard(func() (err error) { file, err = summary.New(m.Bytes()); return err }, m); err == nil {
		err = t.fits(f, file.Of())
	}
	if err != nil {
		return nil, nil, errors.Join(err, m.Unmap())
	}
	return m, file, nil
}

// fits returns why a summary was not made from the present data and times; nil if it was.
func (t *trace) fits(f *os.File, of summary.Of) error {
	if size, _ := t.sizes(); size != of.Data.Size {
		return summary.ErrOther
	}
	made, err := f.Stat()
	if err != nil {
		return err
	}
	is, err := t.summaryOf()
	switch {
	case err != nil:
		return err
	case is.Data != of.Data:
		return summary.ErrOther
	case is != of:
		return errSummaryTimes
	}
	paths := []string{t.path}
	if of.Timed {
		paths = append(paths, t.timesPath)
	}
	for _, path := range paths {
		if st, err := os.Stat(path); err != nil || st.ModTime().After(made.ModTime()) {
			return errSummaryOlder
		}
	}
	return nil
}

// summaryOf returns what identifies the present data and times.
func (t *trace) summaryOf() (of summary.Of, err error) {
	err = t.use(func() error {
		of.Data = summary.PrintOf(t.data.Bytes())
		if s := t.times.Load(); s.Usable() {
			of.Times, of.Timed = summary.PrintOf(s.Mapped().Bytes()), true
		}
		return nil
	})
	return of, err
}

// directory returns the directory, if it is that of a view's streams. s must be in use.
func (s *summaryFile) directory(v *index.View) (*summary.Directory, error) {
	if s.file == nil {
		return nil, fs.ErrNotExist
	}
	d, err := s.file.Directory()
	if err != nil {
		return nil, err
	}
	if len(d.Streams) != len(v.Streams) {
		return nil, summary.ErrOther
	}
	for i, st := range v.Streams {
		if d.Streams[i] != (summary.Stream{Thread: st.Thread, Size: st.Size}) {
			return nil, fmt.Errorf("%w: thread %d has another size", summary.ErrOther, int64(st.Thread)+1)
		}
	}
	return d, nil
}
