//go:build linux

package recordtest_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// conditionProgram calls kinds with values of each kind.
const conditionProgram = `package main

import (
	"errors"
	"time"
)

type Shop struct{}

type level uint8

func (s *Shop) kinds(text string, f float64, ok bool, n int32, u level, took time.Duration, p *int, list []int, fails error) (sum int, small float32, err error) {
	return int(n) + 1, 0.5, fails
}

func plain(string, int) (int, error) { return 7, errors.New("none") }

func main() {
	var s *Shop
	s.kinds("", -1.5, false, -3, 0, 0, nil, nil, nil)
	s.kinds("two words", 2.25, true, 40, 200, 5*time.Millisecond, new(int), []int{}, errors.New("x"))
	plain("a", 1)
}
`

// TestUntilConditions: conditions on arguments and results decide whether the recording ends. That is known of each, as the
// calls are known.
func TestUntilConditions(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"go.mod": "module example.com/conditions\n\ngo 1.25\n", "main.go": conditionProgram})
	must(t, runTracex(t, dir, nil, "build", "-o", "conditions", "."))
	kinds, plain := "main.Shop.kinds ", "main.plain "
	for _, c := range []struct {
		until string
		ends  bool
	}{
		{kinds + `arg.text="two words"`, true}, {kinds + `arg.text="two word"`, false}, {kinds + `arg.text="two words "`, false},
		{kinds + `arg.text=""`, true}, {kinds + "arg.text>two", true}, {kinds + "arg.text>uwo", false}, {kinds + `arg.text<"a"`, true},
		{kinds + "arg.f=2.25", true}, {kinds + "arg.f<-1.5", false}, {kinds + "arg.f<=-1.5", true}, {kinds + "arg.f>2.25", false},
		{kinds + "arg.ok=true", true}, {kinds + "arg.ok=true arg.n<0", false}, {kinds + "arg.ok!=true and arg.n<0", true}, {kinds + "arg.ok=1", false},
		{kinds + "arg.n=-3", true}, {kinds + "arg.n=-4", false}, {kinds + "arg.n>=40", true}, {kinds + "arg.n>40", false}, {kinds + "arg.n>39.5", true},
		{kinds + "arg.u=200", true}, {kinds + "arg.u<0", false}, {kinds + "arg.u>-1", true}, {kinds + "arg.u>200.5", false}, {kinds + "arg.n=x", false},
		{kinds + "arg.took=5ms", true}, {kinds + "arg.took>5ms", false}, {kinds + "arg.took>=4999us", true},
		{kinds + "arg.p=nil", true}, {kinds + "arg.p!=nil", true}, {kinds + "arg.p!=nil arg.ok=false", false}, {kinds + "arg.p=0", false},
		{kinds + "arg.list=null arg.ok=true", false}, {kinds + "arg.list=null", true}, {kinds + "arg.fails!=nil arg.text!=\"\"", true}, {kinds + "arg.fails!=nil arg.text=\"\"", false},
		{kinds + "arg.1=\"two words\"", true}, {kinds + "arg.4=40", true}, {kinds + "arg.5=40", false}, {kinds + "arg.10=1", false}, {kinds + "arg.nothing=1", false},
		{kinds + "ret.sum=41", true}, {kinds + "ret.sum=41 arg.ok=false", false}, {kinds + "arg.ok=false ret.sum=-2", true}, {kinds + "ret.small=0.5", true},
		{kinds + "ret.err!=nil", true}, {kinds + "ret.err!=nil arg.n<0", false}, {kinds + "ret.err=nil ret.sum=41", false}, {kinds + "ret.3=nil", true}, {kinds + "ret=41", true},
		{plain + "ret.err!=nil", true}, {plain + "ret.err=nil", false}, {plain + "arg.2=1 ret=7", true}, {plain + "arg.1=b", false},
		{"main.nothing arg.n=1", false},
	} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		r := must(t, runTracex(t, dir, nil, "record", "-o", trace, "--until", c.until, "--", "./conditions"))
		if ends := strings.Contains(r.stderr, "what --until names has happened"); ends != c.ends || ends == strings.Contains(r.stderr, "did not happen") {
			t.Errorf("--until %q: tracex says %q", c.until, r.stderr)
		}
	}
	for _, until := range []string{"main.plain arg", "main.plain arg=1", "main.plain ret~x", "main.plain x=1", "panic arg.1=2", "main.plain arg.1=\"a", " "} {
		if r := runTracex(t, dir, nil, "record", "--until", until, "--", "./conditions"); r.code == 0 || !strings.Contains(r.stderr, "--until") {
			t.Errorf("--until %q: %q", until, r.stderr)
		}
	}
}

