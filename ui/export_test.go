package ui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/export"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
	"tracex/ui/internal/flame"
	"tracex/ui/internal/tables"
	"tracex/ui/internal/uitest"
)

// commandWrites returns the files that the command export makes of a part of a trace, by their suffixes.
func commandWrites(t *testing.T, r *lazy.LazyTraceReader, f *export.Format, in string, steps query.Steps, o export.Options) map[string]string {
	t.Helper()
	o.Scope = query.Scope{Raw: f.Raw}
	if h, ok := lazy.ParseHandle(in); ok {
		if err := o.Scope.In(t.Context(), r, h); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Scope.Edit(t.Context(), r, steps); err != nil {
		t.Fatal(err)
	}
	o.Title = filepath.Base(r.Path())
	j, err := export.NewJob(r, o)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "command")
	if f.Files {
		if _, err := j.Save(t.Context(), f, export.Destination{Path: path, Mode: 0o600}, nil); err != nil {
			t.Fatal(err)
		}
		return written(t, path)
	}
	var b bytes.Buffer
	if _, err := j.Write(t.Context(), f, &b, nil); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"": b.String()}
}

// written returns the files at a path, by their suffixes.
func written(t *testing.T, path string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	for _, suffix := range []string{"", format.IndexSuffix, format.TimesSuffix} {
		if b, err := os.ReadFile(path + suffix); err == nil {
			files[suffix] = string(b)
		}
	}
	if len(files[""]) == 0 {
		t.Fatalf("nothing at %s", path)
	}
	return files
}

// command runs a command that is pasted into the command line.
func (d *driver) command(text string) *driver {
	d.keys(":").send(tea.PasteMsg{Content: text})
	return d.keys("enter")
}

// exports compares what a command exports with what the command line's export makes of the same part.
func (d *driver) exports(t *testing.T, r *lazy.LazyTraceReader, f *export.Format, words, in string, steps query.Steps, o export.Options) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "explorer")
	d.command("export " + f.Name + " " + words + path)
	if text := d.m.exports.Last(); !strings.HasPrefix(text, "wrote "+path+": ") {
		t.Fatalf("%s: %q", f.Name, text)
	}
	got, want := written(t, path), commandWrites(t, r, f, in, steps, o)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s %sof %s, %v: %d bytes, the command writes %d", f.Name, words, in, steps, len(got[""]), len(want[""]))
	}
}

// parsed returns steps: "drop method=get", "range 1ms..2ms".
func parsed(t *testing.T, texts ...string) (list query.Steps) {
	t.Helper()
	for _, text := range texts {
		word, rest, _ := strings.Cut(text, " ")
		for kind, name := range query.StepKinds {
			if name == word {
				s, err := query.ParseStep(query.StepKind(kind), rest)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, s)
			}
		}
	}
	return list
}

// TestExportRow: an export of a row is what the command writes of its event, in each format; of a thread, what it
// writes of that; with the steps in force, and with words.
func TestExportRow(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	d := drive(t, r, 100, 24, Options{}).command("583")
	for _, f := range export.Formats {
		if f.Name == "otlp" {
			continue // it needs times
		}
		d.exports(t, r, f, "", "#583", nil, export.Options{})
	}
	lines := export.ByName("jsonl")
	d.exports(t, r, lines, "no-values ", "#583", nil, export.Options{NoValues: true})
	d.exports(t, r, lines, "reads ", "#583", nil, export.Options{Reads: true})
	d.exports(t, r, lines, "all ", "", nil, export.Options{})
	d.command("drop kind=var").command("merge TypeToken.*").command("range #585..#640")
	d.exports(t, r, lines, "", "#583", parsed(t, "drop kind=var", "merge TypeToken.*", "range #585..#640"), export.Options{})
	d.keys("Z Z Z").command("583").keys("z")
	d.exports(t, r, export.ByName("perfetto"), "", "#583", parsed(t, "focus #583"), export.Options{})
	d.keys("Z C g")
	d.exports(t, r, lines, "", "@1", nil, export.Options{})
	d.keys("t")
	d.exports(t, r, lines, "", "@1", nil, export.Options{})

	timed := timedTrace(t, timedSpec)
	d = drive(t, timed, 100, 24, Options{Raw: true}).keys("down")
	d.command("range 1us..1ms").exports(t, timed, export.ByName("cut"), "", d.m.tree.Out.Cursor.Node.Handle().String(), parsed(t, "range 1us..1ms"), export.Options{})
	d.command("range 100h..200h").command("export perfetto").has("there is nothing to export in that part of the trace and of the range")
}

