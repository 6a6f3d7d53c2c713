//go:build !amd64 || race

package smb

// publish stores a word behind all that was written before.
func publish(p *uint32, v packetsWord) { storeWord(p, v) }
