package perfetto

import (
	"fmt"

	"tracex/format"
)

// What an input is instead of a trace of Perfetto. Each is an [ErrNotPerfetto], which
// is a [format.ErrNotTrace].
var (
	ErrNotPerfetto = fmt.Errorf("%w", format.ErrNotTrace)
	// ErrGzip and ErrZstd: compressed data, which may hold a trace.
	ErrGzip = fmt.Errorf("%w", ErrNotPerfetto)
	ErrZstd = fmt.Errorf("%w", ErrNotPerfetto)
	// ErrTrace: a trace of package format, which needs no conversion.
	ErrTrace = fmt.Errorf("%w", ErrNotPerfetto)
)
