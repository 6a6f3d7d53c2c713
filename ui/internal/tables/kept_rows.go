package tables

import (
	"context"
	"sync"

	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
)

// kept are rows that are read when they appear on the screen. A few thousand are kept. Any goroutine may call its
// methods.
type kept struct {
	from  table.Source // reads a row where it is asked for it
	n     int          // how many there are
	known *knownRows
	set   *places.Set // whose places they are; nil if that is not told
}

// knownRows are rows that have been read, by number.
type knownRows struct {
	mu   sync.Mutex
	read map[int][]table.Value
}

// mostKept bounds the rows that are kept.
const mostKept = 8192

// newKept returns n rows of a table that have not been read yet.
func newKept(from table.Source, n int) *kept {
	return &kept{from: from, n: n, known: &knownRows{read: make(map[int][]table.Value)}}
}

func (k *kept) Len() int { return k.n }

func (k *kept) Row(i int) []table.Value {
	k.known.mu.Lock()
	defer k.known.mu.Unlock()
	return k.known.read[i]
}

// loadKept makes rows of a table known, if its rows are kept.
func loadKept(ctx context.Context, t *table.Table, from, to int) error {
	k, ok := t.Rows.(*kept)
	if !ok {
		return nil
	}
	k.known.mu.Lock()
	if len(k.known.read)+to-from > mostKept {
		clear(k.known.read) // before, as all of these are wanted
	}
	k.known.mu.Unlock()
	for i := max(from, 0); i < min(to, k.n); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if k.Row(i) != nil {
			continue
		}
		row := k.from.Row(i)
		if row == nil {
			return k.Err()
		}
		k.known.mu.Lock()
		k.known.read[i] = row
		k.known.mu.Unlock()
	}
	return nil
}

func (k *kept) Err() error {
	if f, ok := k.from.(interface{ Err() error }); ok {
		return f.Err()
	}
	return nil
}
