package perfetto

import "io"

// Output is where a trace is written: data, index, and times.
type Output struct {
	Data, Index, Times io.Writer
}

// blockBudget is how many bytes all threads' unwritten blocks may take together.
const blockBudget = 16 << 20
