//go:build linux

package cli

import (
	"path/filepath"
	"regexp"
	"testing"

	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
)

// withGap records main, which calls step until it has called end. In the middle a second is missing, in which a call of
// step ended and another one began. A goroutine has nothing after that.
func withGap() *rawtest.File {
	f := rawtest.New(rawtest.Options{Program: "/bin/shop", Clock: raw.ClockCounter, ChunkMost: raw.ChunkUnit})
	function := func(id uint32, name string) *raw.Function {
		fn := &raw.Function{ID: id, Line: 10, Package: "shop", Name: name, File: "/src/shop/main.go"}
		f.Function(fn)
		return fn
	}
	run, step, end := function(1, "run"), function(2, "step"), function(3, "end")
	g, lost := f.Goroutine(1<<7), f.Goroutine(2<<7)
	g.Begin(1, 0, 0, 0)
	lost.Begin(2, 0, 0, 0)
	begun := f.Now
	g.Enter(run, 0)
	lost.Enter(run, 0)
	g.Enter(step, 0)
	f.Full()
	gap := f.Segments()
	for _, r := range []*rawtest.Goroutine{g, lost} {
		r.Full()
		r.Exit(run)
	}
	f.Full()
	f.Now += rawtest.Rate * 1_000_000_000
	g.Full()
	g.AgainAfter(100, 1, 0, 0, 0, rawtest.Open{Function: run, Counter: begun}, rawtest.Open{Function: step, Counter: f.Now - 9})
	g.Exit(step)
	g.Enter(end, 0)
	g.Exit(end)
	g.Exit(run)
	f.DropAfter(gap, 120)
	return f
}

// TestGapAnswers: no answer takes a call whose end was dropped for one that did not end, or its time for all of it.
func TestGapAnswers(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "1-1"+raw.Suffix), filepath.Join(dir, "trace.bin")
	withGap().Save(t, path)
	if _, stderr, exit := runCommand(t, "convert", "-o", out, path); exit != 0 {
		t.Fatal(stderr)
	}
	const note = `(?m)^missing at the rows <dropped: …>: 119 calls in 1s; that time is in the self times of the calls around, and a call that ends there counts up to it$`
	for _, c := range []struct {
		args []string
		want string // a pattern
	}{
		{[]string{"info"}, `(?m)^missing +119 calls in 1s, between`},
		{[]string{"print"}, `^# Thread 1 \(main\)
shop\.run\(\)
  step\(\): <untracked result>
  <dropped: 119 calls in 1s> = 97
  step\(…\)
  end\(\)
# Thread 2 \(goroutine 2\)
shop\.run\(\): <untracked result>
  <dropped: 119 calls in 1s> = at most 22
$`},
		{[]string{"find", "status=unfinished"}, `^0 matches`},
		{[]string{"find", "status=untracked"}, `^2 matches`},
		{[]string{"find", "method=step"}, `(?m)^ *#1 +1 +≥\d.*<untracked result>(.*\n)* *#\d+ +1 +≥\d.*step\(…\)`},
		{[]string{"find", "--json", "method=step"}, `"duration_bound":"at least","text":"step\(\): <untracked result>"`},
		{[]string{"find", "--json", "method=end"}, `"duration":\d+,"text"`},
		{[]string{"calls", "method=run"}, `(?m)^ *≥.*<untracked result>`},
		{[]string{"calls", "method=run"}, note},
		{[]string{"top"}, note},
		{[]string{"callers", "step"}, note},
	} {
		args := append(append(c.args[:1:1], out), c.args[1:]...)
		if text, stderr, exit := runCommand(t, args...); !regexp.MustCompile(c.want).MatchString(text) {
			t.Errorf("%q: exit code %d, %s%s\nwant %s", c.args, exit, text, stderr, c.want)
		}
	}
}
