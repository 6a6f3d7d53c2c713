package diff

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// grown is a trace point with all that is in it, or a thread, in one of two traces that differ by seeded changes.
type grown struct {
	parent   *grown // nil of a thread
	children []*grown
	point    format.Point // of a thread, Thread alone
	footer   format.Footer
	name     string // of a thread
	twin     *grown // the one in the other trace that was copied from it, or that it was copied from; nil if it is new
	own, sum uint64 // hashes of the point and its footer, and of those with what is in it

	// While changes are made in B:
	closed bool // nothing may change in it any more
	guard  bool // stands beside a child that was removed or added: if it changed too, it would not be clear which is which
	dirty  bool // it or something in it has changed
	gaps   int  // children that were removed or added
	edited bool
}

// seededPair is two traces and what is different between them.
type seededPair struct {
	a, b       []*grown // threads
	references map[format.Kind]map[int32]formattest.Reference
	version    format.Version
	wanted     []func() difference
	made       map[string]int // changes by kind
	shifted    map[int32]bool // files whose lines are others in B
	other      bool           // ids, events and identity hashes are others in B
	r          *rand.Rand
	fresh      int // of values that occur once
}

// difference is a place where two traces differ. Of several equal siblings it does not matter which.
type difference struct {
	how          stepKind // stepRemoved, stepAdded, or stepPair for one whose own values differ
	moved, named bool
	parent       *grown // in A; in B if it is new
	a, b         uint64 // sums
}

// Kinds of changes.
const (
	changeArgument  = "argument"
	changeResult    = "result"
	changeValue     = "value"
	changeAdded     = "call added"
	changeRemoved   = "call removed"
	changeMoved     = "call moved"
	changeRenamed   = "call renamed"
	changeIteration = "iteration added"
	changeThread    = "thread added"
)

var changeKinds = []string{changeArgument, changeResult, changeValue, changeAdded, changeRemoved, changeMoved, changeRenamed, changeIteration, changeThread}

// newSeededPair makes a trace by a seed, and another one with one to fifty changes.
func newSeededPair(tb testing.TB, seed uint64) *seededPair {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 33))
	spec := formattest.Spec{Shape: formattest.Calls, N: 60 + r.IntN(200), Seed: seed, Threads: 1 + r.IntN(3)}
	if seed%4 == 3 {
		spec.Shape, spec.N, spec.Plain = formattest.Random, 300+r.IntN(700), true
	}
	if seed%3 == 2 {
		spec.Version = format.V27
	}
	var data, index bytes.Buffer
	_, forest, err := formattest.GenerateForest(&data, &index, spec)
	if err != nil {
		tb.Fatal(err)
	}
	p := &seededPair{references: forest.Written, version: spec.Version, made: map[string]int{}, shifted: map[int32]bool{}, other: seed%2 == 1, r: r}
	for _, t := range forest.Trees {
		thread := &grown{name: t.Name, point: format.Point{Thread: t.Thread}}
		for _, n := range t.Roots {
			thread.add(grow(n))
		}
		p.a = append(p.a, thread)
		p.b = append(p.b, thread.copied(true))
	}
	changes := 1 + r.IntN(3)
	if seed%5 == 0 {
		changes = 1 + r.IntN(50)
	}
	// A kind that finds no place, such as an iteration where no loop is, leaves its turn to another.
	for turns := 0; len(p.b) > 0 && p.total() < changes && turns < 1000; turns++ {
		kind := changeKinds[(int(seed)+turns)%len(changeKinds)]
		if p.change(kind) {
			p.made[kind]++
		}
	}
	if seed%3 == 0 {
		for id, o := range forest.Written[format.KindCodeLocation] {
			if id%2 == 0 {
				p.shifted[o.(*format.CodeLocation).File] = true
			}
		}
	}
	for _, t := range slices.Concat(p.a, p.b) {
		t.hash()
	}
	return p
}

// total returns how many changes have been made.
func (p *seededPair) total() (n int) {
	for _, k := range p.made {
		n += k
	}
	return n
}

