package live

import "golang.org/x/sys/unix"

// singly has the pages of a mapping come one by one. Without it the first store into a
// new file makes the system read ahead what is behind it, which are zeros: of a MiB in
// a millisecond, in the middle of the call that is recorded.
func singly(mem []byte) {
	_ = unix.Madvise(mem, unix.MADV_RANDOM) // else it takes longer
}
