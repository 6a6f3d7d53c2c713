//go:build linux

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/notes"
	"tracex/lazy/query"
)

// TestReportSample: the page about answers has what the command prints for the trace of the demo; Markdown has the same words.
func TestReportSample(t *testing.T) {
	page := string(readFile(t, filepath.Join("..", "docs", "answers.md")))
	demo := formattest.Demo(t)
	t.Chdir(t.TempDir())
	for _, suffix := range []string{"", ".idx", ".tim"} {
		if err := os.WriteFile("shop.bin"+suffix, readFile(t, demo+suffix), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, sample, _ := strings.Cut(page, "$ tracex report ")
	sample, _, _ = strings.Cut(sample, "```")
	line, want, _ := strings.Cut(sample, "\n")
	args := append([]string{"report"}, words(line)...)
	text, stderr, exit := runCommand(t, args...)
	if exit != 0 || stderr != "" {
		t.Fatal(exit, stderr)
	}
	formattest.SameText(t, []byte(text), []byte(want))
	plain, _, _ := runCommand(t, "report", "shop.bin#99")
	markdown, _, _ := runCommand(t, "report", "shop.bin#99", "--md")
	strip := strings.NewReplacer("#", "", "`", "", "text\n", "\n")
	if a, b := strings.Fields(strip.Replace(plain)), strings.Fields(strip.Replace(markdown)); len(a) < 50 || strings.Join(a, " ") != strings.Join(b, " ") {
		t.Errorf("in Markdown it is\n%s", markdown)
	}
	text, _, exit = runCommand(t, "report", "shop.bin")
	if exit != 0 || !strings.HasPrefix(text, "nothing failed\n") {
		t.Errorf("%d %s", exit, text)
	}
}

// TestReportRefuses: flags that contradict each other, and places and tests that are not there.
func TestReportRefuses(t *testing.T) {
	demo := formattest.Demo(t)
	for _, c := range []struct {
		args []string
		said string
	}{
		{[]string{demo, "--md", "--text"}, "--text and --md exclude each other"},
		{[]string{demo + "#99", "--at", "#98"}, "#99 and --at exclude each other"},
		{[]string{demo, "--at", "#98", "--test", "TestPay"}, "--at and --test exclude each other"},
		{[]string{demo, "--at", "here"}, "here names no place in a trace"},
		{[]string{demo, "--test", "TestPay"}, "no test of the trace is named TestPay"},
		{[]string{demo, "--size", "0"}, "expected a size"},
		{[]string{demo, "--json", "--md"}, "--json, --text and --md exclude each other"},
		{[]string{demo, "--json", "--size", "9KiB"}, "--json and --size exclude each other"},
	} {
		text, stderr, exit := runCommand(t, append([]string{"report"}, c.args...)...)
		if exit != exitUsage || text != "" || !strings.Contains(stderr, c.said) {
			t.Errorf("%q: %d %q %q", c.args, exit, text, stderr)
		}
	}
	if _, stderr, exit := runCommand(t, "report", demo, "--at", "#99999"); exit == 0 || !strings.Contains(stderr, "no event 99999") {
		t.Errorf("%d %s", exit, stderr)
	}
}

// TestReportOfGoTests: reports of real failed tests, from their notes, without notes, and against an older recording.
func TestReportOfGoTests(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("programs are recorded on linux/amd64 and linux/arm64 only")
	}
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/pay\n\ngo 1.24\n")
	source := `package pay

import (
	"errors"
	"sync"
)

func price(item string) int {
	if item == "pear" {
		return 99
	}
	return 150
}

func add(cents int) error {
	if cents == 99 {
		return errors.New("card refused")
	}
	return nil
}

func all(items ...string) {
	var wg sync.WaitGroup
	for _, item := range items {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = add(price(item))
		}()
	}
	wg.Wait()
}

func must(item string) {
	if err := add(price(item)); err != nil {
		panic(err)
	}
}
`
	writeFile(t, filepath.Join(dir, "pay.go"), source)
	writeFile(t, filepath.Join(dir, "pay_test.go"), `package pay

import "testing"

func TestSum(t *testing.T) {
	sum := 0
	for _, item := range []string{"apple", "pear"} {
		sum += price(item)
	}
	if sum != 300 {
		t.Errorf("sum is %d, want 300", sum)
	}
}

func TestTable(t *testing.T) {
	for _, item := range []string{"apple", "pear"} {
		t.Run(item, func(t *testing.T) {
			check(t, item)
		})
	}
}

func check(t *testing.T, item string) {
	if err := add(price(item)); err != nil {
		t.Fatal(item, err)
	}
}

func TestAll(t *testing.T) {
	all("apple", "pear")
	t.Fail()
}

func TestPanic(t *testing.T) {
	must("apple")
	must("pear")
}
`)
	record := func(name string) {
		cmd, stderr, _ := command(t, "record", "-o", filepath.Join(dir, name), "--", "go", "test", "./...")
		cmd.Dir, cmd.Stdout = dir, nil
		if out, err := cmd.Output(); err == nil || !strings.Contains(stderr.String(), "recorded ") {
			t.Fatalf("%v\n%s%s", err, out, stderr)
		}
	}
	record("new.bin")
	writeFile(t, filepath.Join(dir, "pay.go"), strings.Replace(source, "return 150", "return 201", 1))
	record("old.bin")
	trace := filepath.Join(dir, "new.bin")
	report := func(args ...string) string {
		t.Helper()
		text, stderr, exit := runCommand(t, append([]string{"report", trace}, args...)...)
		if exit != 0 || stderr != "" {
			t.Fatal(exit, stderr)
		}
		return text
	}
	has := func(text string, parts ...string) {
		t.Helper()
		rest := text
		for _, part := range parts {
			_, after, ok := strings.Cut(rest, part)
			if !ok {
				t.Fatalf("%q is not there, or not in its place, in\n%s", part, text)
			}
			rest = after
		}
	}
	has(report(), "threw panic:", "pay.TestPanic", `must("pear"): threw panic`, "→ ", "throw panic", "thrown", "not caught (left pay.TestPanic())", "errors returned", `("card refused")`)
	has(report("--test", "TestTable/pear"), "pay.TestTable/pear\n", "no note tells", `check(`, `"pear"): threw runtime.Goexit`, `("card refused")`)

	book, err := notes.Open(trace, notes.Options{Author: notes.FailureAuthor})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []notes.Failure{
		{Test: "TestTable"}, {Test: "TestTable/pear", Output: "pay_test.go:25: pear card refused"}, {Test: "TestSum", Output: "pay_test.go:11: sum is 249, want 300"},
		{Test: "TestAll", Why: "it said nothing"}, {Test: "TestPanic", Output: "panic: card refused\n\ngoroutine 9 [running]:\npay.must()\n\t/x/pay.go:36 +0x1d"},
	} {
		id, ok := threadOf(t, trace, f.Test)
		if !ok {
			t.Fatal("no thread of " + f.Test)
		}
		book.Put(f.Note(lazy.Position{Thread: id, At: -1}, -1))
	}
	if err := book.Save(); err != nil {
		t.Fatal(err)
	}
	has(report("--test", "TestSum"), "FAIL TestSum\n", "pay_test.go:11: sum is 249, want 300\n", "failed at pay_test.go:11; the call recorded last before that line of the function is at line 8",
		"also failed: ", "TestTable/pear", "(--test NAME)", `price("apple"): 150  at pay_test.go:8`, `price("pear"): 99  at pay_test.go:8`, "→ ", "pay_test.go:11: sum is 249")
	has(report("--test", "TestTable/pear"), "FAIL TestTable/pear\n", "failed at pay_test.go:25; the call", "check(", `price("pear"): 99`, `add(99): `, "→ ", "pay_test.go:25: pear")
	has(report("--test", "TestTable"), "FAIL TestTable\n", "it failed because a subtest did: TestTable/pear")
	has(report("--test", "TestAll"), "FAIL TestAll\n", "it said nothing", "pay.TestAll(", `all(`, "errors returned", `add(99): `, `("card refused")`, "goroutines that it started", `price("pear"): 99`)
	has(report("--test", "TestPanic"), "FAIL TestPanic\n", "panic: card refused\n", "a traceback of 3 lines", `must("apple")`, `must("pear"): threw panic`, "→ ", "throw panic")
	has(report("--test", "TestSum", "--json"), `"test": "pay.TestSum"`, `"output": "pay_test.go:11: sum is 249, want 300"`, `"file": "pay_test.go",`, `"line": 11`, `"calls": [`, `"parameter": "item"`, `"value": "pear"`, `"failed": true`)
	has(report("--test", "TestPanic", "--json", "--with", filepath.Join(dir, "old.bin")), `"thrown": [`, `"exception": `, "card refused", `"errors": [`, `"parts": [`)
	with := []string{"--test", "TestSum", "--with", filepath.Join(dir, "old.bin")}
	has(report(with...), "FAIL TestSum\n", "where it parts from ", "tracex diff", "another value", "201 → 150", "old ", "new ")
	has(report(append(with, "--md")...), "### FAIL TestSum\n", "#### the calls up to it", "201 → 150")
	for _, size := range []string{"300", "700", "2000"} {
		if text := report(append(with, "--size", size)...); len(text) > 2000 || len(size) == 3 && len(text) > 700 || !strings.Contains(text, "FAIL TestSum") {
			t.Errorf("in %s bytes: %d\n%s", size, len(text), text)
		}
	}
}

// TestReportJSONDocs: docs/json.md has each member of report --json, and no other.
func TestReportJSONDocs(t *testing.T) { documented(t, "report", reflect.TypeFor[query.ReportJSON]()) }

// TestReportJSON: the object has all rows of the page, and the events of calls with their arguments and results.
func TestReportJSON(t *testing.T) {
	demo := formattest.Demo(t)
	object := func(args ...string) (o query.ReportJSON) {
		t.Helper()
		text, stderr, exit := runCommand(t, append([]string{"report", "--json"}, args...)...)
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&o); err != nil || exit != 0 || stderr != "" || o.Schema != 1 || o.Kind != "report" {
			t.Fatal(err, exit, stderr, text)
		}
		return o
	}
	o := object(demo, "--at", "#99")
	page, _, _ := runCommand(t, "report", demo, "--at", "#99", "--size", "1MiB")
	if o.Title != "what happened before #99" || o.Handle != "#99" || o.Thread != 1 || o.ThreadName != "counter" || o.File != demo || o.Test != "" {
		t.Errorf("%s: event %s in %d %s of %s, test %q", o.Title, o.Handle, o.Thread, o.ThreadName, o.File, o.Test)
	}
	rows := 0
	for _, list := range [][]query.ReportRow{o.Calls, o.Errors, o.Values, o.Goroutines} {
		for _, row := range list {
			rows++
			if !strings.Contains(page, row.Text) || !strings.Contains(page, row.Handle) {
				t.Errorf("the page has no %+v", row)
			}
		}
	}
	last := o.Calls[len(o.Calls)-1]
	for _, row := range o.Calls {
		if row.Failed {
			last = row
		}
	}
	var printed struct {
		Kind, Class, Method string
		Args                []struct{ Value any }
		Exception           struct{ Class string }
	}
	if err := json.Unmarshal(last.Printed, &printed); err != nil || printed.Kind != "call" || printed.Method != "pay" || len(printed.Args) != 2 || printed.Args[0].Value != "1910" {
		t.Errorf("%v %s", err, last.Printed)
	}
	if last.Handle != "#99" || !last.OnPath || rows < 10 {
		t.Errorf("of %d rows the last is %s %q", rows, last.Handle, last.Text)
	}
	if o := object(demo, "--at", "#111"); len(o.Thrown) != 2 || o.Thrown[0].Failed || !o.Thrown[1].Failed || o.Thrown[1].Handle != "#111" ||
		o.Thrown[1].Exception != "cardRefused" || o.Thrown[1].ThrownIn != "Till.pay()" || o.Thrown[1].Ended != "1 call" || o.Thrown[1].CaughtIn != "Shop.order()" {
		t.Errorf("thrown: %+v", o.Thrown)
	}
	if o := object(demo, "--at", "#98"); len(o.Values) < 3 || o.Values[0].Of != "total in #85" || o.Values[0].Depth != 0 || o.Values[0].Handle != "#90" || !strings.Contains(string(o.Values[0].Printed), "450") {
		t.Errorf("%d values", len(o.Values))
	}
	if o := object(demo); o.Title != "nothing failed" || len(o.Facts) < 3 || o.Calls != nil {
		t.Errorf("%s: %q", o.Title, o.Facts)
	}
}

// threadOf finds the thread of a test, as tracex info lists it.
func threadOf(t *testing.T, trace, test string) (int32, bool) {
	t.Helper()
	for _, info := range threadsIn(t, trace) {
		if strings.Contains(info.Name, " pay."+test+" ") {
			return info.ID, true
		}
	}
	return 0, false
}

// threadsIn returns the threads of a trace.
func threadsIn(t *testing.T, trace string) []lazy.ThreadInfo {
	t.Helper()
	r, err := lazy.Open(trace, lazy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r.Threads()
}