// sampleProgram calls request as often from one goroutine as by goroutines of their own. A third of the calls panics.
const sampleProgram = `package main

import "sync"

const many = 60_000

func request(i int) {
	before(i)
	if i%3 == 0 {
		panic(i)
	}
	after(i)
}

func before(int) { deeper() }

func deeper() {}

func after(int) {}

func safe(i int) {
	defer func() { recover() }()
	request(i)
}

func deep(n, i int) {
	if n == 0 {
		safe(i)
		return
	}
	deep(n-1, i)
}

func main() {
	for i := range many {
		deep(i%5, i)
	}
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() { safe(i) })
	}
	wg.Wait()
}
`

// TestSample: about the share that was asked for is recorded, each tree whole, and the trace says so.
func TestSample(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"go.mod": "module example.com/sample\n\ngo 1.25\n", "main.go": sampleProgram})
	must(t, runTracex(t, dir, nil, "build", "-o", "sample", "."))
	const trees = 120_000
	for _, c := range []struct {
		share string
		part  float64
	}{{"5%", 0.05}, {"0.5%", 0.005}, {"100%", 1}} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		// What is left out is outside of the trees.
		must(t, runTracex(t, dir, nil, "record", "-o", trace, "--sample", c.share, "--only", "main.request", "--only", "main.before", "--only", "main.after", "--only", "main.deeper", "--", "./sample"))
		count := func(method string) int {
			return strings.Count(runTracex(t, dir, nil, "calls", "--json", "-n", "1000000", trace, method).stdout, `"handle"`)
		}
		n, inner := count("main.request"), count("main.deeper")
		spread := 6 * math.Sqrt(trees*c.part*(1-c.part))
		if diff := math.Abs(float64(n) - trees*c.part); diff > spread {
			t.Errorf("--sample %s: %d trees of %d", c.share, n, trees)
		}
		if before, after := count("main.before"), count("main.after"); before != n || inner != n || after >= n || after == 0 {
			t.Errorf("--sample %s: %d trees with %d, %d and %d calls", c.share, n, before, inner, after)
		}
		if c.part == 1 {
			if after := count("main.after"); after != trees/3*2 {
				t.Errorf("%d calls after", after)
			}
		}
		roots := strings.Count(runTracex(t, dir, nil, "print", trace).stdout, "\nmain.request(")
		if roots != n {
			t.Errorf("--sample %s: %d of %d are roots", c.share, roots, n)
		}
		for _, answer := range []string{"top", "info", "overview"} {
			said := strings.Contains(runTracex(t, dir, nil, answer, trace).stdout, "a sample: "+strings.TrimSuffix(c.share, "%")+" % of the call trees")
			if said != (c.part < 1) {
				t.Errorf("%s of --sample %s does not say so, or says it of all", answer, c.share)
			}
		}
	}
	for _, share := range []string{"1", "0%", "101%", "x%", "-1%"} {
		if r := runTracex(t, dir, nil, "record", "--sample", share, "--", "./sample"); r.code == 0 {
			t.Errorf("--sample %s is taken", share)
		}
	}
}
