package cli

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/notes"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/goroutines"
)

// reportCommand is the command report with its flags.
type reportCommand struct {
	*app
	test, at, with string
	text, md, json bool
	size           byteSize
	ended          string // if nothing failed: which calls ended
}

// reportSize is the size of a report unless another one is asked for.
const reportSize = 8 << 10

func newReportCommand(a *app) *cobra.Command {
	t := &reportCommand{app: a, size: reportSize}
	c := &cobra.Command{
		Use:   "report FILE",
		Short: "Show what happened around a failure",
		Long: "Show the calls up to a failed test, a panic, an exception or an event, with what was thrown, the errors returned, " +
			"and the last values of what it is about. The page has at most 8 KiB, unless --size says more.",
		Example: `tracex report trace.bin                        # the first failed test
tracex report --test TestPay/big --md trace.bin
tracex report --with trace.old.bin trace.bin   # and where the two part`,
		Args: a.oneTrace,
	}
	f := c.Flags()
	f.StringVar(&t.test, "test", "", "the failure of a test: TestPay/big")
	f.StringVar(&t.at, "at", "", "what happened before an event, such as '#1204'")
	f.BoolVar(&t.text, "text", false, "text, which is usual")
	f.BoolVar(&t.json, "json", false, "one JSON object, with all rows")
	f.BoolVar(&t.md, "md", false, "Markdown for a pull request")
	f.Var(&t.size, "size", "the most that is printed, such as 16KiB")
	f.StringVar(&t.with, "with", "", "also where an older trace of the test parts from it")
	c.RunE = func(c *cobra.Command, args []string) error {
		path, in := splitPlace(args[0])
		if t.json && f.Changed("size") {
			return &usageError{"--json and --size exclude each other", "the object has all rows"}
		}
		if err := t.check(in); err != nil {
			return err
		}
		ctx := c.Context()
		return a.withTrace(ctx, path, func(x *input, r *lazy.LazyTraceReader) error { return t.show(ctx, path, x, r, in) })
	}
	return c
}

// check refuses flags that contradict each other.
func (t *reportCommand) check(in place) error {
	switch {
	case t.text && t.md:
		return &usageError{"--text and --md exclude each other", ""}
	case t.json && (t.text || t.md):
		return &usageError{"--json, --text and --md exclude each other", ""}
	case in.given && t.at != "":
		return &usageError{in.handle.String() + " and --at exclude each other", "both name the event"}
	case (in.given || t.at != "") && t.test != "":
		return &usageError{"--at and --test exclude each other", "--at names an event, --test a failed test"}
	}
	return nil
}

// show prints the report.
func (t *reportCommand) show(ctx context.Context, path string, in *input, r *lazy.LazyTraceReader, at place) error {
	o, others, err := t.failure(ctx, path, in, r, at)
	if err != nil {
		return err
	}
	problem := r.Status().Problem
	var page *query.Report
	if o == nil {
		page = query.NoReport(path, append([]string{
			"no test is noted as failed, no exception left a thread, and " + t.ended,
			"tracex throws " + shellWord(path) + " has exceptions that were caught; --at '#1204' tells what happened before an event",
		}, about(path, r)...))
	} else {
		o.Name, o.JSON = path, t.json
		o.About = about(path, r)
		if len(others) > 0 {
			o.About = append(o.About, "also failed: "+strings.Join(others, ", ")+" (--test NAME)")
		}
		p := t.newProgress("reading")
		page, err = query.FindReport(ctx, r, *o, p.Update)
		p.End()
		if err != nil {
			return rawHint(err)
		}
		if t.with != "" {
			part, err := t.parting(ctx, path, r, o.At)
			if err != nil {
				return err
			}
			page.Parts = append(page.Parts, part)
		}
	}
	if err := t.remarkFiles(r); err != nil {
		return err
	}
	if t.json {
		return errors.Join(writeJSON(t.stdout, page.JSON()), problem)
	}
	_, err = t.stdout.WriteString(page.Text(query.ReportFormat{Size: int(t.size), Markdown: t.md}))
	return errors.Join(err, problem)
}

// about tells which trace it is.
func about(path string, r *lazy.LazyTraceReader) []string {
	text := "trace " + path
	if begin, length, ok := r.Recording(); ok && lazy.WallKnown(begin) {
		text += ", recorded " + begin.UTC().Format(time.DateTime) + " UTC, for " + display.Unicode.Duration(int64(length))
	}
	if s := r.Status(); s.Problem != nil {
		text += "; it is not whole: " + message(s.Problem)
	}
	return []string{text}
}

