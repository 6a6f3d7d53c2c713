package instrumented_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/lazy/eager"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
	"tracex/recorder/internal/tracetest"
)

// program is a program that runs at random, with the tree of its calls.
type program struct {
	*rawtest.File
	rand      *rand.Rand
	functions []*raw.Function
	streams   []*running
	trees     map[string][]*call // by the name of the thread
	calls     int64
	ids       uint64

	// With a table of functions there are go statements.
	place   uint64
	goHere  *raw.Function
	parent  string // of goroutines made there, in their names
	waiting []made // goroutines that have not begun
}

type made struct{ id, by uint64 }

type running struct {
	*rawtest.Goroutine
	name  string
	id    uint64
	open  []*call
	begun bool
}

type call struct {
	f     *raw.Function
	depth int
	text  string
	end   string
}

// newMaker is newProgram for a program that has go statements, all in one place.
func newMaker(tb testing.TB, seed uint64, o rawtest.Options) *program {
	table, text, place := ownTable(tb)
	o.Table, o.Text = table, text
	p := newProgram(seed, o)
	p.place, p.goHere = place, hereStatement(place)
	p.parent = fmt.Sprintf("instrumented_test.ownTable symbols_test.go:%d", p.goHere.Line)
	return p
}

// hereStatement is a go statement at a place in this program.
func hereStatement(place uint64) *raw.Function {
	frame, _ := runtime.CallersFrames([]uintptr{uintptr(place)}).Next()
	return &raw.Function{ID: 99, Flags: raw.FunctionGo, Package: "example.com/p0", Name: "go work(i)", File: frame.File, Line: frame.Line}
}

func newProgram(seed uint64, o rawtest.Options) *program {
	p := &program{File: rawtest.New(o), rand: rand.New(rand.NewPCG(seed, 1)), trees: map[string][]*call{}}
	for i := range 20 {
		f := &raw.Function{ID: uint32(i + 1), Package: fmt.Sprint("example.com/p", i%3), Name: fmt.Sprint("f", i), Arguments: make([]uint32, i%4), Results: make([]uint32, i%3)}
		p.functions = append(p.functions, f)
	}
	p.Type(intType)
	for i := range 1 + p.rand.IntN(8) {
		p.streams = append(p.streams, &running{Goroutine: p.Goroutine(uint64(i+1) << 7)})
	}
	return p
}

// value returns a value and its text, alone and as one of several.
func (p *program) value() (v rawtest.Value, text, within string) {
	switch p.rand.IntN(5) {
	case 0:
		return rawtest.Nil(), "null", "nil"
	case 1:
		s := strings.Repeat("é", p.rand.IntN(100))
		return rawtest.String(s), `"` + s + `"`, `"` + s + `"`
	case 2:
		return rawtest.Cut("abc", 10), `"abc…+7"`, `"abc…+7"`
	case 3:
		return rawtest.Typed(intType, rawtest.Int(-70_000)), "-70000", "-70000"
	default:
		n := p.rand.Int64N(1 << p.rand.IntN(62))
		return rawtest.Int(n), fmt.Sprint(n), fmt.Sprint(n)
	}
}

func (p *program) run(events int) *program {
	for range events {
		p.Now += uint64(p.rand.IntN(1000))
		if p.rand.IntN(500) == 0 {
			p.Now += 5 << 32
		}
		p.act(p.streams[p.rand.IntN(len(p.streams))])
	}
	return p
}

func (p *program) act(r *running) {
	if !r.begun || len(r.open) == 0 && p.rand.IntN(4) == 0 || p.rand.IntN(500) == 0 {
		p.begin(r)
	}
	if n := len(r.open); p.place != 0 && n > 0 && r.open[n-1].f.Package == p.goHere.Package && p.rand.IntN(4) == 0 {
		p.ids++
		r.Go(p.goHere)
		p.waiting = append(p.waiting, made{p.ids + 1, r.id})
		p.trees[r.name] = append(p.trees[r.name], &call{p.goHere, len(r.open), "go work(i)", fmt.Sprintf(": goroutine %d", p.ids+1)})
		return
	}
	if len(r.open) == 0 || len(r.open) < 12 && p.rand.IntN(2) == 0 {
		p.enter(r)
		return
	}
	c := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	switch p.rand.IntN(20) {
	case 0:
		v, _, within := p.value()
		r.Panic(c.f, v)
		c.end = ": threw panic: " + within
	case 1:
		r.End(c.f, raw.EventGoexit)
		c.end = ": threw runtime.Goexit"
	case 2:
		r.End(c.f, raw.EventUnwound)
		c.end = ": threw <unwound>"
	default:
		p.exit(r, c)
	}
}

