package live

import "golang.org/x/sys/unix"

// noReadAhead makes the pages of a mapping load one by one. Otherwise the first store into a new
// file makes the system read ahead the zeros that follow it: a MiB in a millisecond, in the
// middle of the call that is recorded.
func noReadAhead(mem []byte) {
	_ = unix.Madvise(mem, unix.MADV_RANDOM) // otherwise it takes longer
}
