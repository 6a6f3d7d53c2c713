package ui

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/tree"
	"tracex/ui/internal/uitest"
)

// compared is an engine and the traces that it compares, for tests: its diff is a stored one.
type compared struct {
	t      *testing.T
	root   lazy.Position // in both
	parts  [2]*lazy.Handle
	before chan struct{} // Run waits until it is closed
	err    error         // of Run
	closed []string
	took   bool // there are durations
	quiet  int64
	began  int // how often it was made
}

func (c *compared) First(context.Context, lazy.Progress) (at [2]lazy.Position, same int64, ok bool, err error) {
	return [2]lazy.Position{c.root, {At: -1}}, 1204, true, nil
}

func (c *compared) Run(ctx context.Context, tell lazy.Progress) error {
	tell(42, 100)
	select {
	case <-c.before:
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *compared) Open(context.Context, lazy.Progress) (*lazy.LazyTraceReader, enginePairs, error) {
	return uitest.Open(c.t, formattest.Unpack(c.t, "diff-gson.packedtrace"), lazy.Options{NoWrite: true}), c, nil
}

func (c *compared) Equal() (calls, of, quiet int64) { return 971, 1000, c.quiet }

func (c *compared) Quiet(context.Context, *lazy.LazyTraceReader, lazy.Progress) error {
	c.quiet = 5
	return nil
}

func (c *compared) Of(event int32) (tree.Pair, error) {
	p := tree.Pair{At: [2]lazy.Position{{At: int64(event)}, {At: -1}}, Took: [2]int64{-1, -1}}
	if c.took {
		p.Took = [2]int64{812e6, 1310e6}
	}
	switch event {
	case 1:
		p.At, p.Took[1] = [2]lazy.Position{c.root, c.root}, p.Took[0]
	case 2:
		p.At, p.Took[0] = [2]lazy.Position{{At: -1}, c.root}, -1
	}
	return p, nil
}

func (c *compared) Close() error { c.closed = append(c.closed, "engine"); return nil }

// other is a trace to compare with.
type other struct {
	given
	c *compared
}

func (o *other) Close() error { o.c.closed = append(o.c.closed, o.path); return nil }

// slow is a trace whose Open waits until its context ends.
type slow struct {
	*other
	began chan struct{}
}

func (s *slow) Open(ctx context.Context) (*lazy.LazyTraceReader, Options, error) {
	close(s.began)
	<-ctx.Done()
	return nil, Options{}, ctx.Err()
}

// tabDriver runs tabs without a terminal, as driver does a Model.
type tabDriver struct {
	t    *testing.T
	tabs *Tabs
	todo []tea.Cmd
}

// withOther shows a trace that can be compared with any of some names.
func withOther(t *testing.T, c *compared) *tabDriver {
	t.Helper()
	c.t = t
	a := uitest.Recorded(t, "gson.dump")
	c.root, _ = a.FindEvent(t.Context(), 2)
	o := Options{Unicode: true, Other: func(path string) OtherTrace {
		if strings.HasPrefix(path, "missing") {
			return &other{given{path, nil, fs.ErrNotExist}, c}
		}
		return &other{given{path: path, r: uitest.Recorded(t, "gson.stream")}, c}
	}}
	tabs := &Tabs{ctx: t.Context(), list: []*tab{{trace: alone{a}, name: "gson.dump.bin"}}}
	tabs.diffs.engine = func(of *comparison) engine { c.parts, c.began = of.parts, c.began+1; return c }
	tabs.adopt(0, a, o)
	tabs.asked = tabs.list[0].model
	e := tabs.asked.env
	e.Patience, e.Trace.Watching = time.Hour, false
	e.Clock.After = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	d := &tabDriver{t: t, tabs: tabs}
	t.Cleanup(func() { d.end() })
	d.send(tea.WindowSizeMsg{Width: 110, Height: 24})
	return d
}

// end ends the explorer, as run does.
func (d *tabDriver) end() {
	for _, tab := range d.tabs.list {
		if tab.model != nil {
			tab.model.env.Close()
		}
	}
	if err := d.tabs.diffs.close(); err != nil {
		d.t.Error(err)
	}
}

func (d *tabDriver) send(msg tea.Msg) *tabDriver {
	_, cmd := d.tabs.Update(msg)
	d.todo = append(d.todo, cmd)
	return d
}

// settle runs commands until there are none. Messages of the clock do not arrive.
func (d *tabDriver) settle() *tabDriver {
	for n := 0; len(d.todo) > 0; n++ {
		if n > 100_000 {
			d.t.Fatal("the commands do not come to an end")
		}
		cmd := d.todo[0]
		d.todo = d.todo[1:]
		d.one(cmd)
	}
	return d
}

// one runs a command, and passes on its message.
func (d *tabDriver) one(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		d.todo = append(d.todo, batch...)
		return
	}
	in, ok := msg.(owned)
	if !ok {
		return
	}
	switch in.msg.(type) {
	case env.Ran, tree.LoadMsg, env.Copied:
		d.send(msg)
	}
}

