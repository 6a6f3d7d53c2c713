package eager

import (
	"iter"

	"tracex/format"
)

// Node is a point of a [Forest], a small value. After folding it may differ from the
// recorded point in its code location, diff status or iterations.
type Node struct {
	thread     *Thread
	index      uint32
	change     change
	diff       format.DiffStatus // if moved
	location   int32             // if moved
	iterations int32             // if shortened
}

type change uint8

const (
	moved     change = 1
	shortened change = 2
)

// Thread is a thread of a Forest.
type Thread struct {
	ID   int32
	Name string // "" if the trace has none

	version format.Version

	nodes slab // in pre-order
	store store
	open  []uint32 // containers without footer, outermost first, while loading

	forgotten map[uint32]struct{} // by index; nil if none
}

// Roots yields the thread's roots, in order.
func (t *Thread) Roots() iter.Seq[Node] {
	return t.siblings(0, t.nodes.n)
}

// Points returns the number of points in the thread.
func (t *Thread) Points() int { return int(t.nodes.n) }

// siblings yields the points from one up to, not including, end, without their
// descendants.
func (t *Thread) siblings(from, end uint32) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for i := from; i < end; i += t.nodes.at(i).size {
			if !yield(Node{thread: t, index: i}) {
				return
			}
		}
	}
}

// Children yields the raw children of a node, in order, including forgotten ones.
func (n Node) Children() iter.Seq[Node] {
	return n.thread.siblings(n.index+1, n.index+n.thread.nodes.at(n.index).size)
}

// Parent returns the container around a node, as recorded: Children of it has the node, also where folding
// shows the node elsewhere. ok is false for a root.
func (n Node) Parent() (parent Node, ok bool) {
	up := n.thread.nodes.at(n.index).up
	if up == 0 {
		return Node{}, false
	}
	return Node{thread: n.thread, index: up - 1}, true
}

// Thread returns the thread that the node belongs to.
func (n Node) Thread() *Thread { return n.thread }

// Count returns the number of the node's raw children, including forgotten ones. It looks at each.
func (n Node) Count() (count int) {
	for range n.Children() {
		count++
	}
	return count
}

// Finished reports whether a container has its footer; true for a leaf.
func (n Node) Finished() bool {
	e := n.thread.nodes.at(n.index)
	return e.foot != 0 || e.size == 1 && !n.class().Container()
}

// class reads the class from the bytes of the point.
func (n Node) class() format.Class {
	class, _ := n.thread.version.PointClass(n.thread.store.from(n.thread.nodes.at(n.index).at)[format.PointClassAt])
	return class
}

// Point decodes the point into p, reusing p's slices.
func (n Node) Point(p *format.Point) error {
	if _, err := n.thread.version.DecodePoint(n.thread.store.from(n.thread.nodes.at(n.index).at), p); err != nil {
		return err
	}
	if n.change&moved != 0 {
		p.Location, p.Diff = n.location, n.diff
	}
	return nil
}

// Footer decodes the footer of a container into f. An open container has
// the footer of [format.Unfinished], a loop with its iterations counted.
func (n Node) Footer(f *format.Footer) error {
	e := n.thread.nodes.at(n.index)
	class := n.class()
	switch e.foot {
	case 0:
		*f = format.Footer{}
		if class.Container() {
			*f = format.Unfinished(class)
		}
		if class == format.ClassLoop {
			f.Iterations = n.countIterations()
		}
	case emptyFooter:
		*f = format.Footer{}
	default:
		if _, err := n.thread.version.DecodeFooter(n.thread.store.from(e.foot), class, f); err != nil {
			return err
		}
	}
	if n.change&shortened != 0 {
		f.Iterations = n.iterations
	}
	return nil
}

func (n Node) countIterations() int32 {
	var count int32
	for c := range n.Children() {
		if c.class() == format.ClassIteration {
			count++
		}
	}
	return count
}

// Forget omits a node, with all its descendants, from the printed tree: it counts
// as not loaded.
func (n Node) Forget() {
	if n.thread.forgotten == nil {
		n.thread.forgotten = make(map[uint32]struct{})
	}
	n.thread.forgotten[n.index] = struct{}{}
}

