package perfetto

import (
	"fmt"

	"tracex/format"
)

// ErrNotPerfetto means that the input is not a trace of Perfetto. It is also a
// [format.ErrNotTrace].
var ErrNotPerfetto error = notPerfetto{}

// What the input is instead. Each of these is an [ErrNotPerfetto].
var (
	// ErrGzip and ErrZstd mean compressed data, which may contain a trace.
	ErrGzip = fmt.Errorf("%w", ErrNotPerfetto)
	ErrZstd = fmt.Errorf("%w", ErrNotPerfetto)
	// ErrTrace means a trace of package format, which needs no conversion.
	ErrTrace = fmt.Errorf("%w", ErrNotPerfetto)
)

type notPerfetto struct{}

func (notPerfetto) Error() string        { return "not a Perfetto trace" }
func (notPerfetto) Is(target error) bool { return target == format.ErrNotTrace }
