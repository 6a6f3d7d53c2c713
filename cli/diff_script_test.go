package cli

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tracex/format"
	"tracex/format/formattest"
)

// diffProgram writes the trace of a small program, as it was and as it is.
type diffProgram struct {
	*formattest.Builder
	methods map[string]int32
	event   int32
}

// call writes a call of Class.method with numbers as arguments.
func (w *diffProgram) call(class, method string, args []int64, result int64, within ...func()) {
	name := class + "." + method
	if _, ok := w.methods[name]; !ok {
		w.methods[name] = w.Method("shop."+class, method, format.Type{Kind: format.TypeInt})
	}
	p := &format.Point{Class: format.ClassCall, Ref: w.methods[name], Location: -1, Diff: format.DiffNone, Event: w.event, Target: format.Null()}
	for _, n := range args {
		p.Args = append(p.Args, formattest.IntValue(n))
	}
	w.event++
	w.Point(p)
	for _, f := range within {
		f()
	}
	w.Footer(format.ClassCall, &format.Footer{Result: formattest.IntValue(result)})
}

// write writes the program. noise is what differs from run to run.
func (w *diffProgram) write(noise int64, changed bool) {
	w.methods = make(map[string]int32)
	w.Thread(0)
	w.Name("main")
	now := func() { w.call("Clock", "now", nil, noise) }
	item := func(n int64, qty int64) func() {
		return func() {
			w.call("Order", "add", []int64{n}, 0, func() { w.call("Price", "of", []int64{n, qty}, 10*qty) }, func() { w.call("Stock", "take", []int64{n}, 1) })
		}
	}
	audit := func() {
		w.call("Audit", "check", []int64{7}, 1, func() { w.call("Audit", "read", []int64{1}, 1) }, func() { w.call("Audit", "write", []int64{2}, 1) })
	}
	w.call("App", "run", nil, 0, func() {
		now()
		if !changed {
			audit()
		}
		for n := range int64(6) {
			qty := int64(3)
			if changed && (n == 2 || n == 3) {
				qty = 4
			}
			item(n, qty)()
		}
		if !changed {
			w.call("Cache", "get", []int64{17}, 5)
		} else {
			w.call("Dao", "query", []int64{17}, 5)
		}
		w.call("Order", "store", nil, 1)
		if changed {
			audit()
		}
	})
	for _, id := range [][2]int32{{1, 1}, {2, 2}} {
		w.Thread(id[0])
		w.Name("worker-" + string('0'+rune(id[1])))
		w.call("Job", "run", []int64{int64(id[1])}, 1)
	}
}

// diffVersions writes the trace of a program, of a second run, and of the program with changes: versions OLD AGAIN NEW.
func diffVersions(t *testing.T, ts *testscript.TestScript, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: versions OLD AGAIN NEW")
	}
	for i, name := range args {
		w := &diffProgram{Builder: formattest.NewBuilder(t)}
		w.write(int64(1000+i), i == 2)
		b, err := os.ReadFile(w.File())
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(name), b, 0o644))
	}
}

// writeMoves writes a program in which a call is moved to another one, and one gets another name.
func (w *diffProgram) writeMoves(changed bool) {
	w.methods = make(map[string]int32)
	w.Thread(0)
	w.Name("main")
	leaf := func(class, method string) func() { return func() { w.call(class, method, nil, 1) } }
	audit := func() { w.call("Audit", "check", []int64{7}, 1, leaf("Audit", "read"), leaf("Audit", "write")) }
	cache, in := "Cache", [][]func(){{audit, leaf("Price", "of")}, {leaf("Stock", "take")}}
	if changed {
		cache, in = "Store", [][]func(){{leaf("Price", "of")}, {leaf("Stock", "take"), audit}}
	}
	w.call("App", "run", nil, 0, func() {
		w.call("Order", "load", []int64{17}, 1, in[0]...)
		w.call("Order", "store", []int64{17}, 1, in[1]...)
		w.call(cache, "fetch", []int64{3}, 1, leaf("Disk", "seek"), leaf("Disk", "read"))
	})
}

// movedVersions writes the trace of a program in which something was moved and renamed: moves OLD NEW.
func movedVersions(t *testing.T, ts *testscript.TestScript, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: moves OLD NEW")
	}
	for i, name := range args {
		w := &diffProgram{Builder: formattest.NewBuilder(t)}
		w.writeMoves(i == 1)
		b, err := os.ReadFile(w.File())
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(name), b, 0o644))
	}
}