// begin begins a goroutine.
func (p *program) begin(r *running) {
	r.begun, r.open = true, nil
	if n := len(p.waiting); n > 0 {
		i := p.rand.IntN(n)
		m := p.waiting[i]
		p.waiting = slices.Delete(p.waiting, i, i+1)
		r.id, r.name = m.id, fmt.Sprintf("goroutine %d ← %d %s", m.id, m.by, p.parent)
		r.Begin(m.id, m.by, p.place, 0)
		return
	}
	p.ids++
	r.id, r.name = p.ids+1, fmt.Sprintf("goroutine %d ← 77", p.ids+1)
	r.Begin(r.id, 77, 0, 0)
}

// end lets all goroutines that were made begin.
func (p *program) end() *program {
	for len(p.waiting) > 0 {
		p.Now += 10
		r := p.streams[p.rand.IntN(len(p.streams))]
		p.begin(r)
		p.enter(r)
	}
	return p
}

func (p *program) enter(r *running) {
	f := p.functions[p.rand.IntN(len(p.functions))]
	var values []rawtest.Value
	var texts []string
	for range f.Arguments {
		v, text, _ := p.value()
		values, texts = append(values, v), append(texts, text)
	}
	r.Enter(f, uint32(p.rand.IntN(100)), values...)
	class := strings.TrimPrefix(f.Package, "example.com/")
	text := f.Name + "(" + strings.Join(texts, ", ") + ")"
	if n := len(r.open); n == 0 || r.open[n-1].f.Package != f.Package {
		text = class + "." + text
	}
	c := &call{f, len(r.open), text, ": <unfinished method>"}
	r.open = append(r.open, c)
	p.trees[r.name] = append(p.trees[r.name], c)
	p.calls++
}

func (p *program) exit(r *running, c *call) {
	var values []rawtest.Value
	var texts []string
	for range c.f.Results {
		v, text, within := p.value()
		if len(c.f.Results) > 1 {
			text = within
		}
		values, texts = append(values, v), append(texts, text)
	}
	r.Exit(c.f, values...)
	switch len(texts) {
	case 0:
		c.end = ""
	case 1:
		c.end = ": " + texts[0]
	default:
		c.end = ": (" + strings.Join(texts, ", ") + ")"
	}
}

// want returns the text of each thread.
func (p *program) want() map[string]string {
	want := map[string]string{}
	for name, calls := range p.trees {
		var b strings.Builder
		for _, c := range calls {
			b.WriteString(strings.Repeat("  ", c.depth) + c.text + c.end + "\n")
		}
		want[name] = b.String()
	}
	return want
}

// threads returns the text of each thread of a trace, by name.
func threads(tb testing.TB, forest *eager.Forest) map[string]string {
	all := map[string]string{}
	for _, t := range forest.Threads {
		one := eager.Forest{Context: forest.Context, Threads: []*eager.Thread{t}}
		_, calls, _ := strings.Cut(text(tb, &one), "\n") // without the headline
		all[t.Name] = calls
	}
	return all
}

// compare compares the texts of threads.
func compare(t *testing.T, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d threads, want %d", len(got), len(want))
	}
	for name := range want {
		a, b := strings.Split(got[name], "\n"), strings.Split(want[name], "\n")
		for i := range max(len(a), len(b)) {
			if i >= len(a) || i >= len(b) || a[i] != b[i] {
				t.Fatalf("%s, line %d:\n%s\nwant\n%s\n", name, i+1, strings.Join(a[min(i, len(a)):min(i+3, len(a))], "\n"), strings.Join(b[min(i, len(b)):min(i+3, len(b))], "\n"))
			}
		}
	}
}