func (d *tabDriver) press(names string) *tabDriver {
	for _, k := range strings.Fields(names) {
		d.send(keys.Press(k))
	}
	return d
}

func (d *tabDriver) typed(text string) *tabDriver {
	d.send(tea.PasteMsg{Content: text})
	return d.press("enter")
}

// TestCompareWith: D compares the trace with a file, in a tab of its own, which tells what is known until the diff is
// shown there. Other tabs can be used meanwhile.
func TestCompareWith(t *testing.T) {
	c := &compared{before: make(chan struct{})}
	d := withOther(t, c)
	d.press("D").typed("new.bin")
	for range 40 { // as far as Run
		if text := d.tabs.View().Content; strings.Contains(text, "42 %") && strings.Contains(text, "the first difference") {
			break
		}
		cmd := d.todo[0]
		d.todo = d.todo[1:]
		d.one(cmd)
	}
	shows(t, d.tabs, "[2 gson.dump.bin ↔ new.bin]")
	shows(t, d.tabs, "comparing A gson.dump.bin with B new.bin")
	shows(t, d.tabs, "comparing 42 %")
	shows(t, d.tabs, "the first difference, after 1,204 equal events:")
	shows(t, d.tabs, "A #2  ")
	shows(t, d.tabs, "B nothing more")
	d.press("ctrl+t j")
	shows(t, d.tabs, "[1 gson.dump.bin]")
	close(c.before)
	d.settle()
	shows(t, d.tabs, "[1 gson.dump.bin]")
	d.press("ctrl+t").settle()
	shows(t, d.tabs, "7 differences · 2 edited · 5 added · 97 % of calls equal")
	shows(t, d.tabs, "difference 1 of 7")
	d.press("D").settle()
	shows(t, d.tabs, "difference 2 of 7")
	d.press(":").typed("diff x")
	shows(t, d.tabs, "this is a diff of two traces already")
	if d.press("esc q"); len(d.tabs.list) != 2 {
		t.Errorf("%d tabs", len(d.tabs.list))
	}
	d.end()
	if got := strings.Join(c.closed, " "); got != "engine engine new.bin" {
		t.Errorf("closed: %s", got)
	}
}

// TestCompareWithStopped: Esc stops a comparison, its tab goes, and what a late command delivers changes nothing.
func TestCompareWithStopped(t *testing.T) {
	d := withOther(t, &compared{before: make(chan struct{})})
	d.press(":").typed("diff new.bin")
	shows(t, d.tabs, "[2 gson.dump.bin ↔ new.bin]")
	d.press("esc")
	shows(t, d.tabs, "stopped: nothing was compared")
	d.settle()
	if len(d.tabs.list) != 1 {
		t.Errorf("%d tabs", len(d.tabs.list))
	}
	shows(t, d.tabs, " gson.dump.bin  1 thread")
}

// TestCompareWithFails: why a file cannot be opened is said without a new tab, and why two cannot be compared in it.
func TestCompareWithFails(t *testing.T) {
	c := &compared{before: make(chan struct{}), err: errors.New("the disk is full")}
	close(c.before)
	d := withOther(t, c)
	d.press("D").typed("missing.bin").settle()
	shows(t, d.tabs, "file does not exist")
	if len(d.tabs.list) != 1 {
		t.Errorf("%d tabs", len(d.tabs.list))
	}
	d.press("D").typed("-")
	shows(t, d.tabs, "the other trace must be a file")
	d.press("esc D").typed("new.bin").settle()
	shows(t, d.tabs, "⚠ the two cannot be compared: the disk is full")
	d.press("ctrl+t")
	shows(t, d.tabs, "[1 gson.dump.bin]")
}

// TestCompareWithSlow: Esc stops the opening of the other trace, and so does the end of the explorer, which waits for it.
func TestCompareWithSlow(t *testing.T) {
	for _, esc := range []bool{true, false} {
		c := &compared{}
		d := withOther(t, c)
		m, began := d.tabs.asked, make(chan struct{})
		m.env.Patience = 0
		m.compare.given.Other = func(path string) OtherTrace { return &slow{&other{given{path: path}, c}, began} }
		d.press("D").typed("new.bin")
		ended := make(chan struct{})
		todo := d.todo
		go func() {
			defer close(ended)
			runAll(tea.Batch(todo...))
		}()
		<-began
		if esc {
			d.press("esc")
			shows(t, d.tabs, "stopped")
			<-ended
		}
		d.end()
		<-ended
		if got := strings.Join(c.closed, " "); got != "new.bin" || len(d.tabs.list) != 1 {
			t.Errorf("Esc %t: closed: %s; %d tabs", esc, got, len(d.tabs.list))
		}
		d.tabs.diffs.kept = nil // end runs again
	}
}

