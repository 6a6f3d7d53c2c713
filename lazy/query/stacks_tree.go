package query

// StackTree is stacks with their sums: each node is the stack of its parent and one call more.
type StackTree struct {
	Nodes  []StackNode // each after its parent
	Groups []*Group    // by StackNode.What of a call
	labels []string    // by StackNode.What of a label
	ids    map[string]int32
	table  []int32 // nodes + 1 by their hash; its length is a power of two
}

// StackNode is a stack.
type StackNode struct {
	stackKey
	StackSums // of the calls at its end, which have no label
}

// stackKey is what tells nodes apart.
type stackKey struct {
	Parent int32 // a node; -1 for a thread
	What   int32 // a group, a thread, or a label
	At     int32 // of a call: the code location that it was made from, or AtCall; AtThread, AtLabel
}

// Values of stackKey.At that are no code locations.
const (
	AtCall   int32 = -1 // of a call: places are not told apart, or this one is not known
	AtThread int32 = -2
	AtLabel  int32 = -3
)

// StackSums are sums of calls: see [Sums].
type StackSums struct{ Calls, Self, Own int64 }

func (s *StackSums) add(o *StackSums) {
	s.Calls += o.Calls
	s.Self += o.Self
	s.Own += o.Own
}

// Label returns the text of a label.
func (t *StackTree) Label(i int32) string { return t.labels[i] }

func (k stackKey) hash() uint32 {
	h := uint64(uint32(k.Parent))*0x9e3779b97f4a7c15 ^ uint64(uint32(k.What))*0xc2b2ae3d27d4eb4f ^ uint64(uint32(k.At))*0x165667b19e3779f9
	h ^= h >> 29
	return uint32(h * 0xbf58476d1ce4e5b9 >> 32)
}

// child returns a node, which it makes if there is none.
func (t *StackTree) child(parent, what, at int32) int32 {
	if 2*len(t.Nodes) >= len(t.table) {
		t.grow()
	}
	k := stackKey{parent, what, at}
	mask := uint32(len(t.table) - 1)
	for i := k.hash() & mask; ; i = (i + 1) & mask {
		n := t.table[i]
		if n == 0 {
			t.Nodes = append(t.Nodes, StackNode{stackKey: k})
			t.table[i] = int32(len(t.Nodes))
			return int32(len(t.Nodes) - 1)
		}
		if t.Nodes[n-1].stackKey == k {
			return n - 1
		}
	}
}

// grow makes the table larger.
func (t *StackTree) grow() {
	t.table = make([]int32, max(256, 2*len(t.table)))
	mask := uint32(len(t.table) - 1)
	for n := range t.Nodes {
		i := t.Nodes[n].hash() & mask
		for t.table[i] != 0 {
			i = (i + 1) & mask
		}
		t.table[i] = int32(n + 1)
	}
}

// label returns the number of a label.
func (t *StackTree) label(text string) int32 {
	id, ok := t.ids[text]
	if !ok {
		if t.ids == nil {
			t.ids = make(map[string]int32)
		}
		id = int32(len(t.labels))
		t.ids[text] = id
		t.labels = append(t.labels, text)
	}
	return id
}

// copyOf copies a node of another tree, with its parents but without sums. at has what was copied before.
func (t *StackTree) copyOf(from *StackTree, node int32, at map[int32]int32) int32 {
	var path []int32
	to := int32(-1)
	for node >= 0 {
		have, ok := at[node]
		if ok {
			to = have
			break
		}
		path = append(path, node)
		node = from.Nodes[node].Parent
	}
	for i := len(path) - 1; i >= 0; i-- {
		n := &from.Nodes[path[i]]
		to = t.child(to, n.What, n.At)
		at[path[i]] = to
	}
	return to
}

// clear empties the tree and keeps its memory.
func (t *StackTree) clear() {
	t.Nodes, t.labels = t.Nodes[:0], t.labels[:0]
	clear(t.ids)
	clear(t.table)
}