// sure removes the marks of uncertain goroutines, and from the wanted text those numbers that
// were not known in time.
func sure(got, want map[string]string) {
	for name, text := range got {
		lines, wanted := strings.Split(strings.ReplaceAll(text, "≈ ", ""), "\n"), strings.Split(want[name], "\n")
		for i := range min(len(lines), len(wanted)) {
			if strings.HasSuffix(lines[i], "go work(i)") {
				wanted[i], _, _ = strings.Cut(wanted[i], ":")
			}
		}
		got[name], want[name] = strings.Join(lines, "\n"), strings.Join(wanted, "\n")
	}
}

// TestRandomStatements: go statements have the goroutines that they made, whatever the order in
// which chunks are read.
func TestRandomStatements(t *testing.T) {
	numbers := 0
	for seed := range uint64(25) {
		p := newMaker(t, seed, rawtest.Options{Clock: raw.ClockCounter, Shift: 12 + uint32(seed)%4, ChunkMost: 1024 << (seed % 3)}).run(int(seed * 40)).end()
		_, forest, _ := convert(t, instrumented.Options{Version: format.V22 + 5*format.Version(seed%2)}, p.File)
		got, want := threads(t, forest), p.want()
		for name := range got {
			got[name] = strings.ReplaceAll(got[name], "≈ ", "")
		}
		compare(t, got, want)
		grown, forest := grow(t, p)
		got = threads(t, forest)
		numbers += strings.Count(fmt.Sprint(got), "go work(i): goroutine")
		sure(got, want)
		compare(t, got, want)
		if grown.Calls != p.calls {
			t.Fatalf("%d calls, want %d", grown.Calls, p.calls)
		}
	}
	if numbers < 80 {
		t.Errorf("only %d goroutines were found in files that grew", numbers)
	}
}

func TestRandomPrograms(t *testing.T) {
	for seed := range uint64(40) {
		shapes := rawtest.Options{Clock: raw.ClockCounter + uint32(seed)%2, Shift: 12 + uint32(seed)%4, ChunkMost: 1024 << (seed % 3)}
		p := newProgram(seed, shapes).run(int(seed * 40))
		o := instrumented.Options{BlockSize: 100 + int(seed)*100, Version: format.V22 + 5*format.Version(seed%2)}
		s, got, _ := convert(t, o, p.File)
		compare(t, threads(t, got), p.want())
		if s.Calls != p.calls || s.Processes[0].Damaged > 0 {
			t.Fatalf("%+v, want %d calls", s, p.calls)
		}
	}
}

// busy is a context that lets a program write whenever it is asked.
type busy struct {
	context.Context
	write func()
}

func (b busy) Err() error {
	b.write()
	return nil
}

// grow converts a file while it grows, some writes at a time.
func grow(t *testing.T, p *program) (*instrumented.Summary, *eager.Forest) {
	t.Helper()
	out := newOutput(t)
	c, err := instrumented.New(out.to(), instrumented.Options{BlockSize: 1000})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a"+raw.Suffix)
	c.Add(path)
	file := p.Grow(t, path)
	most := 1 + p.rand.IntN(80)
	more := true
	write := func() { more = file.Apply(t, p.rand.IntN(most)) }
	for more {
		write()
		if _, err := c.Step(busy{t.Context(), write}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := c.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Processes[0].Damaged > 0 {
		t.Fatal(s.Processes[0].Problems)
	}
	return s, tracetest.LoadChecked(t, out.path)
}

// TestGrowing converts files while they grow.
func TestGrowing(t *testing.T) {
	for seed := range uint64(25) {
		p := newProgram(seed, rawtest.Options{Clock: raw.ClockCounter, Shift: 12 + uint32(seed)%4, ChunkMost: 1024 << (seed % 3)}).run(int(seed * 20))
		s, forest := grow(t, p)
		compare(t, threads(t, forest), p.want())
		if s.Calls != p.calls {
			t.Fatalf("%d calls, want %d", s.Calls, p.calls)
		}
	}
}
