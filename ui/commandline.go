package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tables"
	"tracex/ui/internal/theme"
	"tracex/ui/internal/tree"
)

// run does a command that was typed, with arguments that check has accepted. All but answers close the list in front.
func (m *Model) run(c keys.Name, args string) tea.Cmd {
	if cmd, is := m.compare.refuses(c); is {
		return cmd
	}
	switch c {
	case keys.GoTo:
		m.env.Front.Leave()
		return m.tree.Jobs.GoTo(tree.ParseAddress(args))
	case keys.Search:
		return m.search.Run(args)
	case keys.Filter, keys.Find:
		return m.filter.Run(args)
	case keys.Same:
		id, _ := tables.ThreadNamed(m.env.Trace.Reader, args)
		return m.tree.Jobs.ToMoment(id)
	case keys.Export, keys.ExportOver:
		return m.exports.Run(args, c == keys.ExportOver)
	case keys.Commands:
		return m.listCommands()
	case keys.Theme:
		return m.themes.run(args)
	case keys.Panes:
		m.env.Front.Leave()
		if args == "" {
			return m.panes.ask()
		}
		return m.panes.change(args)
	case keys.Columns:
		m.env.Front.Leave()
		return m.tree.Columns.Set(args)
	case keys.Messages:
		return m.listMessages()
	case keys.Tab:
		return m.tabs.pick(m.env, args)
	case keys.Close:
		m.env.Front.Leave()
		return m.tabs.closeTab(m.env, args)
	}
	if m.env.Keyboard.Keys.Named(c).Group == keys.GroupAnswer {
		return m.doAnswer(c, args)
	}
	n, _ := keys.ParseNumber(args)
	m.env.Front.Leave()
	return m.perform(c, n)
}

// doAnswer answers a question about the trace, with the arguments typed; "" if there are none.
func (m *Model) doAnswer(c keys.Name, args string) tea.Cmd {
	switch c {
	case keys.Top:
		return m.answers.Top(args)
	case keys.Throws:
		return m.answers.Throws(args)
	case keys.Callers, keys.Callees:
		return m.answers.Paths(args, c == keys.Callees)
	case keys.Calls:
		return m.answers.Calls(args)
	case keys.Col:
		return m.answers.Column(args)
	case keys.Iterations:
		return m.answers.Iterations()
	case keys.History:
		return m.answers.History(args)
	case keys.State:
		return m.answers.State()
	case keys.Before, keys.After:
		return m.answers.AtCursor(c)
	case keys.Around:
		return m.answers.Around(args)
	case keys.At:
		return m.answers.At(tree.ParseAddress(args))
	case keys.Log:
		return m.answers.Log(args)
	case keys.Focus, keys.Merge, keys.Drop, keys.Only, keys.Recursion:
		return m.steps.Run(tree.StepKind(c), args)
	case keys.UndoStep:
		return m.steps.Undo()
	case keys.Steps:
		return m.steps.Show()
	case keys.Compare:
		return m.compare.rows(args)
	case keys.Changes:
		return m.answers.Changes()
	case keys.Diff:
		return m.compare.compareWith(args)
	case keys.Ignore:
		return m.compare.ignore(args)
	case keys.Side:
		return m.compare.openSide(args)
	case keys.Flame:
		return m.flames.Next()
	case keys.Range:
		return m.flames.Run(args)
	case keys.RangeBegin, keys.RangeEnd:
		return m.flames.Here(c == keys.RangeBegin)
	}
	panic("no answer " + c)
}

