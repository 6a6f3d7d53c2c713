//go:build !unix

package recorder

import "time"

// processorTime is not known.
func processorTime() time.Duration { return 0 }
