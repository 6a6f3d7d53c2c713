package formattest

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"tracex/format"
)

// Shape is what a generated trace looks like.
type Shape string

const (
	// Calls is a program at work: N calls, nested about 20 deep, in loops, with about one write
	// of a local variable each.
	Calls Shape = "calls"
	// Deep is calls within one another, N deep.
	Deep Shape = "deep"
	// Wide is one loop of N iterations, each with a child.
	Wide Shape = "wide"
	// WideEmpty is one loop of N iterations without children.
	WideEmpty Shape = "wide-empty"
	// WideCalls is one call with N calls as direct children.
	WideCalls Shape = "wide-calls"
	// WideLeaves is one call with N leaves as direct children.
	WideLeaves Shape = "wide-leaves"
	// Threads is N threads, with calls across blocks, with leaves only, and
	// with nothing at all.
	Threads Shape = "threads"
	// Goroutines is N threads of one to seven calls each, four on average, one thread after the
	// other, like a program that starts a goroutine for each task.
	Goroutines Shape = "goroutines"
	// Random is N points of all classes with values of all kinds and names
	// of all sorts.
	Random Shape = "random"
)

// Spec describes a trace to generate. The same Spec always yields the same bytes.
type Spec struct {
	Shape   Shape
	N       int
	Seed    uint64
	Threads int // threads that share the work of Calls and Random; 0 for 1 and 3
	Options
	Crash Crash
	// Wild lets Random nest in ways that no program does, though the format can represent them:
	// leaves directly in a loop, iterations outside a loop.
	Wild bool
	// Plain restricts Random to names of letters.
	Plain bool
	// Own makes each thread write all reference objects that it uses, so that they come before
	// their users. The reference's readers require that for objects that access paths and code
	// locations refer to.
	Own bool
	// Timed makes File write the file of times too.
	Timed bool
	// Started names the threads of Goroutines as those of a program whose goroutines start others.
	Started bool
	// Structs makes the objects of Random that have fields structs that were recorded by their values, see
	// [format.Value.ByValue].
	Structs bool
}

// Crash tells how a generated trace ends.
type Crash int

const (
	CrashNone    Crash = iota // with a proper end
	CrashLost                 // buffers lost, no end of data and index
	CrashPartial              // the same, and half a block without an end
)

// Name describes the whole Spec, for file names and benchmarks.
func (s Spec) Name() string {
	name := fmt.Sprintf("%s-%d-seed%d", s.Shape, s.N, s.Seed)
	if s.Version != 0 && s.Version != format.V22 {
		name += fmt.Sprintf("-v%d", s.Version)
	}
	if s.Threads > 0 {
		name += fmt.Sprintf("-threads%d", s.Threads)
	}
	if s.BlockSize > 0 {
		name += fmt.Sprintf("-block%d", s.BlockSize)
	}
	for _, o := range []struct {
		on   bool
		text string
	}{{s.Dump, "-dump"}, {s.SplitAfterHeader, "-split"}, {s.Manual, "-manual"}, {s.Crash == CrashLost, "-lost"},
		{s.Crash == CrashPartial, "-half"}, {s.Wild, "-wild"}, {s.Plain, "-plain"}, {s.Own, "-own"}, {s.Timed, "-timed"}, {s.Started, "-started"}, {s.Structs, "-structs"}} {
		if o.on {
			name += o.text
		}
	}
	return name
}

// Generate writes the trace that s describes.
func Generate(data, index io.Writer, s Spec) (Stats, error) {
	return newGenerator(data, index, s).run()
}

// GenerateForest is Generate and also returns what was written, which takes memory for each
// point. The forest includes what a crash loses.
func GenerateForest(data, index io.Writer, s Spec) (Stats, *Forest, error) {
	g := newGenerator(data, index, s)
	g.forest = newForest()
	stats, err := g.run()
	return stats, g.forest, err
}

// generator generates a trace, object by object, on one thread at a time.
type generator struct {
	references
	spec  Spec
	w     *Writer
	event int32

	id    int32 // of the current thread
	tree  *Tree // of the current thread; nil without forest
	p     format.Point
	args  [8]format.Value
	saved map[int32]*savedMarks // by thread; nil if all share one
}

func newGenerator(data, index io.Writer, s Spec) *generator {
	if s.Version == 0 {
		s.Version = format.V22
	}
	g := &generator{spec: s, w: NewWriter(data, index, s.Options), references: references{r: rand.New(rand.NewPCG(s.Seed, 22))}}
	var odd func(string) string
	if s.Shape == Random && !s.Plain {
		odd = g.oddName
	}
	g.v = newVocabulary(g.r, s.Version, odd)
	if s.Own {
		g.saved = make(map[int32]*savedMarks)
	}
	return g
}

func (g *generator) run() (Stats, error) {
	switch g.spec.Shape {
	case Calls:
		g.calls()
	case Deep:
		g.deep()
	case Wide, WideEmpty, WideCalls, WideLeaves:
		g.wide()
	case Threads:
		g.threads()
	case Goroutines:
		g.goroutines()
	case Random:
		g.random()
	default:
		return Stats{}, fmt.Errorf("no shape %q", g.spec.Shape)
	}
	if g.spec.Crash != CrashNone {
		return g.w.Crash(g.spec.Crash == CrashPartial)
	}
	if !g.spec.Dump {
		for _, t := range g.w.threads {
			g.on(t.block.Thread)
			g.name()
		}
	}
	return g.w.Close()
}

// start creates the threads 0 to n-1. A dump names each first, a stream last.
func (g *generator) start(n int) {
	for i := range n {
		g.on(int32(i))
		if g.spec.Dump {
			g.name()
		}
	}
}

// on makes a thread the current one.
func (g *generator) on(id int32) {
	g.t, g.id = g.w.Thread(id), id
	if g.saved != nil {
		if g.saved[id] == nil {
			g.saved[id] = g.v.nothingSaved()
		}
		g.v.saved = g.saved[id]
	}
	if g.forest != nil {
		g.tree = g.forest.tree(id)
	}
}

func (g *generator) name() {
	name := "main"
	if g.id > 0 {
		name = fmt.Sprintf("pool-1-thread-%d", g.id)
	}
	if g.spec.Started {
		name = startedName(g.id)
	}
	if g.tree != nil {
		g.tree.Name = name
	}
	g.write(format.KindThreadName, g.id, &format.ThreadName{Thread: g.id, Name: name})
}

// point writes g.p after giving it its thread and event.
func (g *generator) point() {
	if g.event == math.MaxInt32 {
		g.w.fail(fmt.Errorf("more points than there are event ids"))
		return
	}
	g.p.Thread, g.p.Event = g.id, g.event
	g.event++
	g.t.Point(&g.p)
	if g.tree != nil {
		g.tree.point(&g.p)
	}
}

func (g *generator) footer(f *format.Footer) {
	g.t.Footer(f)
	if g.tree != nil {
		g.tree.footer(f)
	}
}