// check tells what is wrong with the arguments of a command. The line then stays open.
func (m *Model) check(c keys.Name, args string) (err error) {
	switch c {
	case keys.GoTo:
		if a := tree.ParseAddress(args); a.Kind == tree.Unknown || a.Kind == tree.Nothing {
			return errors.New("no place " + args + ": type an event (1204), a position (50%), a thread (t3), a goroutine (g45) or a time (748ms)")
		}
	case keys.Filter, keys.Find, keys.Around:
		_, err = m.filter.Parse(args)
	case keys.At:
		if a := tree.ParseAddress(args); a.Kind != tree.Nothing && a.Kind != tree.Time && a.Kind != tree.Event && a.Kind != tree.Place {
			return errors.New("no moment " + args + ": type a time (1.2s), or an event that began then (#1204)")
		}
	case keys.Same:
		_, err = tables.ThreadNamed(m.env.Trace.Reader, args)
	case keys.Export, keys.ExportOver:
		return m.exports.Check(args)
	case keys.Top:
		_, err = m.answers.ReadTop(args)
	case keys.Throws:
		_, err = m.answers.ReadThrows(args)
	case keys.Callers, keys.Callees:
		_, _, err = m.answers.Arguments(args)
	case keys.Log:
		return m.answers.CheckLog(args)
	case keys.Focus, keys.Merge, keys.Drop, keys.Only, keys.Recursion:
		if args != "" {
			_, err = query.ParseStep(tree.StepKind(c), args)
		}
	case keys.Compare:
		_, err = m.compare.comparedRows(args)
	case keys.Diff:
		_, err = m.compare.checkDiff(args)
	case keys.Ignore:
		_, err = m.compare.readFilter(args)
	case keys.Side:
		return checkSide(args)
	case keys.Range:
		_, err = m.steps.Read(query.Range, args)
	case keys.Theme:
		return m.themes.check(args)
	case keys.Columns:
		_, err = tree.ReadColumns(args)
	case keys.Panes:
		return checkPanes(args)
	case keys.Tab, keys.Close:
		if m.tabs != nil && len(m.tabs.list) > 1 {
			_, err = m.tabs.find(args)
		}
	}
	return err
}

// complete returns texts for the end of the arguments of a command, as typed so far: they replace args[from:].
func (m *Model) complete(c keys.Name, args string) (from int, with []prompt.Candidate) {
	switch c {
	case keys.Filter, keys.Find, keys.Around, keys.Log:
		return m.filter.Complete(args)
	case keys.GoTo, keys.Same:
		return 0, m.tree.Jobs.CompleteGoroutine(args)
	case keys.Export, keys.ExportOver:
		return m.exports.Complete(args)
	case keys.Top:
		return m.answers.CompleteTop(args)
	case keys.Throws:
		return m.answers.CompleteWhere(args, "where ")
	case keys.Callers, keys.Callees:
		return m.answers.CompleteMethod(args)
	case keys.Calls:
		return m.answers.CompleteCalls(args)
	case keys.Col:
		return m.answers.CompleteColumn(args)
	case keys.History:
		return 0, m.answers.CompleteNames(args, "field", "var")
	case keys.Theme:
		return m.themes.complete(args)
	case keys.Columns:
		return tree.CompleteColumns(args)
	case keys.Panes:
		return completePanes(args)
	case keys.Tab, keys.Close:
		return m.tabs.complete(args)
	case keys.Diff:
		return completeDiff(args)
	case keys.Ignore:
		return m.filter.Complete(args)
	}
	return 0, nil
}

// parseLine reads a line: a command with its arguments, which it checks, or a place to go to; "" is none. A place may be
// an address as commands take it, with the name of this trace.
func (m *Model) parseLine(line string) (c keys.Name, args string, err error) {
	for _, name := range []string{m.env.Trace.File(), m.env.Trace.Name()} {
		if at, ok := strings.CutPrefix(strings.Trim(line, " '"), name); ok && strings.IndexAny(at, "#@") == 0 {
			line = at
		}
	}
	switch tree.ParseAddress(line).Kind {
	case tree.Nothing:
		return "", "", nil
	case tree.Unknown:
		of, args, err := m.env.Keyboard.Keys.Parse(line)
		if err != nil {
			return "", "", err
		}
		return of.Name, args, m.check(of.Name, args)
	}
	return keys.GoTo, line, nil
}

// completeLine completes the word of a line, or the arguments after it: see [prompt.Completer].
func (m *Model) completeLine(line string) (from int, with []prompt.Candidate) {
	c, at := m.env.Keyboard.Keys.Arguments(line)
	switch {
	case tree.ParseAddress(line).Kind == tree.Goroutine:
		return 0, m.tree.Jobs.CompleteGoroutine(line)
	case c == nil:
		return m.env.Keyboard.Keys.Complete(line)
	}
	from, with = m.complete(c.Name, line[at:])
	return at + from, with
}

// OpenLine opens the command line with a text in it.
func (m *Model) OpenLine(text string) tea.Cmd {
	p := m.env.Front.Typed.Open(":", "a place (1204, #1204, 50%, t3, g45, 748ms) or a command; "+keys.KeyName("tab", m.env.Glyphs)+" lists them")
	p.Complete(m.completeLine)
	if text != "" {
		p.Paste(tea.PasteMsg{Content: text})
	}
	return m.env.Front.Ask(m.line(p))
}

