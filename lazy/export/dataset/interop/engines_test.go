package interop

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/export"
	"tracex/lazy/export/dataset"
)

// engine is a running ask.py.
type engine struct {
	name string
	in   io.Writer
	out  *bufio.Reader
}

// startEngine starts an engine, which ends with the test.
func startEngine(t *testing.T, name string) *engine {
	t.Helper()
	c := exec.Command(python(t), filepath.Join("testdata", "ask.py"), name)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &engine{name, in, bufio.NewReader(out)}
}

// ask runs queries on a dataset.
func (e *engine) ask(t *testing.T, p page, dir string, queries map[string]string) map[string]rows {
	t.Helper()
	asked, err := json.Marshal(map[string]any{"views": p.views(e.name, dir), "queries": queries})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.in.Write(append(asked, '\n')); err != nil {
		t.Fatal(err)
	}
	line, err := e.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("%s gave no answer: %v", e.name, err)
	}
	answer := map[string][][]any{}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&answer); err != nil {
		t.Fatal(err)
	}
	all := map[string]rows{}
	for name, list := range answer {
		all[name] = rows{}
		for _, values := range list {
			all[name] = append(all[name], row(values...))
		}
	}
	return all
}

// same compares rows, whatever their order.
func same(t *testing.T, what string, got, want rows) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if slices.Equal(got, want) {
		return
	}
	t.Errorf("%s: %d rows, want %d", what, len(got), len(want))
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("%s: row %d is\n%s, want\n%s", what, i, at(got, i), at(want, i))
			return
		}
	}
}

func at(list rows, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "(none)"
}

// recorded is a trace of a real program, exported.
type recorded struct {
	name, dir, id string
	plain         *plainTrace
	top           []topRow
	build         string // its label
}

// builds are the labels that the queries of the page are about.
var builds = [...]string{"1.2", "1.3"}

// exportRecorded exports all traces of real programs that the project has, each into a dataset of its own, and all into
// one.
func exportRecorded(t *testing.T) (list []*recorded, fleet string) {
	t.Helper()
	fleet = t.TempDir()
	paths := map[string]string{"shop.bin": unpackDemo(t)}
	for _, suffix := range []string{".stream.bin", ".dump.bin", "packedtrace"} {
		for _, name := range formattest.RecordedNames(t, suffix) {
			paths[name] = formattest.Unpack(t, name)
		}
	}
	seen := map[string]bool{}
	for i, name := range slices.Sorted(maps.Keys(paths)) {
		r, err := lazy.Open(paths[name], lazy.Options{NoWrite: true})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if err := r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		j, err := export.NewJob(r, export.Options{Title: name})
		if err != nil {
			t.Fatal(err)
		}
		id := j.ID()
		x := &recorded{name: name, dir: t.TempDir(), id: hex.EncodeToString(id[:]), build: builds[i%2]}
		if seen[x.id] {
			continue // the same recording, packed
		}
		seen[x.id] = true
		x.plain, x.top = readPlain(t, r), topRows(t, r)
		for _, dir := range []string{x.dir, fleet} {
			if _, err := dataset.Write(t.Context(), j, dir, dataset.Options{Labels: map[string]string{"build": x.build}}, nil); err != nil {
				t.Fatal(err)
			}
		}
		list = append(list, x)
	}
	return list, fleet
}