// TestExportList: of a list of matches, hits, marks or calls the calls are exported with all below them, and as a
// table the rows, of which a filter of the list leaves some.
func TestExportList(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	lines, cut := export.ByName("jsonl"), export.ByName("cut")
	d := drive(t, r, 120, 24, Options{}).command("filter method=Gson.getAdapter").keys("M")
	focus := parsed(t, "focus Gson.getAdapter")
	d.exports(t, r, lines, "", "", focus, export.Options{})
	d.exports(t, r, cut, "", "", focus, export.Options{})
	d.rowsAre(t, matches(t, r, "method=Gson.getAdapter"))
	d.keys("esc esc").command("calls Gson.getAdapter")
	d.exports(t, r, lines, "", "", focus, export.Options{})
	d.keys("esc /").typed("getAdapter(").keys("enter M")
	d.exports(t, r, lines, "", "", parsed(t, "focus method~getAdapter"), export.Options{})
	d.rowsAre(t, matches(t, r, "method~getAdapter"))

	// What is listed may be no call: it is exported where it happened.
	d.keys("esc").command("filter kind=throw").keys("M")
	path := filepath.Join(t.TempDir(), "throws.jsonl")
	d.command("export jsonl " + path)
	if got := written(t, path)[""]; strings.Count(got, `"kind":"throw"`) != 3 || strings.Contains(got, `"kind":"call"`) {
		t.Errorf("three throws are\n%s", got)
	}
	d.command("export folded").has("there is nothing to export in that part of the trace")
	d.keys("esc esc").command("583").keys("m a B")
	d.exports(t, r, lines, "", "#583", nil, export.Options{})
	d.keys("esc B d").command("export jsonl").has("there are no marked rows")
}

// matches returns the table of what a filter matches.
func matches(t *testing.T, r *lazy.LazyTraceReader, text string) *table.Table {
	t.Helper()
	e, err := filter.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	f := query.NewFind(r, lazy.Pass{}, e, 0)
	if err := f.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return f.Table(query.View{Read: t.Context(), Done: 1, G: &display.Unicode})
}

// rowsAre checks that the rows of what is in front are exported as a command prints a table.
func (d *driver) rowsAre(t *testing.T, want *table.Table) {
	t.Helper()
	for _, f := range []struct {
		name  string
		print func(b *bytes.Buffer) error
	}{
		{"csv", func(b *bytes.Buffer) error { _, err := table.WriteCSV(b, want, 0); return err }},
		{"json", func(b *bytes.Buffer) error { _, err := table.WriteJSON(b, want, 0); return err }},
	} {
		path := filepath.Join(t.TempDir(), "rows")
		d.command("export " + f.name + " " + path)
		var b bytes.Buffer
		if err := f.print(&b); err != nil {
			t.Fatal(err)
		}
		if got := written(t, path)[""]; got != b.String() || b.Len() == 0 {
			t.Errorf("%s: %q\n%s\nthe command prints\n%s", f.name, message(d), got, b.String())
		}
	}
}

// TestExportTable: a table is exported as its command prints it with --csv and --json; with a filter, the rows that
// pass.
func TestExportTable(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	d := drive(t, r, 120, 24, Options{}).keys("T")
	d.rowsAre(t, pass(t, r, query.ByMethod, "self"))
	d.keys("s")
	d.rowsAre(t, pass(t, r, query.ByMethod, "total"))
	d.command("export perfetto").has("perfetto is for calls and lists of them; this table can be exported as csv, json").keys("esc")
	d.keys("/").typed("Gson.getAdapter").keys("enter")
	path := filepath.Join(t.TempDir(), "some.csv")
	d.command("export csv " + path)
	if got := strings.Split(strings.TrimSpace(written(t, path)[""]), "\n"); len(got) < 2 || len(got) > 9 || !strings.Contains(got[1], "getAdapter") {
		t.Errorf("the rows that pass the filter:\n%q", got)
	}
	d.keys("esc esc").command("export csv").has("csv is for tables and lists; here there are perfetto, chrome").keys("esc")
}

