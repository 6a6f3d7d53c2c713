package shared_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/eager"
	"tracex/recorder"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
	"tracex/recorder/recordertest"
	"tracex/recorder/shared/sharedtest"
)

// TestSharedMemoryConverted has a service record random programs: the converted trace has what
// was executed.
func TestSharedMemoryConverted(t *testing.T) { versiontest.EachVersion(t, testSharedMemoryConverted) }

func testSharedMemoryConverted(t *testing.T) {
	for _, c := range []struct {
		name    string
		config  recorder.Config
		program recordertest.Program
	}{
		{"one goroutine", recorder.Config{}, recordertest.Program{Seed: 1, Goroutines: 1, Steps: 5_000}},
		{"many", recorder.Config{BlockSize: 4 << 10}, recordertest.Program{Seed: 2, Goroutines: 40, Steps: 300, LeaveOpen: true}},
		{"without times", recorder.Config{NoTimes: true}, recordertest.Program{Seed: 3, Goroutines: 4, Steps: 300, Flushes: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := sharedtest.Start(t, calls.Source, 4<<10)
			r := start(t, c.config)
			trees := c.program.Run(r)
			stop(t, r)
			packets := g.Finish()
			path, result := sharedtest.Convert(t, packets)
			if len(result.LeftOut) > 0 {
				t.Errorf("left out: %+v", result.LeftOut)
			}
			forest := tracetest.Load(t, path)
			recordertest.SameForest(t, forest, trees)
			if c.config.NoTimes {
				if _, err := lazy.VerifyIndex(t.Context(), path, "", nil); err != nil {
					t.Fatal(err)
				}
			} else {
				tracetest.Verify(t, path, forest)
			}
			sameIDs(t, forest, tracetest.Load(t, sharedtest.File(t, sharedtest.PartsOf(t, packets))))
		})
	}
}

// sameIDs compares the texts of two traces, including the ids of threads and events.
func sameIDs(t *testing.T, got, want *eager.Forest) {
	t.Helper()
	var texts [2]bytes.Buffer
	for i, f := range []*eager.Forest{got, want} {
		if err := f.Print(&texts[i], lazy.PrintOptions{Verbose: true}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
		t.Error("the text of the trace is another")
	}
	names := map[int32]string{}
	for _, thread := range want.Threads {
		names[thread.ID] = thread.Name
	}
	for _, thread := range got.Threads {
		if names[thread.ID] != thread.Name {
			t.Errorf("thread %d is %q, want %q", thread.ID, thread.Name, names[thread.ID])
		}
	}
}

// TestSharedMemorySeveral has two recorders with the same ids in one trace.
func TestSharedMemorySeveral(t *testing.T) {
	g := sharedtest.Start(t, calls.Source, 4<<10)
	trees := map[string]*recordertest.Tree{}
	var names []string
	for i, n := range []int{3, 7} {
		r := start(t, recorder.Config{})
		r.Class([]string{"OnlyFirst", "OnlySecond"}[i])
		name := []string{"first", "second"}[i]
		names = append(names, name)
		thread := r.Thread(name)
		m := r.Method(r.Class("of."+name), name, recorder.ObjectType("T"))
		for range n {
			thread.Enter(m, 0, recorder.Null(), recorder.Object(r.Class("arg."+name), 9))
			thread.Exit(recorder.Void())
		}
		thread.End()
		stop(t, r)
		trees[name] = &recordertest.Tree{Name: name, Points: n}
	}
	path, result := sharedtest.Convert(t, g.Finish())
	if len(result.LeftOut) > 0 || len(result.Threads) != 2 || result.Events != 10 {
		t.Fatalf("%+v", result)
	}
	forest := tracetest.Load(t, path)
	tracetest.Verify(t, path, forest)
	events := map[int32]bool{}
	found := maps.Clone(trees)
	for _, thread := range forest.Threads {
		// Names have the process in front, which is the same here.
		process, name, _ := strings.Cut(thread.Name, " › ")
		tree := found[name]
		delete(found, name)
		if tree == nil || !strings.HasPrefix(process, fmt.Sprint("process ", os.Getpid())) || thread.Points() != tree.Points {
			t.Fatalf("thread %d is %q, with %d points", thread.ID, thread.Name, thread.Points())
		}
		for root := range thread.Roots() {
			var p format.Point
			if err := root.Point(&p); err != nil {
				t.Fatal(err)
			}
			class := forest.Context.Class(p.Args[0].ClassID).Name
			if events[p.Event] ||
				forest.Context.MethodName(p.Ref) != name || class != "arg."+name {
				t.Errorf("%q has %s(%s) with the id %d", thread.Name, forest.Context.MethodName(p.Ref), class, p.Event)
			}
			events[p.Event] = true
		}
	}
	if len(found) > 0 {
		t.Errorf("of %q these are missing: %v", names, found)
	}
}

// TestSharedMemoryLossesConverted converts what is left after packets were lost.
func TestSharedMemoryLossesConverted(t *testing.T) {
	versiontest.EachVersion(t, testSharedMemoryLossesConverted)
}

func testSharedMemoryLossesConverted(t *testing.T) {
	g, saved := flood(t, false)
	packets := g.Finish()
	points := 0
	for _, part := range sharedtest.PartsOf(t, packets) {
		f := follower{version: format.Version(part.Format)}
		if err := objects(part.Open, &f, func(bool) error { return nil }); err != nil {
			t.Fatal(err)
		}
		open := len(f.open)
		for range 2000 { // which the part ends
			f.open, f.classes = append([]int32{0}, f.open...), append([]format.Class{format.ClassCall}, f.classes...)
		}
		f.points = 0
		if err := objects(part.Objects, &f, func(bool) error { return nil }); err != nil || open > 1000 {
			t.Fatalf("%d open: %v", open, err)
		}
		points += f.points
	}
	path, result := sharedtest.Convert(t, packets)
	missing := false
	for _, l := range result.LeftOut {
		if strings.Contains(l.What, "gaps in recorded calls") {
			missing = true
		} else if !strings.Contains(l.What, "lost packets") {
			t.Errorf("left out: %+v", l)
		}
	}
	if !missing || len(result.Threads) != 1 || result.Threads[0].Name != "flood" || result.Events < int64(points) {
		t.Errorf("of %d points: %+v", points, result)
	}
	forest := tracetest.Load(t, path)
	if _, err := lazy.VerifyIndex(t.Context(), path, "", nil); err != nil {
		t.Fatal(err)
	}
	lost := int64(0)
	for _, thread := range forest.Threads {
		lost += notes(t, forest.Context, slices.Collect(thread.Roots())...)
	}
	if lost != saved.Dropped {
		t.Errorf("%d points are noted as missing, %d were counted", lost, saved.Dropped)
	}
	if n := int64(forest.Threads[0].Points()); n != result.Events {
		t.Errorf("%d points, want %d", n, result.Events)
	}
}

// notes adds up how many trace points are missing among the descendants of nodes.
func notes(t *testing.T, ctx *format.Context, nodes ...eager.Node) (missing int64) {
	t.Helper()
	for _, n := range nodes {
		var p format.Point
		if err := n.Point(&p); err != nil {
			t.Fatal(err)
		}
		if p.Class == format.ClassVariableWrite && ctx.Variable(p.Ref).Name == recorder.DroppedVariable {
			missing += p.Value.Bits
		}
		missing += notes(t, ctx, slices.Collect(n.Children())...)
	}
	return missing
}
