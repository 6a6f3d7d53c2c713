package ui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/diff"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tables"
	"tracex/ui/internal/tree"
)

// LiveDiff is what a trace compares that the explorer has made.
type LiveDiff struct {
	Sides [2]env.Side // A and B
	Pairs tree.PairSource
	Timed bool     // both have times
	Equal [2]int64 // how many calls of both are equal, of how many
	Quiet int64    // differences that do not count, as Noise has such
	Noise string   // the file of another recording of A; "" if there is none

	Tops [2]query.TopSide // for the table of methods
}

// comparing is what the explorer of a trace has to compare it, and to show what it compares.
type comparing struct {
	m     *Model
	given Options      // those of the Model
	pairs *tree.Pairs  // where the rows of a diff made here are in A and in B; nil in any other trace
	first *comparedRow // A of the next comparison of two rows; nil if none is remembered

	opening env.Task // opens the trace of a file to compare this one with
}

// difference goes to the n-th row that differs, in a diff of two traces. In another one it asks for what to compare it with.
func (c *comparing) difference(way, n int) tea.Cmd {
	if c.m.changes.Diff() {
		return c.m.changes.Go(way, n)
	}
	return c.askFile()
}

// askFile asks for the file of a trace to compare this one with.
func (c *comparing) askFile() tea.Cmd {
	if c.m.tabs == nil || c.m.tabs.diffs.engine == nil || c.given.Other == nil {
		return c.m.env.Say("this trace is no diff of two: no row differs")
	}
	p := c.m.env.Front.Typed.Open("compare with ", "the file of a trace, B; "+keys.KeyName("tab", c.m.env.Glyphs)+" completes").Complete(completeFile)
	for _, other := range c.m.tabs.list {
		if other.model != c.m && other.diff == nil && other.err == nil {
			p.Propose(other.trace.Path())
			break
		}
	}
	return c.m.env.Front.Ask(&env.Question{
		Prompt: p,
		Typed:  func(prompt.Text) tea.Cmd { return c.m.env.Say("") },
		Refuse: func(t prompt.Text) string {
			if _, err := c.checkDiff(t.Text); err != nil {
				return err.Error()
			}
			return ""
		},
		Submit: func(t prompt.Text) tea.Cmd { return c.compareWith(t.Text) },
	})
}

// diffFile is the argument of :diff: what to compare with, and how.
type diffFile struct {
	path, noise string
	identity    bool
}

// readDiffFile reads the argument of :diff, such as new.bin --noise old2.bin. The path may have blanks.
func readDiffFile(args string) (f diffFile, err error) {
	path, flags, given := strings.Cut(" "+args, " --")
	f.path = expandHome(strings.TrimSpace(path))
	for given {
		var flag string
		flag, flags, given = strings.Cut(flags, " --")
		name, value, _ := strings.Cut(strings.TrimSpace(flag), " ")
		switch value = strings.TrimSpace(value); {
		case name == "identity" && value == "":
			f.identity = true
		case name == "noise" && value != "":
			f.noise = expandHome(value)
		default:
			return f, errors.New("diff takes the file of a trace, --identity, and --noise with the file of another recording of A")
		}
	}
	return f, nil
}

// checkDiff reads the argument of :diff. An error tells why this trace cannot be compared so.
func (c *comparing) checkDiff(args string) (f diffFile, err error) {
	switch f, err = readDiffFile(args); {
	case err != nil:
		return f, err
	case c.m.changes.Diff():
		return f, errors.New("this is a diff of two traces already")
	case c.m.tabs == nil || c.m.tabs.diffs.engine == nil || c.given.Other == nil:
		return f, errors.New("this trace cannot be compared with another")
	case f.path == "-" || f.noise == "-":
		return f, errors.New("the other trace must be a file")
	}
	return f, nil
}

// compareWith compares the trace with that of a file, in a tab of its own; without a path it asks for one.
func (c *comparing) compareWith(args string) tea.Cmd {
	c.m.env.Front.Leave()
	f, err := c.checkDiff(args)
	switch {
	case err != nil:
		return c.m.env.Say(err.Error())
	case f.path == "":
		return c.askFile()
	}
	return c.m.tabs.compareWith(c.m, f)
}

// readIgnored reads the file with filters of differences that do not count, as the command diff does.
func (c *comparing) readIgnored() {
	e := c.m.env
	if e.Trace.Diff == nil {
		return
	}
	beside := e.Trace.File()
	if e.Trace.Diff.Made {
		beside = e.Trace.Diff.Sides[1].Path
	}
	path := diff.FindIgnored(beside)
	if path == "" {
		return
	}
	b, err := os.ReadFile(path)
	if err == nil {
		c.m.changes.Ignored, err = diff.ParseIgnored(path, string(b))
	}
	if err != nil {
		e.Warn("no difference is ignored: " + screen.ErrorLine(err))
	}
}

