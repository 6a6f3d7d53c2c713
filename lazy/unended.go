package lazy

import (
	"errors"
	"fmt"
	"os"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// Reasons why data has no end, for [Options.Unended].
var (
	// ErrRecording: its program still records it.
	ErrRecording = errors.New("still being recorded")
	// ErrUnfinished: its program ended without closing it, and the last part of the recording
	// is elsewhere.
	ErrUnfinished = errors.New("its program ended without closing it")
)

// errGrew is the reason that the reader finds itself.
var errGrew = fmt.Errorf("%w: it grew while it was read", ErrRecording)

// WhyUnended is why data has no end, and what to do about it.
type WhyUnended struct {
	Why  error  // wraps ErrRecording or ErrUnfinished; nil if not known
	Hint string // may be ""
}

// Explain adds the result of ended to err if err means that the data at path has no
// end, and returns err otherwise. [errors.Is] still finds [format.ErrTruncated]. size
// is the number of bytes of the file that were read; -1 for all.
func Explain(err error, path string, size int64, ended func() WhyUnended) error {
	var e *format.Error
	if !errors.Is(err, format.ErrTruncated) || !errors.As(err, &e) {
		return err
	}
	var u WhyUnended
	if ended != nil {
		u = ended()
	}
	if st, serr := os.Stat(path); u.Why == nil && serr == nil && size >= 0 && st.Size() > size {
		u = WhyUnended{errGrew, "open it again, or follow it"}
	}
	if u.Why == nil {
		return err
	}
	explained := *e
	explained.Err, explained.Hint, explained.Expected, explained.Found = &endless{u.Why}, u.Hint, "", ""
	return &explained
}

// endless is the reason why data is cut short.
type endless struct{ why error }

func (u *endless) Error() string        { return u.why.Error() }
func (u *endless) Unwrap() error        { return u.why }
func (u *endless) Is(target error) bool { return target == format.ErrTruncated }

// problem returns the fault that a scan found in the data.
func (w *worker) problem(s *index.Scan) error {
	read := int64(len(w.data.Bytes()))
	if w.indexPath == "" { // unpacked: the file at path is the ZIP
		read = -1
	}
	return Explain(s.Problem(), w.path, read, w.opts.Unended)
}
