package perfetto

import (
	"fmt"

	"tracex/format"
)

// ErrNotPerfetto: the input is something else than a trace of Perfetto. It is a
// [format.ErrNotTrace], too.
var ErrNotPerfetto error = notPerfetto{}

// What the input is instead. Each is an [ErrNotPerfetto].
var (
	// ErrGzip and ErrZstd: compressed data, which may hold a trace.
	ErrGzip = fmt.Errorf("%w", ErrNotPerfetto)
	ErrZstd = fmt.Errorf("%w", ErrNotPerfetto)
	// ErrTrace: a trace of package format, which needs no conversion.
	ErrTrace = fmt.Errorf("%w", ErrNotPerfetto)
)

type notPerfetto struct{}

func (notPerfetto) Error() string        { return "not a Perfetto trace" }
func (notPerfetto) Is(target error) bool { return target == format.ErrNotTrace }
