//go:build !unix

package recorder

import "time"

// processorTime is unknown here.
func processorTime() time.Duration { return 0 }
