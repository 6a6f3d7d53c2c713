package perfetto

import "tracex/format/tracefile"

// Writers are where a trace is written: data, index, and times.
type Writers = tracefile.Files
