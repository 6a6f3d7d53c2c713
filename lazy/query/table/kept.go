package table

import (
	"context"
	"sync"
)

// Kept are rows that are read when they are loaded, a few thousand at most. Any goroutine may call its methods.
type Kept struct {
	From  Source // reads a row where it is asked for it
	n     int    // how many there are
	known *knownRows
}

// knownRows are rows that have been read, by number.
type knownRows struct {
	mu   sync.Mutex
	read map[int][]Value
}

// mostKept bounds the rows that are kept.
const mostKept = 8192

// NewKept returns n rows of a table that have not been read yet.
func NewKept(from Source, n int) *Kept {
	return &Kept{From: from, n: n, known: &knownRows{read: make(map[int][]Value)}}
}

// Knows shares the rows that have been read with earlier ones, of the same rows and maybe fewer.
func (k *Kept) Knows(earlier *Kept) { k.known = earlier.known }

// Len returns the number of rows.
func (k *Kept) Len() int { return k.n }

// Row returns a row; nil if it has not been loaded.
func (k *Kept) Row(i int) []Value {
	k.known.mu.Lock()
	defer k.known.mu.Unlock()
	return k.known.read[i]
}

// Load reads rows: see [Loader].
func (k *Kept) Load(ctx context.Context, from, to int) error {
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
		row := k.From.Row(i)
		if row == nil {
			return k.Err()
		}
		k.known.mu.Lock()
		k.known.read[i] = row
		k.known.mu.Unlock()
	}
	return nil
}

// Err returns why rows could not be read.
func (k *Kept) Err() error {
	if f, ok := k.From.(interface{ Err() error }); ok {
		return f.Err()
	}
	return nil
}
