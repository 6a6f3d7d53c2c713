package recorder

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format/formattest"
	"tracex/recorder/internal/versiontest"
)

// Random programs of functions that are recorded by one line each, panic, recover, panic again
// with something else, and make calls while a panic passes through them: the trace shows what
// happened, and the panics go where they would go without recording.

type (
	oops  int
	later struct{ n int }
)

// going is a panic: its type, its value as text, and whether a call has ended by it.
type going struct {
	typ, text string
	noted     bool
}

// player runs such a program, and notes what its trace must show.
type player struct {
	rand    *rand.Rand
	t       *Thread
	m       Method
	calls   int
	current going // the panic under way
	lines   []*string
	most    int
}

func (p *player) panic() {
	n := p.rand.IntN(100)
	if p.rand.IntN(2) == 0 {
		p.current = going{typ: "recorder.oops", text: fmt.Sprint(n)}
		panic(oops(n))
	}
	p.current = going{typ: "recorder.later", text: "later@0"}
	panic(later{n})
}

// call calls f and notes how it ends.
func (p *player) call(depth int) {
	p.calls++
	n := p.calls
	line := fmt.Sprintf("C.f(%d)", n)
	p.lines = append(p.lines, &line)
	returned := false
	defer func() {
		if returned {
			return
		}
		if !p.current.noted {
			text := "throw " + p.current.text
			p.lines = append(p.lines, &text)
			p.current.noted = true
		}
		line += ": threw " + p.current.typ
	}()
	result := p.f(n, depth)
	returned = true
	line += fmt.Sprintf(": %d", result)
}

func (p *player) f(n, depth int) (result int) {
	defer p.t.Call(p.m, 0, Null(), Int(n)).End(&result)
	switch p.rand.IntN(8) {
	case 0:
		defer p.cleanUp(depth, false)
	case 1:
		defer func() {
			defer p.cleanUp(depth, true)
			if recover() != nil && p.rand.IntN(2) == 0 {
				p.panic()
			}
		}()
	case 2, 3:
		defer func() {
			if v := recover(); v != nil {
				result = -n
				if p.rand.IntN(4) == 0 {
					p.current.noted = false
					panic(v) // as a new one, from here
				}
			}
		}()
	}
	for depth < 12 && p.calls < p.most && p.rand.IntN(4) > 0 {
		p.call(depth + 1)
	}
	if p.rand.IntN(3) == 0 {
		p.panic()
	}
	return n
}

// cleanUp makes calls while a panic may be under way; each may panic in turn.
func (p *player) cleanUp(depth int, passesOn bool) {
	current := p.current
	func() {
		defer func() {
			if recover() == nil {
				p.current = current
				return
			}
			if passesOn && p.rand.IntN(3) == 0 {
				p.panic()
			}
			p.current = current
		}()
		if p.calls < p.most {
			p.call(depth + 1)
		}
	}()
}

func TestPanicsAreRecordedAsTheyGo(t *testing.T) {
	versiontest.EachVersion(t, testPanicsAreRecordedAsTheyGo)
}

func testPanicsAreRecordedAsTheyGo(t *testing.T) {
	seeds := 400
	if !formattest.Exhaustive() || formattest.Race {
		seeds = 60
	}
	for seed := range uint64(seeds) {
		c := Config{Path: t.TempDir() + "/trace.bin", NoTimes: true, BlockSize: 1 << 10, FlushInterval: -1}
		r := start(t, c)
		p := &player{rand: rand.New(rand.NewPCG(seed, 1)), t: r.Thread("main"), m: r.Method(r.Class("C"), "f", Type{}), most: 200}
		for p.calls < p.most {
			func() {
				defer func() { _ = recover() }()
				p.call(0)
			}()
		}
		if p.t.open.depth != 0 || p.t.panics != nil {
			t.Fatalf("seed %d: %d calls are open, and panics: %v", seed, p.t.open.depth, p.t.panics)
		}
		if saved, err := r.Flush(); err != nil || saved.Misuse != (Misuse{}) {
			t.Fatalf("seed %d: counted %+v, %v", seed, saved.Misuse, err)
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		got := texts(t, c.Path)
		want := make([]string, len(p.lines))
		for i, l := range p.lines {
			want[i] = *l
		}
		if !slices.Equal(got, want) {
			for i := range min(len(got), len(want)) {
				if got[i] != want[i] {
					t.Fatalf("seed %d, line %d: recorded %q, want %q\nbefore: %q", seed, i, got[i], want[i], want[max(0, i-5):i])
				}
			}
			t.Fatalf("seed %d: %d lines, want %d", seed, len(got), len(want))
		}
	}
}
