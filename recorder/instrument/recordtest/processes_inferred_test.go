//go:build linux

package recordtest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/processes"
)

// onlyProgram starts itself in launch, which has run for more than the unit of start times by then; with an argument, another goroutine is
// in a call meanwhile.
const onlyProgram = `package main

import (
	"os"
	"os/exec"
	"time"
)

func main() {
	switch {
	case len(os.Args) < 2:
		return
	case os.Args[1] == "two":
		begun := make(chan bool)
		go other(begun)
		<-begun
	}
	launch()
}

func other(begun chan bool) {
	close(begun)
	select {}
}

func launch() {
	time.Sleep(50 * time.Millisecond)
	if err := exec.Command(os.Args[0]).Run(); err != nil {
		panic(err)
	}
}
`

// TestInferred: without --waits, the call that started a process is inferred if only one goroutine had a call open.
func TestInferred(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"go.mod": "module example.com/only\n\ngo 1.25\n", "main.go": onlyProgram})
	_, program := built(t, dir)
	for what, want := range map[string]processes.How{"one": processes.Inferred, "two": processes.Unknown} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		must(t, runTracex(t, dir, nil, "record", "-o", trace, "--", program, what))
		r, err := lazy.Open(trace, lazy.Options{NoWrite: true})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if err := r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := processes.Of(r)
		if len(all.List) != 2 || all.Parent(&all.List[1]) != &all.List[0] {
			t.Fatalf("%+v", all.List)
		}
		_, event, how, err := all.Call(t.Context(), r, false, &all.List[1])
		if err != nil || how != want || event < 0 {
			t.Fatalf("%s: event %d, %v, %v", what, event, how, err)
		}
		var text strings.Builder
		if err := r.PrintEvent(t.Context(), &text, lazy.PrintOptions{}, event, false, lazy.PrintRange{}); err != nil || !strings.Contains(text.String(), "launch()") {
			t.Errorf("%s: in %q, %v", what, text.String(), err)
		}
		name := func(int32) string { return "" }
		by := all.Origin(&all.List[1], name)
		if p := &all.List[1]; !strings.HasPrefix(by, "by "+processes.Name(&all.List[0])+" between ") || !p.Timed || p.Began-p.From < 0 {
			t.Errorf("%s: started %q, %+v", what, by, p)
		}
		var none *format.Process
		if got := all.OfThread("something › else"); got != none {
			t.Errorf("%+v has a thread of another program", got)
		}
	}
}