// runAll runs a command and those of its batch; what they deliver is dropped.
func runAll(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if batch, ok := cmd().(tea.BatchMsg); ok {
		for _, c := range batch {
			runAll(c)
		}
	}
}

// TestCloseDiff: closing the tab of a diff closes its reader, removes its files, and closes what only it uses; A is shown.
func TestCloseDiff(t *testing.T) {
	c := &compared{before: make(chan struct{})}
	close(c.before)
	d := withOther(t, c)
	d.press("X")
	shows(t, d.tabs, "no other trace is open: q quits")
	d.press("D").typed("new.bin").settle()
	d.press("ctrl+t X")
	shows(t, d.tabs, "tab 2 compares this trace: close that before (:close 2)")
	d.press("2 ctrl+t g").settle().press("j j O").settle()
	shows(t, d.tabs, "[3 new.bin]")
	d.press("X").settle()
	shows(t, d.tabs, "closed new.bin")
	if got := strings.Join(c.closed, " "); got != "engine" {
		t.Errorf("B is closed while the diff needs it: %s", got)
	}
	d.press("2 ctrl+t O").settle()
	shows(t, d.tabs, "[3 new.bin]")
	d.press(":").typed("close 2").settle()
	if got := strings.Join(c.closed, " "); got != "engine engine" || len(d.tabs.list) != 2 {
		t.Errorf("closed: %s; %d tabs", got, len(d.tabs.list))
	}
	d.press("X").settle()
	shows(t, d.tabs, " gson.dump.bin  1 thread")
	if got := strings.Join(c.closed, " "); got != "engine engine new.bin" || len(d.tabs.diffs.kept) > 0 {
		t.Errorf("closed: %s; %d are still open", got, len(d.tabs.diffs.kept))
	}
}

// TestCloseRunning: closing the tab of a comparison that runs stops it; a diff that comes late is removed.
func TestCloseRunning(t *testing.T) {
	c := &compared{before: make(chan struct{})}
	d := withOther(t, c)
	d.press("D").typed("new.bin")
	of := d.tabs.list[1].diff
	d.press("X").settle()
	shows(t, d.tabs, "closed gson.dump.bin ↔ new.bin")
	if of.task.Running() || len(d.tabs.list) != 1 {
		t.Errorf("it runs: %t; %d tabs", of.task.Running(), len(d.tabs.list))
	}
	late := false
	if err := d.tabs.keepFor(of, func() error { late = true; return nil }); err != nil || !late {
		t.Errorf("closed: %t, %v", late, err)
	}
}

// TestCompareAgain: the same comparison is shown again, and made again if a trace has changed or it had failed.
func TestCompareAgain(t *testing.T) {
	c := &compared{before: make(chan struct{}), err: errors.New("the disk is full")}
	close(c.before)
	d := withOther(t, c)
	again := func(args string, tabs, began int) {
		t.Helper()
		d.press("1 ctrl+t :").typed("diff " + args).settle()
		if len(d.tabs.list) != tabs || c.began != began {
			t.Errorf("%s: %d tabs, compared %d times", args, len(d.tabs.list), c.began)
		}
	}
	again("new.bin", 2, 1)
	c.err = nil
	again("new.bin", 2, 2)
	again("./new.bin", 2, 2)
	shows(t, d.tabs, "7 differences")
	d.tabs.list[1].diff.read[1]--
	again("new.bin", 3, 3)
	again("new.bin --identity", 4, 4)
	again("new.bin --noise old2.bin", 5, 5)
	if about := d.tabs.asked.compare.diffAbout([]string{""}); about[0] != "5 ignored, as in old2.bin" {
		t.Errorf("%q", about)
	}
	d.press("1 ctrl+t :").typed("diff new.bin --nois")
	shows(t, d.tabs, "diff takes the file of a trace, --identity, and --noise")
	d.press("esc")
}

