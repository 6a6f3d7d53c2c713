package recorder

import (
	"time"

	_ "tracex/recorder/shared"
)

// A test's service may be slow to answer: that is no reason to fail.
func init() { serviceTimeout = time.Minute }
