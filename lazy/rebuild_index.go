package lazy

import (
	"context"
	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// rebuildIndex makes the index of a data file from the data alone and puts it
// at path, "" for the name that belongs to the data. It replaces what is
// there, at the end and whole. progress may be nil; it gets bytes of data.
// A recording without its end mark is refused unless force is set; the index
// then ends with what is whole.
func rebuildIndex(ctx context.Context, data, path string, force bool, progress func(done, total int64)) error {
	if path == "" {
		path = data + format.IndexSuffix
	}
	m, err := mapped.Open(data, format.CheckDataHeader)
	if err != nil {
		return err
	}
	defer m.Unmap()
	out, err := createIndex(path, data, m.Version())
	if err != nil {
		return err
	}
	s := newScan(m, func([]byte, format.Cell) error { return nil })
	s.out = out
	a := m.ReadAhead(0, nil)
	defer a.Stop()
	for more := true; more; {
		a.Reached(s.scanner.Offset())
		err := mapped.Guard(func() error {
			var err error
			more, err = s.step(ctx, verifyBytes)
			return err
		}, m)
		if err != nil {
			out.abandon()
			return err
		}
		if progress != nil {
			progress(s.scanner.Offset(), int64(len(m.Bytes())))
		}
	}
	if problem := s.problem(); problem != nil && !force {
		out.abandon()
		return problem
	}
	if out.open >= 0 {
		out.endBlock(s.scanner.Offset())
	}
	return out.commit()
}
