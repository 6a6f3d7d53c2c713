package perfetto

import "io"

// Writers are where a trace is written: data, index, and times.
type Writers struct {
	Data, Index, Times io.Writer
}