// TestIgnore: differences that a filter of the file beside B, or of :ignore, matches do not count: in the header, for n,
// and in the table. Chips tell of the filters.
func TestIgnore(t *testing.T) {
	t.Chdir(uitest.WriteFiles(t, map[string]string{".tracexdiff": "# of this project\nmethod=toJson\nmethod=unheardOf\n"}))
	c := &compared{before: make(chan struct{})}
	close(c.before)
	d := withOther(t, c)
	d.press("D").typed("new.bin").settle()
	shows(t, d.tabs, "1 ignored")
	shows(t, d.tabs, "[.tracexdiff ✕]")
	shows(t, d.tabs, "1 difference ignored by .tracexdiff")
	d.press("n").settle()
	shows(t, d.tabs, "difference 2 of 6")
	d.press(":").typed("ignore method=unheardOf")
	shows(t, d.tabs, "unheardOf")
	d.press("esc :").typed("ignore status=added").settle()
	shows(t, d.tabs, "5 ignored")
	shows(t, d.tabs, "[ignore status=added ✕]")
	d.press(":").typed("changes").settle()
	shows(t, d.tabs, "5 ignored")
	if text := d.tabs.View().Content; strings.Contains(text, "  added ") {
		t.Errorf("they are listed:\n%s", text)
	}
	d.press("esc :").typed("ignore -").settle()
	shows(t, d.tabs, "7 differences · 2 edited · 5 added · 97 %")
}

// TestDiffSides: a row of a diff made here has its durations in A and in B, and leads to its place there.
func TestDiffSides(t *testing.T) {
	c := &compared{before: make(chan struct{}), took: true}
	close(c.before)
	d := withOther(t, c)
	d.press("D").typed("new.bin").settle()
	m := d.tabs.list[1].model
	m.tree.Columns.Choice = tree.Choice{}
	m.compare.pairs = tree.NewPairs(m.env, m.tree, c, true) // the traces of the test have no times
	d.press("g").settle()
	shows(t, d.tabs, " A ──────── B ───── B - A ───── % ─")
	shows(t, d.tabs, "812 ms     1.31 s     +498 ms   +61 %")
	d.press("j j").press("O").settle()
	shows(t, d.tabs, "[3 new.bin]")
	shows(t, d.tabs, "#2 ")
	d.press("2 ctrl+t :").typed("side a").settle()
	shows(t, d.tabs, "[1 gson.dump.bin]")
	shows(t, d.tabs, "#2 ")
	d.press("2 ctrl+t j :").typed("side A").settle()
	shows(t, d.tabs, "the row is not in A")
	d.press(":").typed("side C")
	shows(t, d.tabs, "side takes A or B")
}

// TestCompareWithSmall: what is told of a comparison fits into the smallest window.
func TestCompareWithSmall(t *testing.T) {
	d := withOther(t, &compared{before: make(chan struct{})})
	d.send(tea.WindowSizeMsg{Width: 40, Height: 10})
	d.press("D").typed("a-name-that-is-much-too-long-for-such-a-small-window.bin")
	d.tabs.list[1].diff.found(t.Context(), [2]lazy.Position{{At: 0}, {At: -1}}, 1204)
	lines := strings.Split(d.tabs.View().Content, "\n")
	for i, line := range lines {
		if n := ansi.StringWidth(line); n != 40 {
			t.Errorf("line %d has %d cells", i+1, n)
		}
	}
	if len(lines) != 10 {
		t.Errorf("%d lines", len(lines))
	}
	d.press("esc").settle()
}

// TestCompareWithTab: the trace of another tab is proposed, and not opened again.
func TestCompareWithTab(t *testing.T) {
	c := &compared{before: make(chan struct{})}
	close(c.before)
	d := withOther(t, c)
	d.tabs.list = append(d.tabs.list, &tab{trace: &given{path: "x/second.bin"}, name: "second.bin"})
	d.tabs.opened(1, opened{uitest.Recorded(t, "gson.stream"), Options{Unicode: true}, nil})
	d.press("D")
	shows(t, d.tabs, "compare with x/second.bin")
	d.press("enter").settle()
	shows(t, d.tabs, "[3 gson.dump.bin ↔ second.bin]")
	if len(d.tabs.diffs.others) > 0 {
		t.Error("it is opened again")
	}
	d.press(":").typed("side B").settle()
	d.press("n").settle()
}

// TestCompleteFile: files and directories complete a path, without those that only belong to a trace.
func TestCompleteFile(t *testing.T) {
	dir := uitest.WriteFiles(t, map[string]string{"old.bin": "", "old.bin.idx": "", "older/x.bin": "", ".hidden": "", "new.bin": ""})
	from, with := completeFile(filepath.Join(dir, "ol"))
	var got []string
	for _, c := range with {
		got = append(got, c.Text)
	}
	if text := strings.Join(got, " "); from != len(dir)+1 || text != "older"+string(filepath.Separator)+" old.bin" {
		t.Errorf("from %d: %s", from, text)
	}
	if _, with := completeFile(filepath.Join(dir, "none", "x")); with != nil {
		t.Errorf("%v", with)
	}
	t.Chdir(dir)
	if _, with := completeFile("new"); len(with) != 1 {
		t.Errorf("%v", with)
	}
}