func grow(n *formattest.Node) *grown {
	g := &grown{point: n.Point, footer: n.Footer}
	g.point.Diff, g.point.Subtree, g.point.Marked = format.DiffNone, nil, false
	for _, c := range n.Children {
		g.add(grow(c))
	}
	return g
}

func (g *grown) add(child *grown) { g.insert(len(g.children), child) }

func (g *grown) insert(i int, child *grown) {
	child.parent = g
	g.children = slices.Insert(g.children, i, child)
}

// copied returns a copy with everything in it; twins if that is asked.
func (g *grown) copied(twin bool) *grown {
	c := &grown{point: g.point, footer: g.footer, name: g.name}
	c.point.Args = slices.Clone(g.point.Args)
	if twin {
		c.twin, g.twin = g, c
	}
	for _, child := range g.children {
		c.add(child.copied(twin))
	}
	return c
}

// all calls f with g and everything in it.
func (g *grown) all(f func(*grown)) {
	f(g)
	for _, c := range g.children {
		c.all(f)
	}
}

// hash makes the sums, of what makes a difference. Both traces have the same ids until they are written.
func (g *grown) hash() {
	h := fnv.New64a()
	value := func(v *format.Value) {
		fmt.Fprint(h, v.Kind, v.Text, v.Absent, ";")
		switch v.Kind {
		case format.ValueObject, format.ValueException, format.ValueEnum, format.ValueSequence:
			fmt.Fprint(h, v.ClassID, ";")
		case format.ValueArray:
			fmt.Fprint(h, v.ClassID, v.Length(), ";")
		default:
			fmt.Fprint(h, v.Bits, ";")
		}
	}
	p := &g.point
	fmt.Fprint(h, g.name, p.Class, len(p.Args), g.footer.Exception, g.footer.Threw, ";")
	switch p.Class {
	case format.ClassLoop, format.ClassIteration:
	case format.ClassArrayRead, format.ClassArrayWrite:
		fmt.Fprint(h, p.Number, ";")
	default:
		fmt.Fprint(h, p.Ref, ";")
	}
	for i := range p.Args {
		value(&p.Args[i])
	}
	value(&p.Target)
	value(&p.Value)
	value(&g.footer.Result)
	g.own = h.Sum64()
	for _, c := range g.children {
		c.hash()
		fmt.Fprint(h, c.sum, ";")
	}
	g.sum = h.Sum64()
}

// placeOf returns the parent of a difference.
func placeOf(a, b *grown) *grown {
	if a != nil {
		return a.parent
	}
	if t := b.parent.twin; t != nil {
		return t
	}
	return b.parent
}

// differs returns a difference. Of one that only A, or only B, has, the other is nil.
func differs(how stepKind, moved, named bool, a, b *grown) difference {
	d := difference{how: how, moved: moved, named: named, parent: placeOf(a, b)}
	if a != nil {
		d.a = a.sum
	}
	if b != nil {
		d.b = b.sum
	}
	return d
}

// links returns the differences by the twins: what the changes have done, whatever was noted of them.
func (p *seededPair) links() (list []difference) {
	var visit func(a, b *grown)
	visit = func(a, b *grown) {
		for _, x := range a.children {
			switch y := x.twin; {
			case y == nil || y.gone():
				list = append(list, differs(stepRemoved, false, false, x, nil))
			case y.parent != b:
				list = append(list, differs(stepRemoved, true, false, x, nil))
			case x.point.Class == format.ClassCall && x.point.Ref != y.point.Ref:
				list = append(list, differs(stepRemoved, false, true, x, nil), differs(stepAdded, false, true, nil, y))
			default:
				if x.own != y.own {
					list = append(list, differs(stepPair, false, false, x, y))
				}
				visit(x, y)
			}
		}
		for _, y := range b.children {
			if x := y.twin; x == nil || x.parent != a {
				list = append(list, differs(stepAdded, x != nil, false, nil, y))
			}
		}
	}
	for _, b := range p.b {
		a := b.twin
		if a == nil {
			a = &grown{}
		}
		visit(a, b)
	}
	return list
}

// gone reports whether a child was taken out of B.
func (g *grown) gone() bool { return g.parent == nil || !slices.Contains(g.parent.children, g) }
