package golden

import (
	"encoding/binary"
	"hash"
	"hash/fnv"
	"slices"
	"sync"
)

// shape is a subtree of calls. Each is kept once, whatever it is called with and however often.
type shape struct {
	label string // "" of a group: shapes in a row that occur again and again
	kids  []run
	lines int64  // of its text
	calls int64  // with those in it
	hash  uint64 // of the label and all below
}

// run is how often a shape, given by its number, occurs in a row.
type run struct {
	id int32
	n  int64
}

// shapes are all subtrees of a trace. Any goroutine may use them.
type shapes struct {
	mu   sync.Mutex // guards the fields below
	list []shape
	ids  map[string]int32
}

func newShapes() *shapes { return &shapes{ids: make(map[string]int32)} }

// of returns the number of the shape with a label and children.
func (s *shapes) of(label string, kids []run) int32 {
	key := binary.AppendUvarint(nil, uint64(len(label)))
	key = append(key, label...)
	for _, k := range kids {
		key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(k.id)), uint64(k.n))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id, ok := s.ids[string(key)]
	if ok {
		return id
	}
	made := shape{label: label, kids: slices.Clone(kids), lines: 1}
	if label != "" {
		made.calls = 1
	}
	h := fnv.New64a()
	h.Write([]byte(label)) // not the key: numbers of shapes differ from run to run
	for _, k := range kids {
		made.lines += s.list[k.id].lines
		made.calls += k.n * s.list[k.id].calls
		s.hashRun(h, k)
	}
	made.hash = h.Sum64()
	id = int32(len(s.list))
	s.list = append(s.list, made)
	s.ids[string(key)] = id
	return id
}

// row is children in their order, folded while they are added.
type row struct {
	of    *shapes
	runs  []run
	lines int64 // of their texts
}

// longestGroup is how many shapes in a row are found to occur again as a group.
const longestGroup = 8

// add adds a child.
func (r *row) add(id int32) {
	if last := len(r.runs) - 1; last >= 0 && r.runs[last].id == id {
		r.runs[last].n++
		return
	}
	r.settle()
	r.runs = append(r.runs, run{id, 1})
	r.lines += r.of.linesOf(id)
}

// tooLong reports whether a row has more lines than allowed, whatever is added. What is at its end may still be folded: as
// much as two groups of shapes, each with no more lines than allowed, and as much again for groups in groups.
func (r *row) tooLong(limit int) bool { return r.lines > (4*longestGroup+1)*int64(limit) }

// settle folds the end of the row: what will be added is another shape.
func (r *row) settle() {
	for p := 2; p <= longestGroup && p < len(r.runs); p++ {
		end := len(r.runs)
		tail := r.runs[end-p:]
		before := &r.runs[end-p-1]
		if kids := r.of.group(before.id); len(kids) == p && slices.Equal(kids, tail) {
			before.n++
			r.lines -= r.of.linesIn(tail)
			r.runs = r.runs[:end-p]
			return
		}
		if end < 2*p || !slices.Equal(r.runs[end-2*p:end-p], tail) {
			continue
		}
		group := r.of.of("", tail)
		r.lines += r.of.linesOf(group) - 2*r.of.linesIn(tail)
		r.runs = append(r.runs[:end-2*p], run{group, 2})
		return
	}
}

// group returns what is in a group; nil for another shape.
func (s *shapes) group(id int32) []run {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list[id].label != "" {
		return nil
	}
	return s.list[id].kids
}

// linesOf returns how many lines the text of a shape has.
func (s *shapes) linesOf(id int32) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list[id].lines
}

// linesIn returns how many lines the text of a row has.
func (s *shapes) linesIn(list []run) (n int64) {
	for _, k := range list {
		n += s.linesOf(k.id)
	}
	return n
}

// below returns how many calls are in a row, and a hash of all that is in it.
func (s *shapes) below(kids []run) (calls int64, hash uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := fnv.New64a()
	for _, k := range kids {
		calls += k.n * s.list[k.id].calls
		s.hashRun(h, k)
	}
	return calls, h.Sum64()
}

// hashRun adds a run to a hash.
func (s *shapes) hashRun(h hash.Hash64, k run) {
	b := binary.BigEndian.AppendUint64(nil, s.list[k.id].hash)
	h.Write(binary.BigEndian.AppendUint64(b, uint64(k.n)))
}

// compare orders shapes by their labels and then by what is in them, which is the same in every trace.
func (s *shapes) compare(a, b int32) int {
	if a == b {
		return 0
	}
	x, y := &s.list[a], &s.list[b]
	switch {
	case x.label < y.label:
		return -1
	case x.label > y.label:
		return 1
	}
	return slices.CompareFunc(x.kids, y.kids, func(k, l run) int {
		if c := s.compare(k.id, l.id); c != 0 {
			return c
		}
		return int(min(1, max(-1, k.n-l.n)))
	})
}
