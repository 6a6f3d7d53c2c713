package trace

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
	ErrSummaryOlder = errors.New("older than the data")
	ErrSummaryTimes = errors.New("made with other times")
)

// SummaryPath returns where the summary is; "" for a trace that has none.
func (t *Trace) SummaryPath() string {
	if t.indexPath == "" {
		return "" // unpacked
	}
	return t.Path + format.SumSuffix
}

// WithSummary calls f while the summary stays as it is.
func (t *Trace) WithSummary(f func(*SummaryFile) error) error {
	s := &t.Summary
	if err := t.lookForSummary(); err != nil {
		return err
	}
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	if s.closed {
		return ErrClosed
	}
	return mapped.Guard(func() error { return f(s) }, s.M)
}

// lookForSummary opens the summary, unless that was tried with the present data.
func (t *Trace) lookForSummary() error {
	size, _ := t.Sizes()
	s := &t.Summary
	s.Mu.RLock()
	done := s.Looked == size && s.Timed == t.Timed() || s.closed
	s.Mu.RUnlock()
	if done {
		return nil
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.drop()
	s.Looked, s.Timed = size, t.Timed()
	path := t.SummaryPath()
	if path == "" || size == 0 {
		return nil
	}
	m, file, err := t.openSummary(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		s.Why = err
	default:
		s.M, s.File = m, file
	}
	return nil
}

// openSummary maps a summary that fits the data.
func (t *Trace) openSummary(path string) (*mapped.File, *summary.File, error) {
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
func (t *Trace) fits(f *os.File, of summary.Of) error {
	if size, _ := t.Sizes(); size != of.Data.Size {
		return summary.ErrOther
	}
	made, err := f.Stat()
	if err != nil {
		return err
	}
	is, err := t.SummaryOf()
	switch {
	case err != nil:
		return err
	case is.Data != of.Data:
		return summary.ErrOther
	case is != of:
		return ErrSummaryTimes
	}
	paths := []string{t.Path}
	if of.Timed {
		paths = append(paths, t.TimesPath)
	}
	for _, path := range paths {
		if st, err := os.Stat(path); err != nil || st.ModTime().After(made.ModTime()) {
			return ErrSummaryOlder
		}
	}
	return nil
}

// SummaryOf returns what identifies the present data and times.
func (t *Trace) SummaryOf() (of summary.Of, err error) {
	err = t.Use(func() error {
		of.Data = summary.PrintOf(t.Data.Bytes())
		if s := t.TimesFile.Load(); s.Usable() {
			of.Times, of.Timed = summary.PrintOf(s.Mapped().Bytes()), true
		}
		return nil
	})
	return of, err
}

// Directory returns the directory, if it is that of a view's streams. s must be in use.
func (s *SummaryFile) Directory(v *index.View) (*summary.Directory, error) {
	if s.File == nil {
		return nil, fs.ErrNotExist
	}
	d, err := s.File.Directory()
	if err != nil {
		return nil, err
	}
	if len(d.Streams) != v.Streams.Len() {
		return nil, summary.ErrOther
	}
	for i, st := range v.Streams.All() {
		if d.Streams[i] != (summary.Stream{Thread: st.Thread, Size: st.Size}) {
			return nil, fmt.Errorf("%w: thread %d has another size", summary.ErrOther, int64(st.Thread)+1)
		}
	}
	return d, nil
}