// unpackDemo unpacks the trace of the demo, which has times.
func unpackDemo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"shop.bin.idx", "shop.bin.tim", "shop.bin"} {
		packed, err := os.Open(filepath.Join("..", "..", "..", "..", "testdata", "demo", name+".gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer packed.Close()
		z, err := gzip.NewReader(packed)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "shop.bin")
}

// topExpected returns the rows of the query top: those of tracex top, with quantiles that one goroutine finds out.
func (x *recorded) topExpected() (list rows) {
	shown, durations := map[string]string{}, map[string][]int64{}
	for _, c := range x.plain.calls {
		shown[c.class+" "+c.name] = c.shown
		if c.time.Duration >= 0 {
			durations[c.key()] = append(durations[c.key()], c.time.Duration)
		}
	}
	for _, r := range x.top {
		key := plainCall{class: r.Class, shown: shown[r.Class+" "+r.Method], types: strings.Join(r.Types, ", ")}
		p99 := quantile(durations[key.key()], 0.99)
		list = append(list, topText(key.class, key.shown, key.types, r.Calls, r.Self, r.Total, p99, r.Max, r.Threw, r.Events))
	}
	return list
}

// topText writes a row of top. Without times tracex leaves out what engines give as null or, for what is below a call of
// the same method, as 0.
func topText(values ...any) string {
	for i, v := range values {
		if v == nil {
			values[i] = 0
		}
	}
	return row(values...)
}

// TestEngines: the answers of engines to each query of the page are those of tracex, or of one goroutine that keeps all
// calls of the trace, for each trace of a real program.
func TestEngines(t *testing.T) {
	python(t)
	p := readPage(t)
	traces, fleet := exportRecorded(t)
	if len(traces) < 20 {
		t.Fatalf("%d traces", len(traces))
	}
	for _, name := range []string{"duckdb", "clickhouse"} {
		t.Run(name, func(t *testing.T) {
			e := startEngine(t, name)
			asked := map[string]int{} // rows by query
			for _, x := range traces {
				if name == "clickhouse" && len(x.plain.calls) > 5000 {
					continue // it takes long; the dataset of all traces has them
				}
				t.Run(x.name, func(t *testing.T) { x.check(t, e, p, asked) })
			}
			checkFleet(t, e, p, fleet, traces, asked)
			for query := range p.queries(name) {
				if asked[query] == 0 {
					t.Errorf("%s has no rows for any trace", query)
				}
			}
		})
	}
}

// about puts methods into the queries of the page.
func about(queries map[string]string, method, outer, inner, field string) map[string]string {
	all := map[string]string{}
	for name, text := range queries {
		all[name] = strings.NewReplacer("'Account.withdraw'", quote(method), "'Controller.handle'", quote(outer), "'Dao.query'", quote(inner), "'balance'", quote(field)).Replace(text)
	}
	return all
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// field returns the field that is written most often.
func (a *plainTrace) field() string {
	count, best := map[string]int{}, ""
	for _, p := range a.points {
		if p.name != "" && p.ownerHash != 0 {
			if count[p.name]++; count[p.name] > count[best] {
				best = p.name
			}
		}
	}
	return best
}

// check asks about one trace.
func (x *recorded) check(t *testing.T, e *engine, p page, asked map[string]int) {
	method := x.plain.busiest()
	outer, inner := x.plain.pair()
	field := x.plain.field()
	got := e.ask(t, p, x.dir, about(p.queries(e.name), method, outer, inner, field))
	want := x.plain.expected(method, outer, inner, field)
	want["top"] = x.topExpected()
	for i, r := range got["top"] {
		got["top"][i] = strings.ReplaceAll(strings.ReplaceAll(r, "| "+null, "| 0"), null+" |", " |")
	}
	for i, r := range got["thrown"] { // min(p.value.text) is some text
		got["thrown"][i] = r[:strings.LastIndex(r, " | ")]
	}
	for name, list := range want {
		same(t, name, got[name], list)
		asked[name] += len(list)
	}
}

// checkFleet asks about all traces together.
func checkFleet(t *testing.T, e *engine, p page, fleet string, traces []*recorded, asked map[string]int) {
	const method = "Shapes.thrower"
	got := e.ask(t, p, fleet, about(p.queries(e.name), method, "Gson.fromJson", "JsonReader.peek", "balance"))
	versions, paths := map[string]int{}, [2]map[string]int{{}, {}}
	changed := map[string][4]int64{}
	rowOf := map[string]string{}
	var all plainTrace
	for _, x := range traces {
		b := slices.Index(builds[:], x.build)
		for _, c := range x.plain.calls {
			if paths[b][c.path]++; c.shown == method {
				versions[x.build]++
			}
			rowOf[c.path] = row(c.shown, shown(c.around))
			k := row(class(c.class), c.shown, c.types)
			n := changed[k]
			n[b]++
			changed[k] = n
		}
		all.calls, all.points = append(all.calls, x.plain.calls...), append(all.points, x.plain.points...)
	}
	want := all.expected(method, "Gson.fromJson", "JsonReader.peek", "balance")
	want["version"], want["changed"], want["paths"] = rows{}, rows{}, rows{}
	for build, n := range versions {
		want["version"] = append(want["version"], row(build, n))
	}
	for key, n := range changed {
		if n[0] != n[1] {
			want["changed"] = append(want["changed"], row(key, n[0], n[1], n[1]-n[0]))
		}
	}
	for path, n := range paths[1] {
		if paths[0][path] == 0 {
			want["paths"] = append(want["paths"], row(rowOf[path], n))
		}
	}
	cut := map[string]int{"version": 2, "changed": 6, "paths": 3} // the columns that are compared
	for name, list := range want {
		for i, r := range got[name] {
			if name == "thrown" {
				got[name][i] = r[:strings.LastIndex(r, " | ")]
			} else if cut[name] > 0 {
				got[name][i] = strings.Join(strings.Split(r, " | ")[:cut[name]], " | ")
			}
		}
		same(t, name, got[name], list)
		asked[name] += len(list)
	}
	fmt.Println(e.name, "answers", len(p.queries(e.name)), "queries about", len(traces), "traces with", len(all.calls), "calls")
}

func class(s string) any {
	if s == "" {
		return nil
	}
	return s
}
