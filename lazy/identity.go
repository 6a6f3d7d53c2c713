package lazy

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"tracex/lazy/internal/mapped"
)

// Identity is what tells a trace apart from all others, wherever its files are and whether it is packed.
type Identity [16]byte

// Samples of a file that make its identity: so many of so many bytes, from its first bytes to its last.
const (
	identitySamples = 64
	identitySample  = 4096
)

// IdentityOf returns the identity of a complete trace: a digest of the sizes of its data and times, and of 64
// samples of 4 KiB of each. Two recordings of a program differ in the moment when they began, which is
// in the times. Without times they may be the same, byte by byte: then they are one trace.
func IdentityOf(r *LazyTraceReader) (id Identity, err error) {
	h := sha256.New()
	err = r.use(func() error {
		sampleFile(h, r.data)
		if t := r.times.Load(); t != nil {
			sampleFile(h, t.Mapped())
		}
		return nil
	})
	copy(id[:], h.Sum(nil))
	return id, err
}

// sampleFile adds a file to a digest.
func sampleFile(h hash.Hash, f *mapped.File) {
	b := f.Bytes()
	size := int64(len(b))
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(size))) // a hash takes all
	if size <= identitySamples*identitySample {
		_, _ = h.Write(b)
		return
	}
	for i := range int64(identitySamples) {
		at := (size - identitySample) / (identitySamples - 1) * i
		if i == identitySamples-1 {
			at = size - identitySample
		}
		_, _ = h.Write(b[at : at+identitySample])
	}
}
