package filter

import "slices"

// memo remembers which ids match.
type memo struct {
	dense  []Verdict // by id; Maybe if it is not known
	sparse map[int32]Verdict
}

// maxDense bounds the ids that a memo has a byte for: a damaged trace may have any id.
const maxDense = 1 << 22

func (m *memo) get(id int32) Verdict {
	if uint32(id) < uint32(len(m.dense)) {
		return m.dense[id]
	}
	if m.sparse == nil {
		return Maybe
	}
	return m.sparse[id]
}

func (m *memo) put(id int32, matches bool) Verdict {
	v := No
	if matches {
		v = Yes
	}
	switch {
	case uint32(id) < uint32(len(m.dense)):
		m.dense[id] = v
	case id >= 0 && id < maxDense:
		m.dense = append(m.dense, make([]Verdict, int(id)+1+len(m.dense)/2+64-len(m.dense))...)
		m.dense[id] = v
	default:
		if m.sparse == nil || len(m.sparse) > 1<<16 {
			m.sparse = make(map[int32]Verdict)
		}
		m.sparse[id] = v
	}
	return v
}

func (m *memo) clone() memo { return memo{dense: slices.Clone(m.dense)} }