func (n Node) loaded() bool {
	if n.thread.forgotten == nil {
		return true
	}
	_, gone := n.thread.forgotten[n.index]
	return !gone
}

// forestAccess gives folding access to a Forest. It keeps the point decoded last, since a
// point is usually shown right after it was folded.
type forestAccess struct {
	kept  Node
	valid bool
	p     format.Point
	f     format.Footer
}

func (s *forestAccess) Point(n Node) (*format.Point, error) {
	if s.valid && s.kept == n {
		return &s.p, nil
	}
	err := n.Point(&s.p)
	s.kept, s.valid = n, err == nil
	return &s.p, err
}

func (s *forestAccess) Iterations(n Node) (int32, error) {
	err := n.Footer(&s.f)
	return s.f.Iterations, err
}

func (s *forestAccess) HasChildren(n Node) (bool, error) {
	return n.thread.nodes.at(n.index).size > 1, nil
}

func (s *forestAccess) Begins(n Node) (*format.Point, error) {
	for c := range n.Children() {
		return s.Point(c)
	}
	return nil, nil
}

func (s *forestAccess) First(dst []Node, n Node, count int) ([]Node, error) {
	for c := range n.Children() {
		if count--; count < 0 {
			break
		}
		dst = append(dst, c)
	}
	return dst, nil
}

func (s *forestAccess) Last(n Node) (Node, bool, error) {
	i := n.thread.nodes.at(n.index).last
	return Node{thread: n.thread, index: i}, i != 0, nil
}

func (s *forestAccess) Moved(n Node, location int32, diff format.DiffStatus) Node {
	n.change |= moved
	n.location, n.diff = location, diff
	return n
}

func (s *forestAccess) Shortened(n Node, iterations int32) Node {
	n.change |= shortened
	n.iterations = iterations
	return n
}

// storePosition is the position of an object in a store: chunk in the upper half, offset in
// the lower half. For a footer, 0 means that there is none.
type storePosition uint64

// emptyFooter is the position of an empty footer.
const emptyFooter storePosition = 1

// storeChunk is the size in bytes of the chunks of a store.
const storeChunk = 1 << 20

// store keeps objects in chunks that never grow, to avoid copying as it fills. The
// first chunks are small: a trace may have very many threads.
type store struct {
	chunks [][]byte
}

// keep copies b. It returns neither 0 nor emptyFooter.
func (s *store) keep(b []byte) storePosition {
	i := len(s.chunks) - 1
	if i < 0 || len(s.chunks[i])+len(b) > cap(s.chunks[i]) {
		i++
		size := max(storeChunk>>max(0, 10-2*i), len(b)+2)
		s.chunks = append(s.chunks, make([]byte, 0, size))
		if i == 0 {
			s.chunks[0] = s.chunks[0][:2] // reserve the positions 0 and emptyFooter
		}
	}
	at := storePosition(i)<<32 | storePosition(len(s.chunks[i]))
	s.chunks[i] = append(s.chunks[i], b...)
	return at
}

// from returns the bytes from p to the end of its chunk.
func (s *store) from(p storePosition) []byte { return s.chunks[p>>32][uint32(p):] }

// point is what a Forest keeps for a point in addition to its bytes.
type point struct {
	at   storePosition // of the point
	foot storePosition // of the footer of a container
	size uint32        // number of points in the subtree, including itself; 0 if still open
	last uint32        // index of the last child; 0 if none
	up   uint32        // index of the container around it, plus 1; 0 for a root
}

// slabBits is the number of bits for an index in a part of a slab.
const slabBits = 14

// slab is a list of points in parts, for the same reason as store.
type slab struct {
	parts [][]point
	n     uint32
}

func (s *slab) at(i uint32) *point { return &s.parts[i>>slabBits][i&(1<<slabBits-1)] }

func (s *slab) add() *point {
	if s.n&(1<<slabBits-1) == 0 {
		var part []point
		if s.n > 0 { // a later part will be full, or nearly
			part = make([]point, 0, 1<<slabBits)
		}
		s.parts = append(s.parts, part)
	}
	part := &s.parts[len(s.parts)-1]
	*part = append(*part, point{})
	s.n++
	return &(*part)[len(*part)-1]
}
