package ui

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/tree"
)

// LiveDiff is what a trace compares that the explorer has made.
type LiveDiff struct {
	Names [2]string // of A and B
	Pairs tree.PairSource
	Timed bool     // both have times
	Equal [2]int64 // how many calls of both are equal, of how many
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
	for i := range c.m.tabs.list {
		if other := &c.m.tabs.list[i]; other.model != c.m && other.diff == nil && other.err == nil {
			p.Propose(other.trace.Path())
			break
		}
	}
	return c.m.env.Front.Ask(&env.Question{
		Prompt: p,
		Typed:  func(prompt.Text) tea.Cmd { return c.m.env.Say("") },
		Refuse: func(t prompt.Text) string {
			if err := c.checkDiff(strings.TrimSpace(t.Text)); err != nil {
				return err.Error()
			}
			return ""
		},
		Submit: func(t prompt.Text) tea.Cmd { return c.compareWith(strings.TrimSpace(t.Text)) },
	})
}

// checkDiff tells why this trace cannot be compared with a file.
func (c *comparing) checkDiff(path string) error {
	switch {
	case c.m.changes.Diff():
		return errors.New("this is a diff of two traces already")
	case c.m.tabs == nil || c.m.tabs.diffs.engine == nil || c.given.Other == nil:
		return errors.New("this trace cannot be compared with another")
	case path == "-":
		return errors.New("the other trace must be a file")
	}
	return nil
}

// compareWith compares the trace with that of a file, in a tab of its own; without a path it asks for one.
func (c *comparing) compareWith(path string) tea.Cmd {
	c.m.env.Front.Leave()
	if path == "" {
		return c.askFile()
	}
	if err := c.checkDiff(path); err != nil {
		return c.m.env.Say(err.Error())
	}
	return c.m.tabs.compareWith(c.m, expandHome(path))
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
	calls, events, is := c.equalHere()
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

// equalHere returns how many calls and siblings the cursor's row stands for; ok is false for any other row.
func (c *comparing) equalHere() (calls, siblings int64, ok bool) {
	n := c.m.tree.Out.Cursor.Node
	if c.m.env.Trace.Diff == nil || n == nil || n.Point() == nil {
		return 0, 0, false
	}
	c.m.env.Trace.Reader.WithContext(func(x *format.Context) { calls, siblings, ok = format.EqualRow(x, n.Point()) })
	return calls, siblings, ok
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
	return c.m.tabs.showSide(c.m, side, pair.At[side])
}

// showPlace goes to a place in the trace, from a diff.
func (c *comparing) showPlace(at lazy.Position) tea.Cmd {
	c.m.env.Keyboard.Touched, c.m.env.Keyboard.Used = true, true
	c.m.env.Front.CloseLists()
	return c.m.tree.Jobs.ToPoint(at, -1)
}

// diffAbout tells how large a diff is: of one made here how much is equal, as it does not have all that.
func (c *comparing) diffAbout(stored []string) []string {
	d := c.given.Diff
	if d == nil || d.Equal[1] == 0 {
		return stored
	}
	return []string{display.Share(d.Equal[0], d.Equal[1]) + " of calls equal", stored[0]}
}
