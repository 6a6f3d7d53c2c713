package index

import (
	"context"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// Rebuild makes the index of a data file from the data only and stores it
// at path, "" for the default name beside the data. It replaces an existing file only
// once the index is complete. progress may be nil; it gets bytes of data.
// Rebuild refuses a recording without its end mark unless force is set; the index
// then ends with the last whole object.
func Rebuild(ctx context.Context, data, path string, force bool, progress func(done, total int64)) error {
	if path == "" {
		path = data + format.IndexSuffix
	}
	m, err := mapped.Open(data, format.CheckDataHeader)
	if err != nil {
		return err
	}
	defer m.Unmap()
	out, err := Create(path, data, m.Version())
	if err != nil {
		return err
	}
	s := NewScan(m, func([]byte, format.Cell) error { return nil })
	s.out = out
	a := m.ReadAhead(0, nil)
	defer a.Stop()
	for more := true; more; {
		a.Reached(s.scanner.Offset())
		err := mapped.Guard(func() error {
			var err error
			more, err = s.Advance(ctx, verifyBytes)
			return err
		}, m)
		if err != nil {
			out.Abandon()
			return err
		}
		if progress != nil {
			progress(s.scanner.Offset(), int64(len(m.Bytes())))
		}
	}
	if problem := s.Problem(); problem != nil && !force {
		out.Abandon()
		return problem
	}
	if out.InBlock() {
		out.EndBlock(s.scanner.Offset())
	}
	return out.Commit()
}
