package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
)

// find checks which file has the trace's name now, and begins with it if it is
// not the same as before.
func (w *follower) find() error {
	st, err := os.Stat(w.Path)
	switch {
	case err == nil && w.lost == nil && w.stat != nil && os.SameFile(st, w.stat):
		return nil
	case err == nil:
		return w.take()
	case !errors.Is(err, fs.ErrNotExist):
		w.why = err
	case w.Data == nil:
		w.why = errNoFile
	default:
		w.why = ErrGone
	}
	return nil
}

// take begins with the file that has the trace's name, if it has the header of a
// trace. Otherwise it sets w.why to the reason why no data can arrive, and keeps what is
// shown. If nothing is shown yet, it returns an error instead, unless the file may still
// become a trace: because it is missing, empty or cut short.
func (w *follower) take() error {
	err := w.takeFile()
	if err == nil || w.Data == nil && !errors.Is(err, ErrEmptyFile) && !errors.Is(err, format.ErrTruncated) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w.why = err
	return nil
}

func (w *follower) takeFile() error {
	f, size, err := mapped.OpenRegular(w.Path)
	if err != nil {
		return err
	}
	head := make([]byte, 512)
	n, err := f.ReadAt(head, 0)
	switch head = head[:n]; {
	case err != nil && err != io.EOF:
	case n == 0 && size == 0:
		err = ErrEmptyFile
	case isZip(head):
		err = &format.Error{File: w.Path, Offset: -1, Err: ErrPacked, Found: "a ZIP file", Hint: "open it without following it"}
	default:
		if _, err = format.CheckDataHeader(head); err != nil {
			err = format.At(err, w.Path, 0)
		} else {
			err = w.beginWith(f)
		}
	}
	if err != nil {
		f.Close()
	}
	return err
}

// beginWith shows a file, from its beginning, instead of what was shown.
func (w *follower) beginWith(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	m, err := mapped.Map(f, w.Path)
	if err != nil {
		return err
	}
	var s *index.Scan
	var found *format.Context
	if err = m.CheckHeader(format.CheckDataHeader); err == nil {
		s, found = newFollowScan(m)
		err = mapped.Guard(func() error {
			_, err := s.Advance(context.Background(), firstScan)
			return err
		}, m)
	}
	if err == nil {
		err = w.setData(m, s.View(false), found, w.replaced())
	} else {
		m.Unmap()
	}
	if err != nil {
		return err
	}
	s.SetReference(w.AddReference)
	w.close()
	w.why, w.lost, w.grown = nil, nil, grown{f: f, stat: info, s: s}
	w.keepEnd(m)
	w.again = w.sumUp() != nil
	w.GrowTimes()
	w.begin(PhaseRebuilding, int64(len(m.Bytes())))
	return nil
}

// replaced returns why a different file is shown now; nil if on request.
func (w *follower) replaced() error {
	if w.lost == nil && w.stat != nil {
		return errReplaced
	}
	return w.lost
}

// newFollowScan returns a scan of a file that is being written, and the
// context that its descriptors are added to.
func newFollowScan(m *mapped.File) (*index.Scan, *format.Context) {
	found := format.NewContext(m.Version())
	return index.NewGrowingScan(m, index.Into(found)), found
}

// remap brings the mapping to the size of the file. It reports whether the data
// shown still exists.
func (w *follower) remap() (same bool, err error) {
	st, err := w.f.Stat()
	if err != nil {
		return false, err
	}
	m := w.Data
	have, size := int64(len(m.Bytes())), st.Size()
	switch {
	case size > have:
		if err := w.change(func() error { return m.Grow(w.f, size) }); err != nil {
			return false, err
		}
		w.GrowTimes()
	case size < have:
		if err := w.change(func() error { m.Cut(size); return nil }); err != nil {
			return false, err
		}
		if size < w.shown {
			w.lost = fmt.Errorf("the file was cut short from %d to %d bytes; reading it again", have, size)
			return false, nil
		}
		w.again = w.again || size < w.s.Offset()
	default:
		return true, nil
	}
	err = w.Use(func() error {
		same = bytes.Equal(m.Bytes()[w.shown-int64(len(w.last)):w.shown], w.last)
		return nil
	})
	if err == nil && !same {
		w.lost = errRewritten
	}
	return same, err
}

// keepEnd keeps the last bytes shown.
func (w *follower) keepEnd(m *mapped.File) {
	w.shown = w.s.Shown()
	err := mapped.Guard(func() error {
		w.last = bytes.Clone(m.Bytes()[max(0, w.shown-64):w.shown])
		return nil
	}, m)
	if err != nil {
		w.last = nil
	}
}
