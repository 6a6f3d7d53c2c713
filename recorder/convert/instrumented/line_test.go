package instrumented_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tracex/format"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
)

// recorded is a file of a process with a call. Its recording begins so many milliseconds after the first.
func recorded(pid uint64, after int, line ...raw.Member) *rawtest.File {
	nanos := uint64(50_000_000_000 + after*1_000_000)
	f := rawtest.New(rawtest.Options{PID: pid, Program: "/bin/shop", Clock: raw.ClockCounter, Nanos: nanos, Wall: 1_700_000_000_000_000_000 + nanos, Boot: nanos, Line: line})
	g := f.Goroutine(1 << 7)
	a := &raw.Function{ID: 1, Package: "p", Name: "a"}
	g.Begin(1, 0, 0, 0)
	g.Enter(a, 0)
	g.Exit(a)
	return f
}

// told returns what a trace tells of its processes, and of what started them.
func told(c *format.Context) string {
	var b strings.Builder
	for _, p := range format.Processes(c) {
		fmt.Fprintf(&b, "%d %s: parent %d", p.Number, p.Shown, p.Parent)
		if p.Parent != 0 && !p.Became {
			fmt.Fprintf(&b, " via %d in %d..%d ms", p.Via, p.From/1_000_000, p.Began/1_000_000)
		}
		if p.By != nil {
			fmt.Fprintf(&b, " by #%d of thread %d", p.By.Event, p.By.Thread)
		}
		b.WriteString(map[bool]string{true: " became"}[p.Became] + map[bool]string{true: " unsure"}[p.Unsure] + "\n")
	}
	return b.String()
}

// TestProcessNotes: which process started which, whatever the order of the files; and with the wait that tells it, which call.
func TestProcessNotes(t *testing.T) {
	first, child := raw.Member{PID: 10, Started: 4990}, raw.Member{PID: 11, Started: 5010}
	parent := rawtest.New(rawtest.Options{PID: 10, Program: "/bin/shop", Clock: raw.ClockNanos, Nanos: 50_000_000_000, Wall: 1_700_000_050_000_000_000, Boot: 50_000_000_000, Line: []raw.Member{first, {PID: 1, Started: 1}}})
	parent.Now = parent.Nanos
	g := parent.Goroutine(1 << 7)
	a := &raw.Function{ID: 1, Package: "p", Name: "a"}
	g.Begin(1, 0, 0, 0)
	g.Enter(a, 0)
	g.Wait(raw.WaitStart, 0, 0)
	g.Waited(raw.WaitStart, 11) // long before: the id was another's
	parent.Now += 100_000_000
	g.Wait(raw.WaitStart, 0, 0)
	parent.Now += 1_000_000
	g.Waited(raw.WaitStart, 11)
	g.Wait(raw.WaitStart, 0, 0)
	g.Waited(raw.WaitStart, 12)
	g.Exit(a)
	files := []*rawtest.File{recorded(13, 200, raw.Member{PID: 13, Started: 5019}, raw.Member{PID: 12, Started: 5010}, first), parent, recorded(11, 103, child, first), recorded(11, 300, child, first)}
	_, forest, text := convert(t, instrumented.Options{}, files...)
	want := `1 shop 13: parent 2 via 12 in 100..200 ms by #4 of thread 1
2 shop 10: parent 0
3 shop 11: parent 2 via 11 in 100..103 ms by #3 of thread 1
4 shop 11 (2): parent 3 became
`
	if got := told(forest.Context); got != want {
		t.Errorf("%s\nwant\n%s%s", got, want, text)
	}
}

// TestProcessLies: headers and notes that contradict each other link nothing, and come to an end.
func TestProcessLies(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		var files []*rawtest.File
		for range 1 + random.IntN(6) {
			var line []raw.Member
			for range random.IntN(5) {
				line = append(line, raw.Member{PID: 1 + random.Uint64N(4), Started: 4990 + random.Uint64N(3)})
			}
			pid := 1 + random.Uint64N(4)
			if len(line) > 0 && random.IntN(4) > 0 {
				pid = line[0].PID
			}
			files = append(files, recorded(pid, random.IntN(4)*10, line...))
		}
		_, forest, _ := convert(t, instrumented.Options{}, files...)
		list := format.Processes(forest.Context)
		if len(list) != len(files) {
			t.Fatalf("%d processes of %d", len(list), len(files))
		}
		names := map[string]bool{}
		for _, p := range list {
			if names[p.Shown] {
				t.Errorf("two are named %q", p.Shown)
			}
			names[p.Shown] = true
			for steps, q := 0, p; q.Parent != 0; steps++ {
				before := q
				if q = list[q.Parent-1]; steps > len(list) || q.Began >= before.Began {
					t.Fatalf("%s", told(forest.Context))
				}
			}
		}
	}
}

// TestOldest: a file of the version before, which has no line, reads as it did; those of others are refused.
func TestOldest(t *testing.T) {
	for version := uint32(raw.Oldest - 1); version <= raw.Version+1; version++ {
		f := recorded(7, 0, raw.Member{PID: 7, Started: 1})
		if version == raw.Oldest {
			f = recorded(7, 0)
		}
		f.Header(raw.AtVersion, version)
		s, forest, text := convert(t, instrumented.Options{}, f)
		reads := version >= raw.Oldest && version <= raw.Version
		if got := strings.Contains(text, "p.a()"); got != reads || (s.Processes[0].Damaged == 0) != reads {
			t.Errorf("version %d: %+v %s", version, s, text)
		}
		if reads && told(forest.Context) != "1 : parent 0\n" {
			t.Errorf("version %d: %s", version, told(forest.Context))
		}
	}
}
