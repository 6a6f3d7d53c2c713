package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/lazy/export"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/chrome"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/convert/sources"
)

// backCall is what must be the same of a call that was exported and converted back.
type backCall struct {
	Kind, Class, Method string
	Thread              int
	Start, Duration     *int64
	Args                []struct {
		Type  string
		Value any
	}
	Result    *struct{ Type string }
	Exception *struct{ Class string }
}

// backCalls returns the calls of a trace, but what loops, writes and the like became.
func backCalls(t *testing.T, path string) (list []backCall) {
	t.Helper()
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Print(t.Context(), &b, lazy.PrintOptions{JSON: true, Folded: true}, lazy.PrintRange{}); err != nil {
		t.Fatal(err)
	}
	instants := map[string]bool{"loop": true, "uncategorized": true, "": true}
	for _, c := range []format.Class{format.ClassVariableWrite, format.ClassFieldWrite, format.ClassArrayWrite, format.ClassThrow, format.ClassCatch, format.ClassSnapshot} {
		instants[c.String()] = true
	}
	for line := range bytes.Lines(b.Bytes()) {
		var c backCall
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.Kind == "call" && !instants[c.Class] {
			list = append(list, c)
		}
	}
	return list
}

// TestExportReadsBack: what is exported for Perfetto and for Chrome is converted back to the same calls: of the same
// methods, at the same times, with as many arguments, the same numbers, results and exceptions.
func TestExportReadsBack(t *testing.T) {
	for name, path := range map[string]string{
		"demo":    formattest.Demo(t),
		"calls":   formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 600, Seed: 4, Timed: true}),
		"threads": formattest.File(t, formattest.Spec{Shape: formattest.Threads, N: 12, Seed: 4, Timed: true}),
	} {
		for _, f := range []string{"perfetto", "chrome"} {
			t.Run(name+" "+f, func(t *testing.T) {
				want, got := backCalls(t, path), backCalls(t, thereAndBack(t, path, f))
				if len(got) != len(want) || len(want) < 10 {
					t.Fatalf("%d calls come back, of %d", len(got), len(want))
				}
				fromFirst(want)
				fromFirst(got)
				for i := range want {
					compareBack(t, &got[i], &want[i])
				}
			})
		}
	}
}

// fromFirst makes times count from the first call.
func fromFirst(list []backCall) {
	first := *list[0].Start
	for _, c := range list {
		first = min(first, *c.Start)
	}
	for _, c := range list {
		*c.Start -= first
	}
}

func compareBack(t *testing.T, got, want *backCall) {
	t.Helper()
	args := len(got.Args)
	if args == len(want.Args)+1 { // the receiver
		got.Args = got.Args[1:]
		args--
	}
	same := got.Class == want.Class && got.Method == want.Method && args == len(want.Args)
	same = same && *got.Start == *want.Start && *got.Duration == *want.Duration
	same = same && (got.Exception == nil) == (want.Exception == nil) && (got.Exception == nil || got.Exception.Class == want.Exception.Class)
	for i := range min(args, len(want.Args)) {
		if kind := want.Args[i].Type; kind == "int" || kind == "long" || kind == "boolean" || kind == "string" {
			same = same && got.Args[i].Value == want.Args[i].Value
		}
	}
	if !same {
		a, _ := json.Marshal(got)  // a test's own type
		b, _ := json.Marshal(want) // the same
		t.Fatalf("%s\ncomes back for\n%s", a, b)
	}
}

// thereAndBack exports a trace and converts the result. It returns the path of the trace made.
func thereAndBack(t *testing.T, path, name string) string {
	t.Helper()
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	j, err := export.NewJob(r, export.Options{Title: "t"})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := j.Write(t.Context(), export.ByName(name), &b, nil); err != nil {
		t.Fatal(err)
	}
	back := filepath.Join(t.TempDir(), "back.bin")
	var files [3]*os.File
	for i, suffix := range []string{"", format.IndexSuffix, format.TimesSuffix} {
		if files[i], err = os.Create(back + suffix); err != nil {
			t.Fatal(err)
		}
		defer files[i].Close()
	}
	to := tracefile.Files{Data: files[0], Index: files[1], Times: files[2]}
	if name == "perfetto" {
		c := perfetto.New(perfetto.Options{})
		defer c.Close()
		if err := c.Read(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write(t.Context(), to); err != nil {
			t.Fatal(err)
		}
		return back
	}
	w := calltrace.New(to, calltrace.Options{})
	defer w.Discard()
	if err := chrome.Source.Convert(t.Context(), sources.Input{Reader: &b, Path: "t.json", Size: -1}, "", w); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	return back
}
