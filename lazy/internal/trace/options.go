package trace

import (
	"errors"
	"fmt"
	"os"

	"tracex/format"
)

// Options configure Open.
type Options struct {
	Memory  int64 // budget in bytes for the loaded nodes of a Tree; 0: the usual one
	NoWrite bool  // do not store an index
	Alone   bool  // the data is a copy, as of a pipe: the other files of the trace are not beside it

	// Index is the path of the index; "" for the data's name with [format.IndexSuffix] added, or the index
	// in a packed trace. One that is given is only read: if it is missing or not of this data the trace is
	// read without it, Status.IndexReason tells why, and nothing is stored.
	Index string

	// Follow keeps reading while the trace is being written: new data is shown
	// as it arrives, until the trace is complete. A file that does not exist yet
	// is waited for. See Status.Growth.
	Follow bool

	// Unended, if not nil, returns why data without an end has none. Any goroutine
	// may call it.
	Unended func() WhyUnended
	// Finish, if not nil, is called while a followed trace does not grow. If its
	// program has ended without closing it, Finish brings in what the program left,
	// and returns a sentence for Status.Ended; "" if there is nothing to do.
	// Its error is why that failed.
	Finish func() (told string, err error)
	// Ended is the initial value of Status.Ended.
	Ended string

	// Moves are what was moved and renamed in a diff that was just made: the trace itself does not tell it.
	Moves Moves
}

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
