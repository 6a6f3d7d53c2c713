//go:build linux

package recordtest_test

import (
	"path/filepath"
	"slices"
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
	for _, c := range []struct {
		what  string
		flags []string
		want  processes.How
	}{
		{"one", nil, processes.Inferred},
		{"two", nil, processes.Unknown},
		{"one", []string{"--slower", "20ms"}, processes.Unknown}, // other calls may have been left out
		{"one", []string{"--waits"}, processes.Told},
	} {
		what, want, command := c.what, c.want, []string{"--", program, c.what}
		if want == processes.Told {
			command = []string{"--", "go", "run", ".", c.what} // built for waits
		}
		trace := filepath.Join(t.TempDir(), "trace.bin")
		must(t, runTracex(t, dir, nil, slices.Concat([]string{"record", "-o", trace}, c.flags, command)...))
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
			t.Fatalf("%s %v: event %d, %v, %v", what, c.flags, event, how, err)
		}
		if want == processes.Told {
			p := all.List[1]
			p.By = nil // as if a process that the parent adopted had started it
			if _, _, how, err := all.Call(t.Context(), r, false, &p); err != nil || how != processes.Unknown {
				t.Errorf("%v, %v: one that the parent did not start", how, err)
			}
			continue
		}
		var text strings.Builder
		if err := r.PrintEvent(t.Context(), &text, lazy.PrintOptions{}, event, false, lazy.PrintRange{}); err != nil || !strings.Contains(text.String(), "launch()") {
			t.Errorf("%s: in %q, %v", what, text.String(), err)
		}
		name := func(int32) string { return "" }
		by := all.Origin(&all.List[1], name)
		if p := &all.List[1]; !strings.HasPrefix(by, "by "+processes.Name(&all.List[0])+" between ") || !p.Timed || p.Until-p.From < 0 || p.Until-p.From > 10e6 || p.Until > p.Began {
			t.Errorf("%s: started %q, %+v", what, by, p)
		}
		var none *format.Process
		if got := all.OfThread("something › else"); got != none {
			t.Errorf("%+v has a thread of another program", got)
		}
	}
}