// TestExportFlame: of a flame, the part of the recording on the screen is exported.
func TestExportFlame(t *testing.T) {
	for _, r := range []*lazy.LazyTraceReader{uitest.Recorded(t, "gson.dump"), timedTrace(t, timedSpec)} {
		d := drive(t, r, 100, 24, Options{}).keys("V V")
		thread := fmt.Sprintf("@%d", r.ThreadList().ID(0)+1)
		lines := export.ByName("jsonl")
		d.exports(t, r, lines, "", thread, nil, export.Options{})
		d.keys("j j enter")
		_, timed, from, to, whole, ok := d.m.env.Front.List().(*flame.Screen).Shown()
		if whole || !ok {
			t.Fatal("Enter shows all of it")
		}
		d.exports(t, r, lines, "", thread, query.Steps{query.RangeStep(timed, from, to)}, export.Options{})
	}
}

// TestExportNames: without a name the file is beside the trace; no file is replaced, unless that is said.
func TestExportNames(t *testing.T) {
	path := gsonFile(t)
	d := drive(t, uitest.Open(t, path, lazy.Options{NoWrite: true}), 140, 24, Options{}).command("583")
	dir := filepath.Dir(path)
	base := strings.TrimSuffix(filepath.Base(path), ".bin")
	wrote := func(command, name string) {
		t.Helper()
		d.command(command)
		if got, want := d.m.exports.Last(), "wrote "+filepath.Join(dir, name)+": "; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, not %q", command, got, want)
		}
		written(t, filepath.Join(dir, name))
	}
	wrote("export jsonl", base+"-583.jsonl")
	wrote("export jsonl no-values", base+"-583-2.jsonl")
	wrote("export jsonl", base+"-583-3.jsonl")
	first := written(t, filepath.Join(dir, base+"-583.jsonl"))[""]
	d.command("export jsonl " + filepath.Join(dir, base+"-583.jsonl")).has("file already exists; :export! replaces it")
	wrote("export! jsonl no-values", base+"-583.jsonl")
	if now := written(t, filepath.Join(dir, base+"-583.jsonl"))[""]; now == first {
		t.Error("the file is not replaced")
	}
	wrote("export jsonl all "+dir, base+".jsonl")
	wrote("export cut", base+"-583.cut.bin")
	wrote("export cut", base+"-583-2.cut.bin")
	wrote("export jsonl "+dir+"/with a blank.jsonl reads", "with a blank.jsonl")
	d.command("export! cut " + path).has("is the trace itself")
	d.command("export jsonl "+filepath.Join(dir, "no", "folder")).has("cannot write", "no such file")
	left, err := filepath.Glob(filepath.Join(dir, ".*.tmp"))
	if err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// TestExportChoice: the command alone lists the formats, with the file that each would make. Enter writes it, and
// what was in front is there again.
func TestExportChoice(t *testing.T) {
	path := gsonFile(t)
	d := drive(t, uitest.Open(t, path, lazy.Options{NoWrite: true}), 112, 32, Options{}).command("583").command("export")
	d.has("export #583 and all below it", "perfetto ", "-583.pftrace", "-583.cut.bin", ":export FORMAT no-values", "Enter writes the file")
	d.keys("j j enter").has("wrote ", " #583 ")
	d.command("export").has("the last one", ".jsonl")
	d.keys("esc T").command("export").has("export this table of methods", "csv ", "json ").keys("enter").has("wrote ", "-methods.csv", "own events")
	d.keys("esc").resize(60, 10)
	d.command("export").has("perfetto ", "Esc closes").keys("esc")
	d.resize(100, 24)
	d.keys(":").typed("export per").keys("tab").has(":export perfetto").typed("no").keys("tab").has(":export perfetto no-values").keys("esc")
	d.command("export jsonl").keys(":").typed("export jsonl ").has("-583-2.jsonl", "no-values ")
}

// TestExportGrowing: of a trace that is being recorded, what was recorded so far is exported.
func TestExportGrowing(t *testing.T) {
	l := goLive(t, Options{})
	l.record()
	th := l.rec.Thread("main")
	l.enter(th, 1)
	l.calls(th, 3)
	l.seen().keys("g j")
	path := filepath.Join(t.TempDir(), "some.jsonl")
	l.command("export jsonl " + path)
	if text := message(l.driver); !strings.HasSuffix(text, "; what was recorded so far") {
		t.Errorf("%q", text)
	}
	if got := written(t, path)[""]; strings.Count(got, `"kind":"call"`) != 4 {
		t.Errorf("four calls are\n%s", got)
	}
}

