package ui

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
	"tracex/ui/internal/answer"
	"tracex/ui/internal/command"
	"tracex/ui/internal/env"
	"tracex/ui/internal/front"
	"tracex/ui/internal/job"
	"tracex/ui/internal/list"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/sheet"
	"tracex/ui/internal/tracestate"
	"tracex/ui/internal/tree"
)

// stepping is the steps that edit the tree, and the answers, with their keys and commands.
type stepping struct {
	env      *env.Env
	keyboard *keyboard
	trace    *tracestate.State
	tree     *tree.Part
	jobs     *job.Part
	front    *front.Front
	filter   func() *filter.Expr // of the tree; nil if there is none
	unfilter func() bool         // shows all rows of the tree, and reports whether it was filtered

	list   query.Steps
	edited editedTree
}

func (s *stepping) commands() []command.Command {
	list := []command.Command{}
	for kind, help := range [...]string{
		query.Focus:     "only what is below the call, or below calls: they become roots",
		query.Merge:     "leave calls out, their own time becomes their callers': a method, a filter, kind=loop; or asks",
		query.Drop:      "leave calls out with everything below them, and with their time, or kind=array; or asks",
		query.Only:      "only my code: merge all calls but these, with their reads and writes: pkg=com.shop.*",
		query.Recursion: "collapse the recursion of a method: its calls within one another are one",
	} {
		kind := query.StepKind(kind)
		list = append(list, command.Command{
			Name: kind.String(), Group: groupAnswer, Args: "[CALLS]", Help: help,
			Check: func(args string) error {
				if args == "" {
					return nil
				}
				_, err := query.ParseStep(kind, args)
				return err
			},
			Run: func(args string) tea.Cmd {
				if args == "" {
					return s.here(kind)
				}
				return s.typed(kind, args)
			},
		})
	}
	list[query.Recursion].Args = "[METHOD]"
	return append(list,
		command.Command{Name: "undo-step", Group: groupAnswer, Help: "undo the last of focus, merge, drop, only", Run: func(string) tea.Cmd { return s.undo() }},
		command.Command{Name: "steps", Group: groupAnswer, Help: "list of the steps in force: focus, merge, drop …", Run: func(string) tea.Cmd { return s.show() }})
}

// typed adds a step that was typed.
func (s *stepping) typed(kind query.StepKind, text string) tea.Cmd {
	step, err := query.ParseStep(kind, text)
	if err == nil {
		err = step.Check(s.trace.Reader)
	}
	if err != nil {
		s.refuse(err)
		return nil
	}
	return s.add(step)
}

// refuse tells why a step is not possible.
func (s *stepping) refuse(err error) {
	text := screen.ErrorLine(err)
	var none *query.NoMethodError
	if errors.As(err, &none) && len(none.Near) > 0 {
		text += "; the nearest: " + strings.Join(none.Near, ", ")
	}
	s.env.Warn(text)
}

// add adds a step.
func (s *stepping) add(step query.Step) tea.Cmd {
	s.list = append(slices.Clone(s.list), step)
	s.env.Say(step.String() + ": " + screen.ActionKey("undo-step", s.env.Glyphs) + " undoes it")
	s.focusTree()
	return nil
}

// replace puts another step in the place of one.
func (s *stepping) replace(i int, step query.Step) {
	s.list = slices.Clone(s.list)
	s.list[i] = step
	s.env.Say(step.String() + ": " + screen.ActionKey("undo-step", s.env.Glyphs) + " undoes the last step")
	s.focusTree()
}

// undo removes the last step.
func (s *stepping) undo() tea.Cmd {
	if len(s.list) == 0 {
		s.env.Say("no step is in force")
		return nil
	}
	s.remove(len(s.list) - 1)
	return nil
}

// remove removes a step.
func (s *stepping) remove(i int) {
	s.env.Say("undone: " + s.list[i].String())
	s.list = slices.Delete(slices.Clone(s.list), i, i+1)
	s.focusTree()
}

// show lists the steps. Enter removes one.
func (s *stepping) show() tea.Cmd {
	if len(s.list) == 0 {
		s.env.Say("no step is in force")
		return nil
	}
	steps := s.list
	s.front.Show(&list.List{
		Title: screen.Plural(int64(len(steps)), "step") + ", in their order", Keys: "Enter undoes it", Choosable: true,
		Len: func() int { return len(steps) },
		Item: func(i int) list.Item {
			return list.Item{Cells: []list.Cell{{Text: steps[i].Kind.String() + " ", Style: screen.Accent, At: 2}, {Text: steps[i].Text, Style: screen.Plain, At: 13}}}
		},
	}, func(i int) tea.Cmd {
		if i < len(s.list) {
			s.remove(i)
		}
		return nil
	})
	return nil
}

// edited is an answer that can be made again with other steps.
type edited interface {
	Edit(steps query.Steps, filter *filter.Expr) (tea.Cmd, error)
}