// failure finds what the report is about: nil if nothing failed. others are the names of further failed tests.
func (t *reportCommand) failure(ctx context.Context, path string, in *input, r *lazy.LazyTraceReader, at place) (o *query.ReportOptions, others []string, err error) {
	if t.at != "" {
		if at.handle, err = placeArgument(t.at); err != nil {
			return nil, nil, err
		}
		at.given = true
	}
	if at.given {
		where, _, err := r.Find(ctx, at.handle)
		if err != nil {
			return nil, nil, err
		}
		return &query.ReportOptions{Title: "what happened before " + at.handle.String(), At: where, Facts: []string{threadTitle(r, where.Thread)}}, nil, nil
	}
	if o, others, err = t.noted(ctx, in, r); o != nil || err != nil {
		return o, others, err
	}
	if t.test != "" {
		return t.recorded(ctx, r)
	}
	o, t.ended, err = t.escaped(ctx, r)
	return o, nil, err
}

// noted finds the failed test that the notes beside the trace tell; nil if there is none.
func (t *reportCommand) noted(ctx context.Context, in *input, r *lazy.LazyTraceReader) (o *query.ReportOptions, others []string, err error) {
	name := in.name
	if in.made.Cached() {
		name = in.path
	}
	if name == "-" {
		return nil, nil, nil
	}
	book, err := notes.Open(name, notesOptions(true))
	if err != nil {
		t.remark(name, err)
		return nil, nil, nil
	}
	var failed []notes.Failure
	var at []lazy.Position
	var full []string // names with their packages, where the thread has them
	for _, it := range book.Items() {
		if f, ok := notes.FailureOf(it); ok {
			info, _ := r.ThreadInfo(it.At.Thread)
			failed, at, full = append(failed, f), append(at, it.At), append(full, cmp.Or(query.TestOf(info.Name), f.Test))
		}
	}
	best := -1
	for i, f := range failed {
		inner := slices.ContainsFunc(failed, func(o notes.Failure) bool { return strings.HasPrefix(o.Test, f.Test+"/") })
		if best < 0 && (t.test == "" && !inner || t.test == f.Test || t.test == full[i]) {
			best = i
		}
	}
	if best < 0 {
		return nil, nil, nil
	}
	for i, f := range failed {
		if i != best && f.Test == failed[best].Test {
			others = append(others, full[i]) // of another package
		} else if i != best {
			others = append(others, f.Test)
		}
	}
	f := failed[best]
	if f.Output == "" && f.Why == "" {
		f.Why = subtestsOf(f.Test, others)
	}
	o = &query.ReportOptions{Title: "FAIL " + f.Test, Test: true, Failed: full[best], At: lazy.Position{Thread: at[best].Thread, At: -1}, Output: f.Output}
	if f.Why != "" {
		o.Facts = append(o.Facts, f.Why)
	}
	o.Facts = append(o.Facts, printed(f.Output)...)
	for _, p := range f.Places() {
		o.Places = append(o.Places, query.SourceLineID(p))
	}
	return o, others, nil
}

