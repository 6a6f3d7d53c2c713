package trace

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
)

// ErrNotRegular is the error for a pipe, a socket or a device where a file was
// expected. Such an error is also a [format.ErrNotTrace].
var ErrNotRegular = mapped.ErrNotRegular

func (r *Worker) Close() error {
	r.Cancel()
	<-r.Done
	return r.close()
}

// Identity is what tells a trace apart from all others, wherever its files are and whether it is packed.
type Identity [16]byte

// Samples of a file that make its identity: so many of so many bytes, from its first bytes to its last.
const (
	identitySamples = 64
	identitySample  = 4096
)

func IdentityOf(r *Worker) (id Identity, err error) {
	h := sha256.New()
	err = r.Use(func() error {
		sampleFile(h, r.Data)
		if t := r.TimesFile.Load(); t != nil {
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

// Insist runs f, and again if the index that f used turned out to be wrong and was
// rebuilt. An index made from the data is never wrong.
func (r *Worker) Insist(ctx context.Context, f func() error) error {
	for {
		epoch := r.Epoch.Load()
		err := f()
		if again, err := r.Remade(ctx, err, epoch); !again {
			return err
		}
	}
}

// Remade handles err: if it means that the index of an epoch is wrong, remade waits
// until the index is rebuilt, and reports whether it was.
func (r *Worker) Remade(ctx context.Context, err error, epoch int64) (bool, error) {
	if !errors.Is(err, index.ErrContradiction) && !errors.Is(err, format.ErrCorrupt) {
		return false, err
	}
	if werr := r.Wait(ctx); werr != nil {
		return false, werr
	}
	return r.Epoch.Load() != epoch, err
}

func LookForAnother(r *Worker) {
	if now := r.Now(); !now.Growth.On && !now.Replaced && r.file.replaced(r.Path, r.Known.Load().EOF) {
		r.Note(func(s *Status) { s.Replaced = true })
	}
}

func (r *Worker) Wait(ctx context.Context) error {
	for {
		if r.Now().Phase.rests() {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.Done:
			return nil
		case <-r.settled():
		}
	}
}
