// Package recordertest runs programs that record themselves: random ones, ones that crash, and
// those of a test. It notes independently of the recorder what a random program did, and compares
// the trace with it. Package tracetest has what reads and checks a trace without a recorder.
package recordertest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"tracex/format"
	"tracex/recorder"
)

// Program is a random program. The same Program always does the same, except for the order of
// its goroutines.
type Program struct {
	Seed       uint64
	Goroutines int
	Steps      int  // about how many trace points each goroutine records
	Flushes    bool // goroutines flush the recorder now and then
	LeaveOpen  bool // goroutines end within calls
	MaxString  int  // of the recorder; 0 for its default
}

// Node is a trace point that the program meant to record. Its event id is 0.
type Node struct {
	Point    format.Point
	Footer   format.Footer // of a container
	Children []*Node
}

// Tree is what a goroutine did.
type Tree struct {
	Name  string
	Roots []*Node
	// Points is the number of nodes.
	Points int
}

// Run runs the program and returns what each goroutine did, by thread name.
func (p Program) Run(r *recorder.Recorder) map[string]*Tree {
	trees := make(map[string]*Tree)
	var group sync.WaitGroup
	for i := range p.Goroutines {
		tree := &Tree{Name: fmt.Sprintf("goroutine %d 漢", i)}
		trees[tree.Name] = tree
		group.Go(func() {
			w := &walker{
				program: p, r: r, t: r.Thread(tree.Name), tree: tree,
				rand: rand.New(rand.NewPCG(p.Seed, uint64(i))),
			}
			if w.program.MaxString == 0 {
				w.program.MaxString = recorder.DefaultMaxString
			}
			w.run()
		})
	}
	group.Wait()
	return trees
}

// walker is a goroutine of a program.
type walker struct {
	program Program
	r       *recorder.Recorder
	t       *recorder.Thread
	tree    *Tree
	rand    *rand.Rand
	open    []*Node
	steps   int
}

// errAny is the value of the program's panics.
var errAny = errors.New("a panic")

func (w *walker) run() {
	for w.steps < w.program.Steps {
		if w.rand.IntN(4) == 0 {
			w.leaf()
			continue
		}
		w.call()
	}
	if w.program.LeaveOpen {
		w.leaveOpen()
	}
	if w.rand.IntN(2) == 0 {
		w.t.End() // the recorder ends the others
	}
}

// note adds a point at the program's current position.
func (w *walker) note(p format.Point) *Node {
	p.Diff = format.DiffNone
	n := &Node{Point: p}
	if len(w.open) == 0 {
		w.tree.Roots = append(w.tree.Roots, n)
	} else {
		in := w.open[len(w.open)-1]
		in.Children = append(in.Children, n)
	}
	if p.Class.Container() {
		w.open = append(w.open, n)
	}
	w.steps++
	w.tree.Points++
	if w.program.Flushes && w.rand.IntN(50) == 0 {
		if _, err := w.r.Flush(); err != nil {
			panic(err)
		}
	}
	return n
}

func (w *walker) close(f format.Footer) {
	w.open[len(w.open)-1].Footer = f
	w.open = w.open[:len(w.open)-1]
}

// call makes a call that returns or panics. A panic continues to the caller or is recovered.
func (w *walker) call() {
	w.enter()
	depth := len(w.open)
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if w.rand.IntN(2) == 0 {
			w.closeLoops(depth)
			w.t.Panic(recorder.PanicType(v))
			w.close(w.thrown("errors.errorString"))
			if depth > 1 {
				panic(v)
			}
			return
		}
		w.caught()
		w.exit()
	}()
	for w.rand.IntN(5) > 0 && w.steps < w.program.Steps {
		w.step()
	}
	if w.rand.IntN(10) == 0 {
		panic(errAny)
	}
	w.exit()
}

// thrown returns the footer of a call that threw.
func (w *walker) thrown(exception string) format.Footer {
	return w.version().Thrown(exception)
}

// version is the version of the format in which the program is recorded.
func (w *walker) version() format.Version { return format.Version(w.r.FormatVersion()) }

func (w *walker) step() {
	switch x := w.rand.IntN(10); {
	case x < 3 && len(w.open) < 40:
		w.call()
	case x == 3:
		w.loop()
	case x == 4 && w.rand.IntN(20) == 0:
		panic(errAny)
	default:
		w.leaf()
	}
}

// loop runs some iterations; some end with the call around them.
func (w *walker) loop() {
	at := w.loopLocation()
	inCall := w.open[len(w.open)-1].Point.Class == format.ClassCall
	w.t.Loop(at)
	w.note(format.Point{Class: format.ClassLoop, Location: int32(at) - 1, Ref: int32(at)})
	n := int32(w.rand.IntN(4))
	for i := range n {
		if i > 0 {
			w.close(format.Footer{})
		}
		w.t.Iteration(at)
		w.note(format.Point{Class: format.ClassIteration, Location: int32(at) - 1, Ref: int32(at), Number: i})
		for w.rand.IntN(3) > 0 {
			w.step()
		}
	}
	if inCall && w.rand.IntN(4) == 0 {
		return // Exit ends it
	}
	if n > 0 {
		w.close(format.Footer{})
	}
	w.t.EndLoop()
	w.close(format.Footer{Iterations: n})
}

// closeLoops notes that everything open in the call at this depth ends with it.
func (w *walker) closeLoops(depth int) {
	for len(w.open) > depth {
		top := w.open[len(w.open)-1]
		var f format.Footer
		if top.Point.Class == format.ClassLoop {
			f.Iterations = iterations(top)
		}
		w.close(f)
	}
}

func iterations(loop *Node) (n int32) {
	for _, c := range loop.Children {
		if c.Point.Class == format.ClassIteration {
			n++
		}
	}
	return n
}

// exit ends the innermost call.
func (w *walker) exit() {
	depth := len(w.open)
	for w.open[depth-1].Point.Class != format.ClassCall {
		depth--
	}
	w.closeLoops(depth)
	v, want := w.value()
	w.t.Exit(v)
	w.close(format.Footer{Result: want})
}

// leaveOpen begins calls and loops that never end.
func (w *walker) leaveOpen() {
	for range w.rand.IntN(5) {
		w.enter()
		if w.rand.IntN(2) == 0 {
			at := w.loopLocation()
			w.t.Loop(at)
			w.note(format.Point{Class: format.ClassLoop, Location: int32(at) - 1, Ref: int32(at)})
		}
	}
	for i := len(w.open) - 1; i >= 0; i-- {
		w.open[i].Footer = format.Unfinished(w.open[i].Point.Class)
	}
	w.open = nil
}
