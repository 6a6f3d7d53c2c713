//go:build !unix

package instrumented

import "strconv"

// errnoText returns the message of an error of the system.
func errnoText(n uint64) string { return "errno " + strconv.FormatUint(n, 10) }
