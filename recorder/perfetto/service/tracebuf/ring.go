package tracebuf

import (
	"iter"
	"slices"
)

// ring holds the records of a buffer, oldest first.
type ring struct {
	records []*record
	first   int // index in records
}

func (g *ring) len() int { return len(g.records) - g.first }

func (g *ring) push(r *record) {
	if g.first > 64 && g.first > len(g.records)/2 {
		g.records = append(g.records[:0], g.records[g.first:]...)
		clear(g.records[len(g.records):cap(g.records)])
		g.first = 0
	}
	g.records = append(g.records, r)
}

// drop removes the n oldest records.
func (g *ring) drop(n int) {
	clear(g.records[g.first : g.first+n])
	g.first += n
}

// pushOldest adds a record before all others.
func (g *ring) pushOldest(r *record) {
	if g.first == 0 {
		g.records = slices.Insert(g.records, 0, r)
		return
	}
	g.first--
	g.records[g.first] = r
}

func (g *ring) all() iter.Seq[*record] { return slices.Values(g.records[g.first:]) }
