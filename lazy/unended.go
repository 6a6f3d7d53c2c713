package lazy

import (
	"errors"
	"fmt"
	"os"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// Why data has no end, as [Options.Unended] says it.
var (
	// ErrRecording: its program still records it.
	ErrRecording = errors.New("still being recorded")
	// ErrLeft: its program ended without closing it, and what it recorded last is
	// elsewhere.
	ErrLeft = errors.New("its program ended without closing it")
)

// errGrew is what the reader finds out itself.
var errGrew = fmt.Errorf("%w: it grew while it was read", ErrRecording)

// Unended is why data has no end, and what to do about it.
type Unended struct {
	Why  error  // that wraps ErrRecording or ErrLeft; nil: it is not known
	Hint string // may be ""
}

// Explain returns err, of the data at path, as ended says it where err is that the
// data has no end. [errors.Is] still finds [format.ErrTruncated]. size is how many
// bytes of the file were read; -1: all.
func Explain(err error, path string, size int64, ended func() Unended) error {
	var e *format.Error
	if !errors.Is(err, format.ErrTruncated) || !errors.As(err, &e) {
		return err
	}
	var u Unended
	if ended != nil {
		u = ended()
	}
	if st, serr := os.Stat(path); u.Why == nil && serr == nil && size >= 0 && st.Size() > size {
		u = Unended{errGrew, "open it again, or follow it"}
	}
	if u.Why == nil {
		return err
	}
	explained := *e
	explained.Err, explained.Hint, explained.Expected, explained.Found = &endless{u.Why}, u.Hint, "", ""
	return &explained
}

// endless is a cause that data is cut short.
type endless struct{ why error }

func (u *endless) Error() string        { return u.why.Error() }
func (u *endless) Unwrap() error        { return u.why }
func (u *endless) Is(target error) bool { return target == format.ErrTruncated }

// problem is what a scan found wrong with the data.
func (r *worker) problem(s *index.Scan) error {
	read := int64(len(r.data.Bytes()))
	if r.indexPath == "" { // it is unpacked, and the file is something else
		read = -1
	}
	return Explain(s.Problem(), r.path, read, r.opts.Unended)
}
