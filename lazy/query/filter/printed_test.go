package filter

import (
	"regexp"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// TestAgainstPrintedText counts matches in recorded traces, and lines of the text that the reference
// printed of them.
func TestAgainstPrintedText(t *testing.T) {
	counts := map[string]int{}
	for _, name := range []string{"gson.stream", "kotlin.v27.stream", "threads.v27.stream", "blocks.stream", "shapes.v27.stream"} {
		c, list := samples(t, formattest.Recorded(t, name+".bin"))
		text := string(formattest.Recorded(t, name+".raw.txt"))
		for _, x := range []struct{ filter, line string }{
			{"kind=call ret=null", `^\s*\S.*\): null$`},
			{"ret=true", `^\s*\S.*\): true$`},
			{"ret>=10 ret<100", `^\s*\S.*\): [1-9][0-9](\.[0-9]+)?$`},
			{"ret~^StringBuilder@", `^\s*\S.*\): StringBuilder@[^()]*(\(".*"\))?$`},
			{`ret=""`, `^\s*\S.*\): (""|[\w.$]+@-?\d+\(""\))$`},
			{"threw", `\): threw [\w.$]*$`},
			{"threw exc~Exception$", `\): threw [\w.$]*Exception$`},
			{"kind=loop", `^\s*loop\(`},
			{"kind=iteration iter=2", `^\s*<iteration 2>$`},
			{"kind=throw", `^\s*throw `},
			{"kind=catch", `^\s*catch\(`},
			{"method=<init> -super@", `^\s*new [\w.$]+\(`},
			{"kind=write value=true", `^\s*[^\s"(][^"]* = true$`},
			{"ret=0", `^\s*\S.*\): -?0(\.0)?$`},
			{"kind=array-write value~.", `^[^"=]*\[\d+\] = `},
		} {
			f := bound(t, parse(t, x.filter), c)
			got := 0
			for _, s := range list {
				if f.Match(s.facts()) {
					got++
				}
			}
			want := 0
			line := regexp.MustCompile(x.line)
			for l := range strings.Lines(text) {
				if line.MatchString(strings.TrimRight(l, "\n")) {
					want++
				}
			}
			if got != want {
				t.Errorf("%s: %s matches %d points, %s %d lines", name, x.filter, got, x.line, want)
			}
			counts[x.filter] += got
		}
	}
	for filter, n := range counts {
		if n == 0 {
			t.Errorf("%s matches nothing: the test tests little", filter)
		}
	}
}
