package lazy

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

// LazyTraceReader reads a trace of any size. It maps data and index; its memory
// grows with the number of blocks and reference objects, not with the number of
// calls. All methods may be called from any goroutine, and any number of readers
// may be open at once.
//
// It is a facade for two parts: the trace, with the open files and what is known, and
// the worker, whose goroutine finds out more.
type LazyTraceReader struct {
	*worker
}

// ErrNotRegular is the error for a pipe, a socket or a device where a file was
// expected. Such an error is also a [format.ErrNotTrace].
var ErrNotRegular = mapped.ErrNotRegular

// Close ends the background work and unmaps the files. It waits for reads in
// progress. Values handed out before stay valid.
func (r *LazyTraceReader) Close() error {
	r.cancel()
	<-r.done
	return r.close()
}

// Version returns the format version of the trace; 0 while nothing of it has been
// read, as with a packed trace that is still being unpacked.
func (r *LazyTraceReader) Version() format.Version { return r.version() }

// Path returns the path that was opened.
func (r *LazyTraceReader) Path() string { return r.path }

// Info returns what a packed trace records about its run; nil for any other trace.
func (r *LazyTraceReader) Info() *format.Info { return r.info }

// Size returns the sizes of data and index in bytes; 0 for an index that is absent
// or not used.
func (r *LazyTraceReader) Size() (data, index int64) { return r.sizes() }

// WithContext calls f with the trace's descriptors. f may only read them, and must not
// keep them: they may grow after it has returned.
func (r *LazyTraceReader) WithContext(f func(*format.Context)) { r.withContext(f) }

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

// insist runs f, and again if the index that f used turned out to be wrong and was
// rebuilt. An index made from the data is never wrong.
func insist(ctx context.Context, r *LazyTraceReader, f func() error) error {
	for {
		epoch := r.epoch.Load()
		err := f()
		if again, err := remade(ctx, r, err, epoch); !again {
			return err
		}
	}
}

// remade handles err: if it means that the index of an epoch is wrong, remade waits
// until the index is rebuilt, and reports whether it was.
func remade(ctx context.Context, r *LazyTraceReader, err error, epoch int64) (bool, error) {
	if !errors.Is(err, index.ErrContradiction) && !errors.Is(err, format.ErrCorrupt) {
		return false, err
	}
	if werr := r.Wait(ctx); werr != nil {
		return false, werr
	}
	return r.epoch.Load() != epoch, err
}

// LookForAnother looks whether another data file has the name of the trace's now, or, if the trace is complete, whether
// its file was written to: then the status tells, and [LazyTraceReader.Follow] begins with what is there. It asks the file
// system. A trace that is followed does not need it, and of a packed one it learns nothing.
func LookForAnother(r *LazyTraceReader) {
	if now := r.Status(); !now.Growth.On && !now.Replaced && r.file.replaced(r.path, r.known.Load().EOF) {
		r.note(func(s *Status) { s.Replaced = true })
	}
}

// Status returns the state of the reader.
func (r *LazyTraceReader) Status() Status { return r.now() }

// Changed returns a channel that receives after the status, or what is known
// about the trace, has changed. Several changes may be combined into one.
func (r *LazyTraceReader) Changed() <-chan struct{} { return r.changed }

// Wait waits until the background work has ended, successfully or not, or, for a
// followed trace, until everything written so far is known. It returns ctx's error
// if ctx ends first.
func (r *LazyTraceReader) Wait(ctx context.Context) error {
	for {
		if r.Status().Phase.rests() {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.done:
			return nil
		case <-r.settled():
		}
	}
}
