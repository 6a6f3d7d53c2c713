package fit

import "hash/maphash"

// Map is a map that drops old entries: it keeps at least the limit most recently used entries, and
// at most twice as many. It bounds a conversion's memory if an input has a new name in each event.
type Map[K comparable, V any] struct {
	limit      int
	young, old map[K]V
}

// NewMap returns an empty map.
func NewMap[K comparable, V any](limit int) *Map[K, V] {
	return &Map[K, V]{limit: limit, young: make(map[K]V)}
}

// Get returns the value of a key, and whether it is known.
func (m *Map[K, V]) Get(key K) (V, bool) {
	v, ok := m.young[key]
	if !ok && m.old != nil {
		if v, ok = m.old[key]; ok {
			m.Put(key, v)
		}
	}
	return v, ok
}

// Put sets the value of a key.
func (m *Map[K, V]) Put(key K, v V) {
	if len(m.young) >= m.limit {
		m.young, m.old = make(map[K]V), m.young
	}
	m.young[key] = v
}

// Digest identifies a text. Two texts with the same digest practically never occur, even if someone
// tries, since the seeds change with each run.
type Digest [2]uint64

var digestSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// DigestOf returns the digest of a text.
func DigestOf(text []byte) Digest {
	return Digest{maphash.Bytes(digestSeeds[0], text), maphash.Bytes(digestSeeds[1], text)}
}
