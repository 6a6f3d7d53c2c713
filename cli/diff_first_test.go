//go:build linux

package cli

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/diff"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
)

// ranDiff is a diff that has run.
func ranDiff(t *testing.T, a, b *lazy.LazyTraceReader) (d *diff.Diff, x *diffReport) {
	t.Helper()
	d = diff.New(a, b, diff.Options{})
	if err := d.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	r, pairs, err := d.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		pairs.Close()
		d.Close()
	})
	scope := query.Scope{Raw: true}
	found := query.NewDifferences(r, scope)
	if err := r.Pass(t.Context(), scope.Over(found)); err != nil {
		t.Fatal(err)
	}
	found.Finish()
	return d, &diffReport{diffCommand: &diffCommand{app: &app{}}, r: r, pairs: pairs, found: found}
}

// listSink lists all changes.
type listSink struct {
	firstSink
	list []*diffChange
}

func (s *listSink) change(c *diffChange) error {
	s.list = append(s.list, c)
	return nil
}

// firstKinds returns the first change of each kind, in the order of the places where they are met: those of results at the end of a call.
func firstKinds(t *testing.T, x *diffReport) (list []*diffChange) {
	t.Helper()
	var all listSink
	if err := x.walk(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	place := make(map[*diffChange]lazy.Position)
	for _, c := range all.list {
		at, _, err := x.r.Find(t.Context(), lazy.EventHandle(max(c.events[0], c.events[1])))
		if err != nil {
			t.Fatal(err)
		}
		if endsOnly(c) {
			g, err := x.r.Extent(at)
			if err != nil {
				t.Fatal(err)
			}
			at.At = g.To - 1
		}
		place[c] = at
	}
	slices.SortStableFunc(all.list, func(a, b *diffChange) int {
		return cmp.Or(cmp.Compare(place[a].Thread, place[b].Thread), cmp.Compare(place[a].At, place[b].At))
	})
	seen := make(map[changeKind]bool)
	for _, c := range all.list {
		if !seen[kindOf(c)] {
			seen[kindOf(c)] = true
			list = append(list, c)
		}
	}
	return list
}

func openedTrace(t *testing.T, path string) *lazy.LazyTraceReader {
	t.Helper()
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFirstKinds: --first tells of each kind of change the place that is met first, and no kind twice, in the order in which two traces that are
// read in step meet them; the first one is the place that is found without comparing all, or what one trace alone has around that.
func TestFirstKinds(t *testing.T) {
	recorded := func(name string) string { return formattest.Unpack(t, name+".bin", name+".bin.idx") }
	program := func(noise int64, changed bool) string {
		w := &diffProgram{Builder: formattest.NewBuilder(t)}
		w.write(noise, changed)
		return w.File()
	}
	calls := func(seed uint64) string {
		return formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 300, Seed: seed})
	}
	kinds, ends, same := 0, 0, 0
	for _, pair := range [][2]string{
		{program(1, false), program(2, true)}, {program(2, true), program(1, false)}, {calls(1), calls(2)},
		{recorded("gson.stream"), recorded("gson.dump")}, {recorded("jackson.v27.stream"), recorded("gson.stream")},
		{recorded("kotlin.stream"), recorded("kotlin.dump")}, {recorded("shapes.stream"), recorded("shapes.v27.stream")},
	} {
		a, b := openedTrace(t, pair[0]), openedTrace(t, pair[1])
		d, x := ranDiff(t, a, b)
		want := firstKinds(t, x)
		if n := x.found.Table(query.View{Done: 1, G: &display.Unicode}).Rows.Len(); n != len(want) {
			t.Errorf("%s: %d kinds, the table has %d", pair, len(want), n)
		}
		for skip := 0; skip <= min(len(want), 40); skip++ {
			s := &firstSink{skip: skip, seen: make(map[changeKind]bool)}
			if err := x.walk(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			s.leave(0)
			if skip == len(want) {
				if s.found != nil {
					t.Errorf("%s: after all of %d kinds: %+v", pair, skip, s.found)
				}
				continue
			}
			if s.found == nil || s.found.events != want[skip].events {
				t.Fatalf("%s, --skip %d: %+v, want %+v", pair, skip, s.found, want[skip])
			}
			if kinds++; endsOnly(s.found) {
				ends++
			}
		}
		first, err := d.First(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if (first == nil) != (len(want) == 0) {
			t.Errorf("%s: %+v, %d kinds", pair, first, len(want))
		}
		if first == nil || first.Guessed {
			continue
		}
		same++
		for side, event := range want[0].events {
			at, err := x.placeOf(event, side)
			if err != nil {
				t.Fatal(err)
			}
			found := first.Sides[side]
			switch {
			case at.At < 0: // one trace alone has it
			case want[0].kind == "edited":
				if found.Position != at || found.End != endsOnly(want[0]) {
					t.Errorf("%s: the first is %+v, its side %d at %v, without comparing all %+v", pair, want[0], side, at, found)
				}
			default:
				g, err := []*lazy.LazyTraceReader{a, b}[side].Extent(at)
				leaf := err != nil
				if found.Thread != at.Thread || found.At < at.At || leaf && found.At != at.At || !leaf && found.At >= g.To {
					t.Errorf("%s: the first is %+v, its side %d at %v, without comparing all %+v", pair, want[0], side, at, found)
				}
			}
		}
	}
	if kinds < 40 || ends < 5 || same < 4 {
		t.Errorf("%d kinds, %d of them results, %d first places: the test tests little", kinds, ends, same)
	}
}

// TestFirstResults: that a call has another result is told after what is in it, of nested ones that of the inner one.
func TestFirstResults(t *testing.T) {
	write := func(n int64, more bool) string {
		w := &diffProgram{Builder: formattest.NewBuilder(t), methods: make(map[string]int32)}
		call := func(name string, result int64, within ...func()) func() {
			return func() { w.call("A", name, nil, result, within...) }
		}
		outer := []func(){call("f", n, call("f", n, call("g", n))), call("h", n, call("k", 1))}
		if more {
			outer = append(outer, call("h", 3))
		}
		call("run", n, outer...)()
		return w.File()
	}
	_, x := ranDiff(t, openedTrace(t, write(1, true)), openedTrace(t, write(2, false)))
	var got []string
	for skip := range 6 {
		s := &firstSink{skip: skip, seen: make(map[changeKind]bool)}
		if err := x.walk(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if s.leave(0); s.found != nil {
			got = append(got, kindOf(s.found).change+" "+kindOf(s.found).what+" in "+strings.Join(s.found.path, " "))
		}
	}
	want := []string{"edited result of A.g in A.run A.f A.f", "edited result of A.f in A.run A.f", "edited result of A.h in A.run", "removed call of A.h in A.run", "edited result of A.run in "}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFirstDiffers: where two rows read the same, the answer tells what differs.
func TestFirstDiffers(t *testing.T) {
	write := func(name string, make func(b *formattest.Builder)) {
		b := formattest.NewBuilder(t)
		make(b)
		if err := os.WriteFile(name, readFile(t, b.File()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	call := func(b *formattest.Builder, method int32, end format.Footer, args ...format.Value) {
		b.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: method, Target: format.Null(), Args: args})
		b.Footer(format.ClassCall, &end)
	}
	void := format.Footer{Result: format.Value{Kind: format.ValueVoid}}
	sell := func(b *formattest.Builder, args ...format.Type) int32 {
		return b.Method("shop.Shop", "sell", formattest.IntType, args...)
	}
	of := func(kind format.TypeKind) format.Type { return format.Type{Kind: kind} }
	t.Chdir(t.TempDir())
	for _, x := range []struct {
		name  string
		one   func(b *formattest.Builder, new bool)
		flags []string
		want  string
	}{
		{"length", func(b *formattest.Builder, new bool) {
			n := int32(3)
			if new {
				n = 5
			}
			call(b, sell(b), void, format.Value{Kind: format.ValueArray, ClassID: b.Class("[I"), Bits: format.ArrayBits(7, n)})
		}, nil, "differs: argument 1 [I of length 3 → [I of length 5"},
		{"package", func(b *formattest.Builder, new bool) {
			class := "a.Item"
			if new {
				class = "b.Item"
			}
			call(b, sell(b), void, format.Value{Kind: format.ValueObject, ClassID: b.Class(class), Bits: 7})
		}, nil, "differs: argument 1 a.Item → b.Item"},
		{"types", func(b *formattest.Builder, new bool) {
			kind := format.TypeInt
			if new {
				kind = format.TypeLong
			}
			call(b, sell(b, of(kind)), void, formattest.IntValue(3))
		}, nil, "differs: shop.Shop.sell(int): int → shop.Shop.sell(long): int"},
		{"thrown", func(b *formattest.Builder, new bool) {
			class := "a.Broken"
			if new {
				class = "b.Broken"
			}
			call(b, sell(b), format.Footer{Result: format.Value{Kind: format.ValueVoid}, Threw: true, Exception: class})
		}, nil, "differs: result threw a.Broken → threw b.Broken"},
		{"identity", func(b *formattest.Builder, new bool) {
			item := format.Value{Kind: format.ValueObject, ClassID: b.Class("a.Item"), Bits: 7}
			other := item
			if new {
				other.Bits = 8
			}
			m := sell(b)
			call(b, m, void, item)
			call(b, m, void, other)
			call(b, m, void, item)
		}, []string{"--identity"}, "differs: which object it is"},
	} {
		write("old.bin", func(b *formattest.Builder) { x.one(b, false) })
		write("new.bin", func(b *formattest.Builder) { x.one(b, true) })
		for _, more := range [][]string{nil, {"--ignore", "depth>5"}} {
			text, stderr, exit := runCommand(t, slices.Concat([]string{"diff", "--first"}, x.flags, more, []string{"old.bin", "new.bin"})...)
			if exit != 0 || !strings.Contains(text, "\n"+x.want+"\n") && (x.name != "types" || more == nil) {
				t.Errorf("%s: %d %s\n%s, want %q", x.name, exit, stderr, text, x.want)
			}
		}
	}
}

// TestFirstNext: the command that the hint names tells the next kind, from the first to the last one, whatever the flags and names are.
func TestFirstNext(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("it's new", 0o755); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"-old.bin", filepath.Join("it's new", "$x.bin")} {
		w := &diffProgram{Builder: formattest.NewBuilder(t)}
		w.write(int64(1000+i), i == 1)
		if err := os.WriteFile(name, readFile(t, w.File()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"diff", "--first", "--ignore", "method~'^(read|write)$'", "--ignore", "class=Cache", "--exit-code=false", "--", "-old.bin", filepath.Join("it's new", "$x.bin")}
	var told []string
	for range 10 {
		text, stderr, exit := runCommand(t, args...)
		if exit != 0 {
			t.Fatalf("%q: %d %s", args, exit, stderr)
		}
		told = append(told, strings.Split(text, "\n")[1])
		_, next, ok := strings.Cut(stderr, "hint: next, without this kind: tracex ")
		if !ok {
			break
		}
		out, err := exec.Command("sh", "-c", `printf '%s\0' `+next).Output()
		if err != nil {
			t.Skip(err)
		}
		args = strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	}
	want := []string{"kind 1 of 4, in 1 place: edited result of Clock.now", "kind 2 of 4, in 2 places: moved Audit.check", "kind 3 of 4, in 2 places: edited argument 2, result of Price.of",
		"kind 4 of 4, in 1 place: added call of Dao.query"}
	if !slices.Equal(told, want) {
		t.Errorf("%q, want %q", told, want)
	}
}

// TestFirstPool: which worker of a pool took a job makes no difference, though reading in step meets another job.
func TestFirstPool(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name string, jobs ...int64) {
		w := &diffProgram{Builder: formattest.NewBuilder(t), methods: make(map[string]int32)}
		for i, job := range jobs {
			w.Thread(int32(i))
			w.Name("worker-" + string(rune('1'+i)))
			w.call("Job", "run", []int64{job}, 1)
		}
		if err := os.WriteFile(name, readFile(t, w.File()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("old.bin", 1, 2)
	write("swapped.bin", 2, 1)
	write("new.bin", 3, 1)
	for name, want := range map[string]string{
		"swapped.bin": "\nequal: 2 calls\n",
		"new.bin":     "\nkind 1 of 1, in 1 place: edited argument 1 of Job.run\ndiffers: argument 1 2 → 3\n",
	} {
		if text, stderr, exit := runCommand(t, "diff", "--first", "old.bin", name); exit != 0 || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s\n%s, want %q", name, exit, stderr, text, want)
		}
	}
}
