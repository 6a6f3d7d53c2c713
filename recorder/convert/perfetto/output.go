package perfetto

import "io"

// Output is where a trace is written: data, index, and times.
type Output struct {
	Data, Index, Times io.Writer
}

// blockBudget is how many bytes of blocks of all threads are gathered.
const blockBudget = 16 << 20
