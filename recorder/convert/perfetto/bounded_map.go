package perfetto

import "hash/maphash"

// remember is a map that drops old entries: it keeps at least the limit most
// recently used entries, and at most twice as many. It bounds a conversion's memory
// if a trace has a new name in each event.
type remember[K comparable, V any] struct {
	limit      int
	young, old map[K]V
}

func newRemember[K comparable, V any](limit int) *remember[K, V] {
	return &remember[K, V]{limit: limit, young: make(map[K]V)}
}

func (m *remember[K, V]) get(key K) (V, bool) {
	v, ok := m.young[key]
	if !ok && m.old != nil {
		if v, ok = m.old[key]; ok {
			m.put(key, v)
		}
	}
	return v, ok
}

func (m *remember[K, V]) put(key K, v V) {
	if len(m.young) >= m.limit {
		m.young, m.old = make(map[K]V), m.young
	}
	m.young[key] = v
}

// digest identifies a text. Two texts with the same digest practically never occur,
// even if someone tries, since the seeds change with each run.
type digest [2]uint64

var digestSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func digestOf(text []byte) digest {
	return digest{maphash.Bytes(digestSeeds[0], text), maphash.Bytes(digestSeeds[1], text)}
}
