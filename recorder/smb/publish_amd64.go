//go:build !race

package smb

// publish stores a word behind all that was written before: a store with release
// order. Those of sync/atomic are full barriers, which takes most of the time of a
// small packet. This machine keeps the order of stores by itself, and the compiler
// moves none over a call.
//
//go:noinline
func publish(p *uint32, v packetsWord) { *p = uint32(v) }
