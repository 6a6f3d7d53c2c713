package interop

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"tracex/recorder/convert/chrome"
	"tracex/recorder/convert/readback"
)

// tableProgram is one whose compilation takes templates of the library.
const tableProgram = `#include <map>
#include <string>
#include <vector>
template <int N> struct sum { static const int value = N + sum<N - 1>::value; };
template <> struct sum<0> { static const int value = 0; };
std::map<std::string, std::vector<int>> table() { return {{"a", {sum<40>::value}}}; }
int main() { return static_cast<int>(table().size()); }
`

// totals counts calls, and adds their durations in ns.
type totals struct{ calls, duration int64 }

func (s totals) String() string {
	return fmt.Sprintf("%d calls, %v", s.calls, time.Duration(s.duration))
}

// converted adds up the calls of a trace by name and detail.
func convertedTotals(got *readback.Trace) map[string]totals {
	sums := map[string]totals{}
	for _, th := range got.Threads {
		th.Walk(func(p *readback.Point, _ int) {
			if p.Variable {
				return
			}
			name := p.Name
			for i := range p.Args {
				if i < len(p.ArgNames) && p.ArgNames[i] == "detail" {
					name += " " + p.Args[i].Text
				}
			}
			s := sums[name]
			sums[name] = totals{s.calls + 1, s.duration + p.Dur}
		})
	}
	return sums
}

func compareTotals(t *testing.T, got, want map[string]totals) {
	t.Helper()
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s: %v, want %v", name, got[name], w)
		}
	}
	for name, g := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %v, want none", name, g)
		}
	}
}

// TestClang compiles a program with -ftime-trace, and compares the calls, their details and their
// durations.
func TestClang(t *testing.T) {
	clang := need(t, "clang++")
	dir := t.TempDir()
	write(t, dir, "table.cc", tableProgram)
	run(t, dir, clang, "-O1", "-c", "-ftime-trace", "-ftime-trace-granularity=50", "table.cc", "-o", "table.o")
	path := filepath.Join(dir, "table.json")
	plain := readPlainly(t, path)
	got, sum := convert(t, &chrome.Source, path)
	if len(sum.LeftOut) > 0 {
		t.Errorf("left out: %+v", sum.LeftOut)
	}
	want := map[string]totals{}
	for i := range plain.Events {
		e := &plain.Events[i]
		if e.Phase == "M" {
			continue
		}
		if e.Phase != "X" {
			t.Fatalf("an event of the phase %s", e.Phase)
		}
		var args struct{ Detail string }
		if err := json.Unmarshal(e.Args, &args); e.Args != nil && err != nil {
			t.Fatal(err)
		}
		name := e.Name
		if args.Detail != "" {
			name += " " + args.Detail
		}
		s := want[name]
		want[name] = totals{s.calls + 1, s.duration + nanoseconds(t, e.Duration)}
	}
	if want["ExecuteCompiler"].calls != 1 || len(want) < 20 {
		t.Fatalf("%d kinds of calls, ExecuteCompiler: %v", len(want), want["ExecuteCompiler"])
	}
	compareTotals(t, convertedTotals(got), want)
	if begin, _ := plain.Begin.Int64(); begin != 0 && got.Anchor.UnixMicro() < begin {
		t.Errorf("the trace begins %v, before %v", got.Anchor, time.UnixMicro(begin))
	}
}
