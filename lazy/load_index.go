package lazy

import (
	"context"
	"errors"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// loader makes the one pass over a mapped index, and says what it tells of the
// trace.
type loader struct {
	index, data *mapped.File
	// reference gets each reference object that a cell names, from its first byte to
	// the end of the data. Its error says that the cell is wrong.
	reference func(object []byte, cell format.Cell) error
	// accept gets what the index says. Its error, with errContradiction, refuses that.
	accept func(*view) error
	// progress, when not nil, gets the bytes of the index that are done, now and then.
	progress func(done int64)
}

// load makes the pass. It must be called within guard. It publishes nothing before the
// end: in the middle of an index there is no telling which containers are open, and
// so where the children of a node begin. Where the first and the last cell are both
// of blocks, the index may be a streaming writer's or a dump writer's; the latter is
// tried when it cannot be the former.
func (l *loader) load(ctx context.Context) error {
	err := l.pass(false).run(ctx)
	if err == nil || !errors.Is(err, errContradiction) {
		return err
	}
	b := l.index.Bytes()
	if total := int64(len(b)); total < format.HeaderSize+format.IndexTail+format.CellSize ||
		format.Kind(b[format.HeaderSize]) != format.KindBlockStart || // it was taken for a dump writer's
		format.Kind(b[total-format.IndexTail-format.CellSize]) != format.KindBlockStart {
		return err
	}
	if l.pass(true).run(ctx) == nil {
		return nil
	}
	return err
}

func (l *loader) pass(dump bool) *pass {
	progress := l.progress
	if progress == nil {
		progress = func(int64) {}
	}
	return &pass{index: l.index, data: l.data, dump: dump, reference: l.reference, publish: l.accept, progress: progress}
}
