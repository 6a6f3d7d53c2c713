package index

import (
	"context"
	"errors"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// Loader makes the one pass over a mapped index, and says what it tells of the
// trace.
type Loader struct {
	Index, Data *mapped.File
	// Reference gets each reference object that a cell names, from its first byte to
	// the end of the data. Its error says that the cell is wrong.
	Reference func(object []byte, cell format.Cell) error
	// Accept gets what the index says. Its error, with errContradiction, refuses that.
	Accept func(*View) error
	// Progress, when not nil, gets the bytes of the index that are done, now and then.
	Progress func(done int64)
}

// Load makes the pass. It must be called within guard. Accept is not called before the
// end: in the middle of an index there is no telling which containers are open, and
// so where the children of a node begin. Where the first and the last cell are both
// of blocks, the index may be a streaming writer's or a dump writer's; the latter is
// tried when it cannot be the former.
func (l *Loader) Load(ctx context.Context) error {
	err := l.pass(false).run(ctx)
	if err == nil || !errors.Is(err, ErrContradiction) {
		return err
	}
	b := l.Index.Bytes()
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

func (l *Loader) pass(dump bool) *pass {
	progress := l.Progress
	if progress == nil {
		progress = func(int64) {}
	}
	return &pass{index: l.Index, data: l.Data, dump: dump, reference: l.Reference, publish: l.Accept, progress: progress}
}