// readFilter reads the argument of :ignore.
func (c *comparing) readFilter(args string) (e *filter.Expr, err error) {
	if args == "" || args == "-" {
		return nil, nil
	}
	if e, err = filter.Parse(args); err == nil {
		_, err = c.m.changes.Counting(e)
	}
	return e, err
}

// ignore makes differences not count, as :ignore does: it asks for a filter if there is none, and - forgets all.
func (c *comparing) ignore(args string) tea.Cmd {
	e := c.m.env
	e.Front.Leave()
	switch {
	case e.Trace.Diff == nil:
		return e.Say("this trace is no diff of two: nothing to ignore")
	case args == "-":
		e.Say("all differences count")
		return c.m.changes.Count(-1)
	case args == "":
		return c.m.OpenLine(string(keys.Ignore) + " ")
	}
	of, err := c.readFilter(args)
	if err != nil {
		return e.Warn(screen.ErrorLine(err))
	}
	return c.m.changes.Ignore(of)
}

// expandHome returns a path in which ~ is the user's own directory.
func expandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home, err := os.UserHomeDir(); err == nil {
			return home + rest
		}
	}
	return path
}

// mostFiles bounds the files of a directory that complete a path.
const mostFiles = 2000

// completeDiff completes the argument of :diff.
func completeDiff(args string) (from int, with []prompt.Candidate) {
	const noise = " --noise "
	if i := strings.LastIndex(args, noise); i >= 0 {
		from, with = completeFile(args[i+len(noise):])
		return from + i + len(noise), with
	}
	if i := strings.LastIndexByte(args, ' '); i > 0 && strings.HasPrefix(args[i+1:], "-") {
		for _, c := range []prompt.Candidate{
			{Text: "--identity", Help: "which object it is makes a difference"},
			{Text: "--noise", Help: "ignore what also differs between A and another recording of it"},
		} {
			if strings.HasPrefix(c.Text, args[i+1:]) {
				c.Title = c.Text
				with = append(with, c)
			}
		}
		return i + 1, with
	}
	return completeFile(args)
}

// completeFile returns the files and directories whose paths begin with a text.
func completeFile(text string) (from int, with []prompt.Candidate) {
	dir, name := filepath.Split(text)
	path := expandHome(dir)
	if path == "" {
		path = "."
	}
	d, err := os.Open(path)
	if err != nil {
		return 0, nil
	}
	defer d.Close()
	list, _ := d.ReadDir(mostFiles) // what can be read
	for _, entry := range list {
		base := entry.Name()
		if !strings.HasPrefix(base, name) || strings.HasPrefix(base, ".") && name == "" || beside(base) {
			continue
		}
		if entry.IsDir() {
			base += string(filepath.Separator)
		}
		with = append(with, prompt.Candidate{Text: base, Title: base})
	}
	return len(dir), with
}