// ofTable returns the keys of a table that add steps about a row's method, and make its answer again.
func (s *stepping) ofTable(src edited) []sheet.Action {
	on := func(kind query.StepKind) func(t *table.Table, row int) tea.Cmd {
		return func(t *table.Table, row int) tea.Cmd {
			about := subject{method: answer.RowOf(t, row).Call()}
			class, name, ok := answer.RowOf(t, row).Method()
			if !ok {
				s.env.Say("this row is no method")
				return nil
			}
			about.class = class
			if short := shortName(s.trace.Reader, class, name); short != "" {
				about.method = short
			}
			return s.ask(kind, about, func(step query.Step) tea.Cmd { return tea.Batch(s.add(step), s.again(src)) })
		}
	}
	return append([]sheet.Action{
		{Key: "z", Help: "focus: the outermost calls of the method become roots", Do: on(query.Focus)},
		{Key: "-", Brief: "merge", Help: "merge away: the method, its class, package or library, or all but its library; loops", Do: on(query.Merge)},
		{Key: "_", Help: "drop calls with everything below them", Do: on(query.Drop)},
	}, s.undoing(src)...)
}

// undoing returns the keys of a table that undo the last step, and end the filter of the tree.
func (s *stepping) undoing(src edited) []sheet.Action {
	return []sheet.Action{
		{Key: "Z", Always: true, Help: "undo the last step: focus, merge, drop, only", Do: func(*table.Table, int) tea.Cmd {
			return tea.Batch(s.undo(), s.again(src))
		}},
		{Key: "backspace", Always: true, Help: "end the filter of the tree: count all rows", Do: func(*table.Table, int) tea.Cmd {
			if !s.unfilter() {
				s.env.Say("no filter is in force")
				return nil
			}
			return s.again(src)
		}},
	}
}

// again makes an answer again with the steps in force.
func (s *stepping) again(src edited) tea.Cmd {
	run, err := src.Edit(s.list, s.filter())
	if err != nil {
		s.refuse(err)
	}
	return run
}

// shortName returns the name of the only method with the names of a row; "" if there are several.
func shortName(r *lazy.LazyTraceReader, class, method string) (name string) {
	id := int32(-1)
	r.WithContext(func(c *format.Context) {
		for m := range c.Methods() {
			if m.Name != method {
				continue
			}
			if of := c.Class(m.ClassID); of == nil || of.Name != class {
				continue
			}
			if id >= 0 {
				id = -1
				return
			}
			id = m.ID
		}
	})
	if id < 0 {
		return ""
	}
	name, _ = namesOf(r, id)
	return name
}

// focus returns the index of the step that the tree shows, and its place; -1 if there is none.
func (s *stepping) focus() (at int, h lazy.Handle) {
	for i := len(s.list) - 1; i >= 0; i-- {
		if h, ok := s.list[i].Place(); ok && s.list[i].Kind == query.Focus {
			return i, h
		}
	}
	return -1, h
}

// focusTree makes the last focus on a row the root of the tree. A cursor that has gone elsewhere, to a
// hit or a mark, ends the focus.
func (s *stepping) focusTree() {
	t := s.tree.Out.Tree
	root := t.Focused()
	at, h := s.focus()
	if at < 0 {
		if root != nil {
			t.Focus(nil)
		}
		return
	}
	if root == nil || root.Handle() != h {
		t.Focus(s.around(h))
		return
	}
	if t.InFocus(s.tree.Out.Cursor) {
		return
	}
	s.env.Say("this is outside of " + h.String() + ": the focus ends")
	if to, ok := s.jobs.Meant(); ok {
		s.edited.to = &to // the tree may not show it yet
	}
	var to *lazy.Node
	for at >= 0 && to == nil {
		s.list = slices.Delete(slices.Clone(s.list), at, at+1)
		if at, h = s.focus(); at >= 0 {
			to = s.around(h)
		}
	}
	t.Focus(to)
}

// around returns the node with a handle that the cursor is in; nil if it is in none.
func (s *stepping) around(h lazy.Handle) *lazy.Node {
	n := s.tree.Out.Cursor.Node
	if n == nil {
		n = s.tree.Out.Cursor.Parent
	}
	for ; n != nil; n = n.Parent() {
		if !n.IsThread() && n.Handle() == h {
			return n
		}
	}
	return nil
}

// text describes the steps for the line above the tree, and tells what the tree does not show.
func (s *stepping) text() (left, right string) {
	if len(s.list) == 0 {
		return "", ""
	}
	g := s.env.Glyphs
	left = " steps  " + s.list.Text(g)
	right = screen.ActionKey("undo-step", g) + " undoes "
	switch {
	case s.pending():
		right = "not in the tree yet  " + right
	case s.ranged() && len(s.list) == 1:
		right = "in tables, not in the tree  " + right
	case s.ranged():
		right = "the range only in tables  " + right
	}
	return left, right
}

// saved returns the steps for a session.
func (s *stepping) saved() (list []string) {
	for _, step := range s.list {
		list = append(list, step.Kind.String()+" "+step.Text)
	}
	return list
}

// restore takes over the steps of a session. One that cannot be read is left out with those after it.
func (s *stepping) restore(list []string) {
	for _, text := range list {
		word, rest, _ := strings.Cut(text, " ")
		kind := slices.Index(query.StepKinds[:], word)
		if kind < 0 {
			return
		}
		step, err := query.ParseStep(query.StepKind(kind), rest)
		if err != nil {
			return
		}
		s.list = append(s.list, step)
	}
}
