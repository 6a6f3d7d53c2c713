package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
	"tracex/ui/internal/answer"
	"tracex/ui/internal/command"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/sheet"
)

// answers returns the commands that take arguments. One with the name of an action of the key map
// takes its place, and is shown with its keys. They open a table with showTable, over what is in
// front, and do not close lists.
func (m *Model) answers() []command.Command {
	paths := func(name, help string, callees bool) command.Command {
		return command.Command{
			Name: name, Group: groupAnswer, Args: "[METHOD]", Help: help,
			Run: func(method string) tea.Cmd { return m.paths(method, callees, nil) },
		}
	}
	return []command.Command{
		{
			Name: "top", Group: groupAnswer, Args: "[here] [by " + strings.Join(query.Bys[:], "|") + "]", Help: "where the time goes; here: below the cursor",
			Check:    func(args string) error { _, _, err := topArguments(args); return err },
			Complete: completeTop,
			Run: func(args string) tea.Cmd {
				by, here, err := topArguments(args)
				if err != nil {
					m.env.Warn(err.Error())
					return nil
				}
				return m.topOf(by, here)
			},
		},
		{Name: "throws", Group: groupAnswer, Help: "exceptions: where they were thrown and caught", Run: func(string) tea.Cmd { return m.throws(0) }},
		paths("callers", "who calls a method, or that of the cursor", false),
		paths("callees", "what a method calls, or that of the cursor", true),
	}
}

// topArguments reads the arguments of the command top.
func topArguments(args string) (by query.By, here bool, err error) {
	words := strings.Fields(args)
	for i, word := range words {
		b, ok := query.ParseBy(word)
		switch {
		case ok:
			by = b
		case word == "here":
			here = true
		case word != "by" || i == len(words)-1:
			return 0, false, errors.New("top takes here, and by with one of " + strings.Join(query.Bys[:], ", ") + ": not " + word)
		}
	}
	return by, here, nil
}

// completeTop completes the last word of the arguments of the command top.
func completeTop(args string) (from int, with []prompt.Candidate) {
	from = strings.LastIndexByte(args, ' ') + 1
	words := []string{"here", "by "}
	if before := strings.Fields(args[:from]); len(before) > 0 && before[len(before)-1] == "by" {
		words = query.Bys[:]
	}
	for _, word := range words {
		if strings.HasPrefix(word, args[from:]) {
			with = append(with, prompt.Candidate{Text: word, Title: strings.TrimSpace(word)})
		}
	}
	return from, with
}

// asked returns what an answer is about: the whole trace in the view of the tree, or what is below
// a row.
func (m *Model) asked(below *lazy.Handle) answer.Of {
	return answer.Of{R: m.trace.Reader, Raw: !m.tree.Out.Tree.Folded(), Below: below, G: m.env.Glyphs}
}

// top shows where the time of the whole trace goes.
func (m *Model) top(int) tea.Cmd { return m.topOf(query.ByMethod, false) }

// topOf shows where the time goes, in the whole trace or below the cursor.
func (m *Model) topOf(by query.By, here bool) tea.Cmd {
	var below *lazy.Handle
	if here {
		n := m.tree.Out.Cursor.Node
		if n == nil {
			m.env.Say("the row is not loaded: nothing is known below it")
			return nil
		}
		h := n.Handle()
		below = &h
	}
	t, run := answer.NewTop(m.env.Life, m.asked(below), by)
	return tea.Batch(m.showTable(t, m.toCall(""), m.toCallers(below)), run)
}

// throws shows the exceptions.
func (m *Model) throws(int) tea.Cmd {
	t, run := answer.NewThrows(m.env.Life, m.asked(nil))
	return tea.Batch(m.showTable(t, sheet.Action{
		Key: "enter", Brief: "go to the first", Help: "go to the first of them", Leaves: true,
		Do: func(t *table.Table, row int) tea.Cmd {
			if event, ok := answer.RowOf(t, row).Event(); ok {
				return m.jobs.ToHandle(lazy.EventHandle(event), nil)
			}
			return nil
		},
	}), run)
}

// callers shows who calls the method of the cursor's row.
func (m *Model) callers(int) tea.Cmd { return m.paths("", false, nil) }

// paths shows callers or callees of a method, or of that under the cursor if method is "".
func (m *Model) paths(method string, callees bool, below *lazy.Handle) tea.Cmd {
	if method == "" {
		if method = m.methodHere(); method == "" {
			m.env.Say("no call under the cursor")
			return nil
		}
	}
	p, run, err := answer.NewPaths(m.env.Life, m.asked(below), method, callees)
	if err != nil {
		m.noMethod(err)
		return nil
	}
	flip := sheet.Action{Key: "tab", Brief: "callers/callees", Help: "what it calls, or who calls it", Always: true, Do: func(*table.Table, int) tea.Cmd {
		run, err := p.Flip()
		if err != nil {
			m.noMethod(err)
		}
		return run
	}}
	return tea.Batch(m.showTable(p, m.toCall(method), m.toCallers(below), flip), run)
}

// methodHere returns the method of the call under the cursor; "" if there is none.
func (m *Model) methodHere() string {
	n := m.tree.Out.Cursor.Node
	if n == nil || n.Point() == nil || n.Point().Class != format.ClassCall {
		return ""
	}
	return answer.Name(m.trace.Reader, n.Point().Ref)
}

// noMethod tells that the trace has no such method, and which are spelled alike.
func (m *Model) noMethod(err error) {
	text := screen.ErrorLine(err)
	var none *query.NoMethodError
	if errors.As(err, &none) && len(none.Near) > 0 {
		text += "; the nearest: " + strings.Join(none.Near, ", ")
	}
	m.env.Warn(text)
}

// toCall returns the key that goes to the next call of a row's method. A first row without one is
// about the method asked for, with the full name of its class.
func (m *Model) toCall(asked string) sheet.Action {
	do := func(t *table.Table, row int) tea.Cmd { return m.goToCall(t, row, asked) }
	return sheet.Action{Key: "enter", Brief: "next call", Help: "go to the next call of the method; n there: the one after", Leaves: true, Do: do}
}

// goToCall goes to the next call of a row's method, or to the row's thread.
func (m *Model) goToCall(t *table.Table, row int, asked string) tea.Cmd {
	r := answer.RowOf(t, row)
	class, method, ok := r.Method()
	if !ok && row == 0 && asked != "" {
		name, _, _ := strings.Cut(asked, "(")
		at := strings.LastIndexByte(name, '.')
		class, method, ok = name[:max(at, 0)], name[at+1:], true
	}
	if thread, is := r.Thread(); is {
		m.tree.ToThread(int32(thread - 1))
		return nil
	}
	if !ok {
		m.env.Say("this row is no method: it has no calls to go to")
		return nil
	}
	what := m.search.LikeMethod(class, method)
	if what == nil {
		m.env.Say("this row is no single method: type / to search for its calls")
		return nil
	}
	from, ok := m.tree.Out.Here()
	if !ok {
		return nil
	}
	m.tree.Visit()
	return m.found(m.search.Same(what, from, 1, m.searchFacts()))
}

// toCallers returns the key that shows the callers of a row's method.
func (m *Model) toCallers(below *lazy.Handle) sheet.Action {
	return sheet.Action{Key: "w", Brief: "callers", Help: "who calls the method", Do: func(t *table.Table, row int) tea.Cmd {
		method := answer.RowOf(t, row).Call()
		if method == "" {
			m.env.Say("this row is no method: it has no callers")
			return nil
		}
		return m.paths(method, false, below)
	}}
}