// openPalette opens the command line over the tree, with all commands below it.
func (m *Model) openPalette() tea.Cmd {
	q := m.line(m.env.Front.Typed.Open(":", "a few letters of a command").Complete(m.completeLine).Float())
	q.Title = "commands"
	return m.env.Front.Ask(q)
}

// line returns the question for a line, which a prompt edits.
func (m *Model) line(p *prompt.Prompt) *env.Question {
	return &env.Question{
		Prompt: p,
		Typed:  func(prompt.Text) tea.Cmd { return m.env.Say("") },
		Refuse: func(t prompt.Text) string {
			if _, _, err := m.parseLine(t.Text); err != nil {
				return err.Error()
			}
			return ""
		},
		Submit: func(t prompt.Text) tea.Cmd {
			if c, args, err := m.parseLine(t.Text); err == nil && c != "" {
				if c != keys.Palette {
					m.env.Keyboard.Keys.Ran(c)
				}
				return m.run(c, args)
			}
			return nil
		},
	}
}

// listCommands shows all commands. Enter runs one, or opens the command line for its arguments.
func (m *Model) listCommands() tea.Cmd {
	commands := m.env.Keyboard.Keys.Line()
	g := m.env.Glyphs
	at, wide := 0, 0
	for _, c := range commands {
		at = max(at, len(c.Typed()))
		wide = max(wide, g.TextWidth(c.Does()+g.CutEnd(c.Key.Help().Key, 14)))
	}
	list := &prompt.List{
		Title: fmt.Sprintf("%d commands", len(commands)), Keys: "Enter runs it", Choosable: true,
		Len: func() int { return len(commands) },
		Item: func(i int) prompt.Item {
			c := commands[i]
			key, width := g.CutEnd(c.Key.Help().Key, 14), m.env.Front.Area.Width-1
			return prompt.Item{Whole: c.Args, Cells: []prompt.Cell{
				{Text: ":" + c.Typed(), Style: theme.Accent, At: 2},
				{Text: c.Does(), Style: theme.Plain, At: at + 5, Width: width - at - 7 - g.TextWidth(key)},
				{Text: key, Style: theme.Faint, At: width - g.TextWidth(key)},
			}}
		},
		Wide:  func() int { return at + wide + 8 },
		Lower: 1,
	}
	list.Below = func() []string {
		usage := ""
		if i, ok := list.Cursor(); ok && commands[i].Args != "" {
			usage = " :" + commands[i].Typed() + " " + commands[i].Args + " "
		}
		width := m.env.Front.Area.Width
		return []string{screen.Titled("", g.CutEnd(usage, width-4), width, g)}
	}
	m.env.Front.Push(list, func(i int) tea.Cmd {
		if c := commands[i]; c.Args == "" {
			return m.run(c.Name, "")
		}
		return m.OpenLine(commands[i].Typed() + " ")
	})
	return nil
}

// listMessages shows what is wrong with the trace and the messages so far, the newest first, each whole.
func (m *Model) listMessages() tea.Cmd {
	var items []prompt.Item
	add := func(text string, role theme.Role) {
		for at := 2; text != ""; at = 4 {
			var line string
			line, text = m.env.Glyphs.TakeWords(text, max(20, min(m.env.Width, screen.FloatWidth(m.env.Width))-at-2))
			items = append(items, prompt.Item{Cells: []prompt.Cell{{Text: line, Style: role, At: at}}})
		}
	}
	for _, text := range m.env.Trace.Troubles(m.env.Glyphs) {
		add(text, theme.Alarm)
	}
	for _, text := range slices.Backward(m.env.Status.Past) {
		add(text, theme.Plain)
	}
	if len(items) == 0 {
		return m.env.Say("no messages so far")
	}
	m.env.Front.Push(prompt.NewLines("messages", items), nil)
	return nil
}

// leaveOverview goes where line i of the overview leads.
func (m *Model) leaveOverview(i int) tea.Cmd {
	cmd, command := m.overview.Go(i)
	if command == "" {
		return cmd
	}
	m.env.Front.Return() // what the line opens is closed by Esc to show the overview again
	c, args, err := m.parseLine(command)
	if err != nil {
		m.env.Fail("cannot run :"+command, err)
		return nil
	}
	return m.run(c, args)
}
