//go:build linux || darwin

package mapped

import "golang.org/x/sys/unix"

// scattered tells the system how mapped pages are about to be read.
func scattered(b []byte, on bool) {
	advice := unix.MADV_NORMAL
	if on {
		advice = unix.MADV_RANDOM
	}
	unix.Madvise(b, advice)
}