// TestExportStops: Esc stops an export, over a table as well, and so does the end of the explorer.
func TestExportStops(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 24, Options{})
	d.m.env.Patience = 0 // the export ends only when it is stopped
	began := func() tea.Cmd {
		t.Helper()
		told := make(chan struct{})
		d.m.env.Start()
		cmd := d.m.exports.Begin("some.csv", func(ctx context.Context, tell lazy.Progress) (tables.ExportDone, error) {
			tell(42, 100)
			close(told)
			<-ctx.Done()
			return tables.ExportDone{}, ctx.Err()
		})
		<-told // cmd is not run: it waits for the end
		d.m.Update(nil)
		d.has("exporting some.csv 42 %  Esc stops")
		return cmd
	}
	cmd := began()
	d.keys("T").has("top · by own events", "exporting some.csv 42 %  Esc stops")
	d.command("export csv").has("an export is under way: Esc stops it")
	d.keys("esc").has("stopped", "top · by own events").run(cmd)
	d.has("some.csv: stopped, nothing was written").keys("esc").has("Thread 1")
	cmd = began()
	d.keys("esc").run(cmd)
	d.has("some.csv: stopped, nothing was written")
	began()
	if err := d.m.leave(); err == nil || !strings.Contains(err.Error(), "the export of some.csv was not complete") {
		t.Error(err)
	}
}

// TestExportText: what the command print prints is written, whatever is loaded, with a row for the only iteration of a
// loop; of a tree that steps edit, what is in memory.
func TestExportText(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	d := drive(t, r, 100, 24, Options{}).command("583")
	text := func(words string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "explorer")
		d.command("export text " + words + path)
		if last := d.m.exports.Last(); !strings.HasPrefix(last, "wrote "+path+": ") {
			t.Fatal(last)
		}
		return written(t, path)[""]
	}
	first := int32(0)
	same := func(words string, print func(w io.Writer, folded lazy.PrintOptions) error) {
		t.Helper()
		var want bytes.Buffer
		if err := print(&want, lazy.PrintOptions{Folded: d.m.tree.Out.Tree.Folded(), Verbose: d.m.tree.Out.Wide}); err != nil {
			t.Fatal(err)
		}
		if got := text(words); got != want.String() {
			t.Errorf(":export text %s has %d lines, and print %d", words, strings.Count(got, "\n"), strings.Count(want.String(), "\n"))
		}
	}
	row := func(w io.Writer, o lazy.PrintOptions) error {
		return r.PrintAt(t.Context(), w, o, d.m.tree.Out.Cursor.Node.Position(), true, lazy.PrintRange{})
	}
	thread := func(w io.Writer, o lazy.PrintOptions) error {
		return r.Print(t.Context(), w, o, lazy.PrintRange{Thread: &first})
	}
	all := func(w io.Writer, o lazy.PrintOptions) error { return r.Print(t.Context(), w, o, lazy.PrintRange{}) }
	for _, keys := range []string{"", "E", "r", "L r"} {
		d.keys(keys)
		same("", row)
		same("all ", all)
	}
	d.keys("g g")
	same("", thread)
	for d.keys("/").typed("loop(1 iter").keys("enter"); ; d.keys("n") {
		if _, ok := lazy.Inlined(d.m.tree.Out.Cursor.Node); ok {
			break
		}
	}
	same("", row)
	if got := text(""); !strings.Contains(got, "\n  <iteration 1>") {
		t.Errorf("the only iteration has no row:\n%s", got)
	}
	d.keys("g g").command("drop getAsJsonObject").keys("g g E")
	d.m.tree.Out.Tree.Forget(d.m.tree.Out.Cursor.Node)
	if got := text(""); !d.m.tree.Out.Tree.Edited() || !strings.Contains(got, "<unloaded child") {
		t.Errorf("of a tree with steps: %.300s", got)
	}
	d.keys("T").command("export text").has("text is for rows of the tree; here there are csv, json")
}
