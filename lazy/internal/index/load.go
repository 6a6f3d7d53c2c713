package index

import (
	"context"
	"errors"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// Loader makes the one pass over a mapped index, and builds a View.
type Loader struct {
	Index, Data *mapped.File
	// Reference gets each reference object that has a cell, from its first byte to
	// the end of the data. An error means that the cell is wrong.
	Reference func(object []byte, cell format.Cell) error
	// Accept gets the View. An error that is ErrContradiction refuses the index.
	Accept func(*View) error
	// Progress, if not nil, gets the number of bytes of the index done, now and then.
	Progress func(done int64)
}

// Load makes the pass. It must be called within mapped.Guard. It calls Accept only at the
// end: in the middle of an index it is not known which containers are open, and so
// where the children of a node begin. If the first and the last cell are both
// of blocks, the index may be a streaming writer's or a dump writer's; the latter is
// tried if it cannot be the former.
func (l *Loader) Load(ctx context.Context) error {
	err := l.pass(false).run(ctx)
	if err == nil || !errors.Is(err, ErrContradiction) {
		return err
	}
	b := l.Index.Bytes()
	if total := int64(len(b)); total < format.HeaderSize+format.IndexTail+format.CellSize ||
		format.Kind(b[format.HeaderSize]) != format.KindBlockStart || // it was read as a dump writer's
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
