package interop

import (
	"fmt"
	"slices"
	"strings"

	"tracex/recorder/convert/readback"
)

// states are the names of goroutines' states in converted traces, by their beginning.
var states = []struct{ converted, parsed string }{
	{"blocked", "Waiting"}, {"waiting to run", "Runnable"}, {"system call", "Syscall"},
}

// countConverted counts what a thread of a converted Go trace has, in the words of countParsed.
func countConverted(to map[string]int, th *readback.Thread) {
	if rest, ok := strings.CutPrefix(th.Name, "task "); ok {
		kind, _, _ := strings.Cut(rest, " ")
		to["task "+kind]++
		return
	}
	goroutine := "goroutine 1"
	if th.Name != "main" {
		words := strings.SplitN(th.Name, " ", 3)
		if words[0] != "goroutine" {
			return
		}
		goroutine = words[0] + " " + words[1]
	}
	th.Walk(func(p *readback.Point, depth int) {
		if depth == 0 || p.Variable {
			return
		}
		for _, s := range states {
			if strings.HasPrefix(p.Name, s.converted) {
				to[goroutine+": "+s.parsed]++
				return
			}
		}
		switch task := p.Arg("task"); {
		case strings.HasPrefix(p.Name, "go "):
			to[goroutine+": go "+strings.TrimPrefix(p.Result.Shown, "goroutine ")]++
		case p.Name == "log":
			to[fmt.Sprintf("%s: log %s %s", goroutine, p.Args[0].Text, p.Args[1].Text)]++
		case task != "":
			to[fmt.Sprintf("%s: region %s of %s", goroutine, p.Name, task)]++
		}
	})
}

// differences tells where two counts differ.
func differences(got, want map[string]int) (all []string) {
	for what, n := range want {
		if got[what] != n {
			all = append(all, fmt.Sprintf("%s: %d, want %d", what, got[what], n))
		}
	}
	for what, n := range got {
		if _, ok := want[what]; !ok {
			all = append(all, fmt.Sprintf("%s: %d, want none", what, n))
		}
	}
	slices.Sort(all)
	return all
}