// subtestsOf tells which subtests of a test failed; "" if none did.
func subtestsOf(test string, failed []string) string {
	var list []string
	for _, name := range failed {
		if strings.HasPrefix(name, test+"/") {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "it failed because a subtest did: " + strings.Join(list, ", ")
}

// traceback begins that of a panic.
var traceback = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^goroutine \d+ .*\[.*\]:\r?$`) })

// printed returns the lines that a test printed, but for the traceback of a panic: the report has the calls.
func printed(output string) (lines []string) {
	text := strings.Trim(output, "\n")
	at := traceback().FindStringIndex(text)
	if at == nil {
		at = []int{len(text)}
	}
	for line := range strings.Lines(strings.Trim(text[:at[0]], "\n")) {
		lines = append(lines, strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    "))
	}
	if at[0] < len(text) {
		lines = append(lines, "… a traceback of "+counted(int64(strings.Count(text[at[0]:], "\n")+1), "line")+", which tracex notes prints")
	}
	return lines
}

// recorded finds the thread of the test of --test.
func (t *reportCommand) recorded(ctx context.Context, r *lazy.LazyTraceReader) (*query.ReportOptions, []string, error) {
	ids, names, err := query.TestThreads(ctx, r, t.test)
	switch {
	case err != nil:
		return nil, nil, err
	case len(ids) == 0:
		return nil, nil, &usageError{"no test of the trace is named " + t.test, "tracex info --limit 0 lists the threads, with the tests that they run"}
	case slices.Compact(slices.Clone(names))[0] != names[len(names)-1]:
		return nil, nil, &usageError{t.test + " may be " + strings.Join(names, " or "), "--test " + names[0]}
	}
	return &query.ReportOptions{
		Title: names[0], Test: true, Failed: names[0], At: lazy.Position{Thread: ids[0], At: -1},
		Facts: []string{"no note tells that it failed, nor what it printed: what the trace itself has is shown"},
	}, nil, nil
}

// escaped finds what the trace itself tells to have failed: the first exception that no call caught, or a main thread or a test that did not end. If
// there is none, ended tells which calls ended.
func (t *reportCommand) escaped(ctx context.Context, r *lazy.LazyTraceReader) (o *query.ReportOptions, ended string, err error) {
	scope := query.Scope{}
	throws := query.NewThrows(r, scope, query.MostValues)
	p := t.newProgress("reading")
	pass := scope.Over(throws)
	pass.Progress = p.Update
	err = r.Pass(ctx, pass)
	p.End()
	if err != nil {
		return nil, "", err
	}
	of := func(title string, e query.Thrown, facts ...string) *query.ReportOptions {
		return &query.ReportOptions{Title: title, At: lazy.Position{Thread: e.Thread, At: e.At}, Facts: append(facts, threadTitle(r, e.Thread))}
	}
	if e, ok := throws.FirstLeft(); ok {
		return of("threw "+cmp.Or(e.Class, "an exception"), e), "", nil
	}
	open, id, main, err := unended(ctx, r)
	switch {
	case err != nil:
		return nil, "", err
	case main:
		return &query.ReportOptions{Title: "did not end: " + threadTitle(r, id), At: lazy.Position{Thread: id, At: -1}}, "", nil
	}
	if e, ok := throws.FirstExit(); ok {
		return of("ended by runtime.Goexit, as t.FailNow and t.Skip do", e, "whether it failed or was skipped is not recorded; nothing else failed"), "", nil
	}
	ended = "all calls ended"
	if open > 0 {
		ended = "the main thread and the tests ended; " + display.Plural(open, "thread") + " had not when the recording did, such as " + threadTitle(r, id)
	}
	return nil, ended, nil
}

// unended counts the threads that did not end. id is the first one that runs the program or a test, as main then tells, otherwise the first one. If no
// thread is known to do so, each may.
func unended(ctx context.Context, r *lazy.LazyTraceReader) (open int64, id int32, main bool, err error) {
	list, known := r.ThreadList(), false
	for i := range list.Len() {
		if err := ctx.Err(); err != nil {
			return 0, 0, false, err
		}
		info, _ := r.ThreadInfo(list.ID(i))
		name, goroutine := goroutines.Parse(info.Name)
		runs := goroutine && name.Number == 1 || info.Name == "main" || query.TestOf(info.Name) != ""
		known = known || runs
		if end := list.Ends([]int{i})[0]; end.State == lazy.StateWhole {
			continue
		}
		if open++; open == 1 || runs && !main {
			id, main = info.ID, runs
		}
	}
	return open, id, main || open > 0 && !known, nil
}

// parting tells where the thread of the failure parts from that of the older trace.
func (t *reportCommand) parting(ctx context.Context, path string, r *lazy.LazyTraceReader, at lazy.Position) (part query.ReportPart, err error) {
	part = query.ReportPart{Title: "where it parts from " + t.with, More: "tracex diff " + shellWord(t.with) + " " + shellWord(path)}
	tell := func(text string) { part.Lines = append(part.Lines, query.ReportLine{Text: text, Rank: 1}) }
	info, _ := r.ThreadInfo(at.Thread)
	err = t.withTrace(ctx, t.with, func(_ *input, older *lazy.LazyTraceReader) error {
		thread, ok, err := partnerOf(ctx, older, info.Name)
		if err != nil || !ok {
			tell("it has no thread that runs the same")
			return err
		}
		sides := [2]diffSide{{name: t.with, r: older}, {name: path, r: r}}
		for i, id := range []int32{thread, at.Thread} {
			sides[i].at = place{lazy.PositionHandle(lazy.Position{Thread: id, At: -1}), true}
		}
		d := diffCommand{app: t.app}
		found, err := d.part(ctx, sides[0], sides[1])
		switch {
		case err != nil:
			return err
		case found == nil:
			tell("they are equal")
			return older.Status().Problem
		}
		first, err := placeOfParting(ctx, sides[0], sides[1], found)
		if err != nil {
			return err
		}
		var b strings.Builder
		d.firstText(&b, sides[0], sides[1], first)
		for line := range strings.Lines(b.String()) {
			if line = strings.TrimRight(line, "\n"); line != "" {
				tell(line)
			}
		}
		return nil
	})
	return part, err
}

// partnerOf finds the thread of another trace that runs what one of this name does: the same test, or else a thread with the same name.
func partnerOf(ctx context.Context, r *lazy.LazyTraceReader, name string) (int32, bool, error) {
	if test := query.TestOf(name); test != "" {
		ids, _, err := query.TestThreads(ctx, r, test)
		if err != nil || len(ids) == 0 {
			return 0, false, err
		}
		return ids[0], true, nil
	}
	for info := range r.ThreadList().All() {
		if info.Name == name {
			return info.ID, true, nil
		}
	}
	if r.ThreadList().Len() == 1 && name == "" {
		return r.ThreadList().ID(0), true, nil
	}
	return 0, false, nil
}