// beside reports whether a file only belongs to a trace.
func beside(name string) bool {
	for _, suffix := range []string{format.IndexSuffix, format.TimesSuffix, format.NotesSuffix} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// equalPart tells what a row stands for that is equal in both traces, and in a diff made here shows it in A; is is false
// for any other row.
func (c *comparing) equalPart() (cmd tea.Cmd, is bool) {
	calls, events, is := c.m.tree.Equal(c.m.tree.Out.Cursor.Node)
	if !is {
		return nil, false
	}
	if c.pairs != nil {
		return c.openSide("A"), true
	}
	text := display.Plural(calls, "call")
	if calls == 0 {
		text = display.Plural(events, "event")
	}
	return c.m.env.Say(text + ", equal in both traces with everything in them: the diff does not have them"), true
}

// handle returns the handle of the cursor's row; in a diff made here those in A and in B.
func (c *comparing) handle() string {
	n := c.m.tree.Out.Cursor.Node
	if n == nil || n.Point() == nil {
		return ""
	}
	if c.pairs == nil {
		return n.Handle().String()
	}
	in, _ := c.m.tree.SidePlaces(n)
	var parts []string
	for i, at := range in {
		if at != "" {
			parts = append(parts, sideNames[i]+" "+at)
		}
	}
	return strings.Join(parts, "  ")
}

// ofOne are the commands about all that one trace has, which a diff made here has not, and what is kept beside a trace.
var ofOne = map[keys.Name]string{
	keys.Throws: "all exceptions", keys.Callers: "who calls a method", keys.Callees: "what a method calls", keys.Calls: "all calls",
	keys.Col: "all calls", keys.Iterations: "all iterations", keys.History: "a history", keys.State: "the state", keys.Before: "a history",
	keys.After: "a history", keys.Around: "what happened around a row", keys.At: "what threads were in", keys.Log: "a log point", keys.Same: "what another thread did",
	keys.Flame: "the flame", keys.Range: "a range", keys.RangeBegin: "a range", keys.RangeEnd: "a range", keys.Note: "a note", keys.Follow: "following",
}

// refuses tells that a command is not for a diff made here, and what is; is is false if it is.
func (c *comparing) refuses(name keys.Name) (cmd tea.Cmd, is bool) {
	what := ofOne[name]
	if c.pairs == nil || what == "" {
		return nil, false
	}
	c.m.env.Front.Leave()
	return c.m.env.Say("not for a diff: " + what + "; " + keys.ActionKey("go-statement", c.m.env.Glyphs) + " shows the row in B"), true
}

// facts is the overview of a diff made here.
func (c *comparing) facts() []query.OverviewLine {
	list := []query.OverviewLine{{Head: true, Text: "what is compared"}}
	for i, s := range c.m.env.Trace.Diff.Sides {
		list = append(list, query.OverviewLine{Text: sideNames[i] + "  " + s.Path, Command: "side " + sideNames[i]})
	}
	list = append(list, query.OverviewLine{Head: true, Text: "what is different"})
	text := strings.Join(c.m.changes.Text(), " "+c.m.env.Glyphs.Dot+" ")
	list = append(list, query.OverviewLine{Text: text, Command: "changes"})
	for _, text := range c.diffAbout([]string{""}) {
		if text != "" {
			list = append(list, query.OverviewLine{Text: text})
		}
	}
	if len(c.m.changes.Ignored) > 0 {
		list = append(list, query.OverviewLine{Text: c.m.changes.Ignoring()})
	}
	return list
}

// checkSide tells what is wrong with the argument of :side.
func checkSide(args string) error {
	if args != "" && !strings.EqualFold(args, "A") && !strings.EqualFold(args, "B") {
		return errors.New("side takes A or B")
	}
	return nil
}

// openSide shows the place of the cursor's row in A or in B, in its own tab; "" is B, or A if it is only there.
func (c *comparing) openSide(args string) tea.Cmd {
	c.m.env.Front.Leave()
	if c.pairs == nil {
		return c.m.env.Say("this is no diff made here: it is not known where the row is in the two traces")
	}
	pair, ok := c.pairs.Of(c.m.tree.Out.Cursor.Node)
	if !ok {
		return c.m.env.Say("no row that A or B has")
	}
	side := 1
	if strings.EqualFold(args, "A") || args == "" && pair.At[1].At < 0 {
		side = 0
	}
	if pair.At[side].At < 0 {
		return c.m.env.Say("the row is not in " + sideNames[side])
	}
	return c.m.tabs.showSide(c.m, side, func(in *Model) tea.Cmd { return in.compare.showPlace(pair.At[side]) })
}

// comparison is what the trace compares; nil if it is no diff made here.
func (c *comparing) comparison() *tables.Comparison {
	d := c.given.Diff
	if d == nil {
		return nil
	}
	x := &tables.Comparison{Sides: d.Tops, Show: func(side int, method string) tea.Cmd {
		return c.m.tabs.showSide(c.m, side, func(in *Model) tea.Cmd { return in.compare.showCall(d.Tops[side], method) })
	}}
	if d.Timed {
		x.Took = func(event int32) ([2]int64, error) {
			pair, err := d.Pairs.Of(event)
			return pair.Took, err
		}
	}
	return x
}

// showCall goes to the first call of a method on a side of a diff, which is this trace or a part of it.
func (c *comparing) showCall(side query.TopSide, method string) tea.Cmd {
	return c.m.tree.Jobs.ToFound("looking for a call of "+method, func(ctx context.Context, tell lazy.Progress) (at lazy.Position, event int32, err error) {
		p, ok, err := side.FirstCall(ctx, false, method, tell)
		if err == nil && !ok {
			err = errors.New("no call of " + method + " is shown")
		}
		return p.Position, p.Event, err
	}, nil)
}

// showPlace goes to a place in the trace, from a diff.
func (c *comparing) showPlace(at lazy.Position) tea.Cmd {
	return c.m.tree.Jobs.ToPoint(at, -1)
}

// diffAbout tells how large a diff is: of one made here how much is equal, as it does not have all that.
func (c *comparing) diffAbout(stored []string) []string {
	d := c.given.Diff
	if d == nil || d.Equal[1] == 0 {
		return stored
	}
	list := []string{display.Share(d.Equal[0], d.Equal[1]) + " of calls equal", stored[0]}
	if d.Quiet > 0 {
		list = append([]string{display.Grouped(d.Quiet) + " ignored, as in " + filepath.Base(d.Noise)}, list...)
	}
	return list
}
