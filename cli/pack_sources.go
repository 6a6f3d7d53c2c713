package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tracex/format"
	"tracex/lazy"
)

// packSources are the files that are packed with a data file.
type packSources struct {
	index, times *os.File // times may be nil
	points       *int64   // trace points in the data; nil if not counted, or not part of its version
	drop         func()   // closes and removes the files
}

// sourcesToPack opens the index of a data file and its times, if there are any that
// belong to it. If there is no index that agrees with the data, it makes one in a
// temporary file.
func sourcesToPack(ctx context.Context, a *app, in *input, force bool) (with packSources, err error) {
	data := in.path
	r, err := lazy.Open(data, lazy.Options{NoWrite: true, Unended: in.unended})
	if err != nil {
		return with, err
	}
	defer r.Close()
	if err := a.waitUntilRead(ctx, r); err != nil {
		return with, err
	}
	s := r.Status()
	if s.Problem != nil && !force {
		return with, withHint(s.Problem, "--force packs what is intact")
	}
	remarkIndex(a, r)
	dropIndex := func() { with.index.Close() }
	if s.Index == lazy.IndexRecorded {
		with.index, err = os.Open(data + format.IndexSuffix)
	} else {
		with.index, dropIndex, err = makeIndex(ctx, a, data, force)
	}
	if err != nil {
		return with, err
	}
	with.points = pointsOf(r)
	with.times, err = timesToPack(r, data+format.TimesSuffix, with.index)
	if err != nil {
		// A trace is complete without them.
		a.remark("packed without times", err)
	}
	with.drop = func() { dropIndex(); with.times.Close() }
	return with, nil
}

// pointsOf returns the number of trace points if it is known and the version records it. It is
// known if the data was read for its index; versions since 27 record it.
func pointsOf(r *lazy.LazyTraceReader) *int64 {
	if r.Version() < format.V27 {
		return nil
	}
	n := int64(0)
	for t := range r.ThreadList().All() {
		if !t.Counted {
			return nil
		}
		n += t.Events
	}
	return &n
}

// makeIndex writes the index of a data file to a temporary file.
func makeIndex(ctx context.Context, a *app, data string, force bool) (index *os.File, drop func(), err error) {
	dir, err := os.MkdirTemp("", "tracex-")
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, "index")
	p := a.newProgress("indexing")
	err = lazy.RebuildIndex(ctx, data, path, force, p.Update)
	p.End()
	if err == nil {
		index, err = os.Open(path)
	}
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return index, func() { index.Close(); os.RemoveAll(dir) }, nil
}

// timesToPack opens the times of a trace. It returns nil if there are none, with an
// error if there is a file that must not be packed.
func timesToPack(r *lazy.LazyTraceReader, path string, index *os.File) (*os.File, error) {
	if _, ok := r.Times(); !ok {
		return nil, r.Status().TimesReason
	}
	times, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, _ := r.Size()
	if most := format.MaxTimes(data, sizeOf(index)); sizeOf(times) > most {
		times.Close()
		return nil, &format.Error{File: path, Offset: most, Err: format.ErrCorrupt,
			Expected: fmt.Sprintf("at most %d bytes of times for this trace", most), Found: "more"}
	}
	return times, nil
}
