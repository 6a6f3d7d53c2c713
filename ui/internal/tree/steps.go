package tree

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// Steps is the steps that edit the tree, and the answers.
type Steps struct {
	List   query.Steps
	edited editedTree

	env  *env.Env
	tree *Tree
}

// StepKind returns the kind of steps with a name, which there must be; the command that adds one has it, too.
func StepKind[N ~string](name N) query.StepKind {
	return query.StepKind(slices.Index(query.StepKinds[:], string(name)))
}

// Run adds a step that was typed, or without arguments one about the cursor's row.
func (s *Steps) Run(kind query.StepKind, args string) tea.Cmd {
	if args == "" {
		return s.here(kind)
	}
	return s.parse(kind, args, s.Add)
}

// Read reads a step that was typed, and checks it against the trace.
func (s *Steps) Read(kind query.StepKind, text string) (step query.Step, err error) {
	if step, err = query.ParseStep(kind, text); err == nil {
		err = step.Check(s.env.Trace.Reader)
	}
	return step, err
}

// parse adds a step that was typed.
func (s *Steps) parse(kind query.StepKind, text string, add func(query.Step) tea.Cmd) tea.Cmd {
	step, err := s.Read(kind, text)
	if err != nil {
		return s.Refuse(err)
	}
	return add(step)
}

// Refuse tells why a step or an answer is not possible. It returns no command.
func (s *Steps) Refuse(err error) tea.Cmd {
	text := screen.ErrorLine(err)
	if hint := query.Hint(err); hint != "" {
		text += "; " + hint
	}
	return s.env.Warn(text)
}

func (s *Steps) Add(step query.Step) tea.Cmd {
	s.set(append(slices.Clone(s.List), step), step.String()+": "+keys.ActionKey("undo-step", s.env.Glyphs)+" undoes it")
	return nil
}

// set puts other steps in force, and says something.
func (s *Steps) set(list query.Steps, text string) {
	s.List = list
	s.env.Say(text)
	s.focusTree()
}

// Replace puts another step in the place of one.
func (s *Steps) Replace(i int, step query.Step) {
	list := slices.Clone(s.List)
	list[i] = step
	s.set(list, step.String()+": "+keys.ActionKey("undo-step", s.env.Glyphs)+" undoes the last step")
}

func (s *Steps) Undo() tea.Cmd {
	if len(s.List) == 0 {
		return s.env.Say("no step is in force")
	}
	s.Remove(len(s.List) - 1)
	return nil
}

func (s *Steps) Remove(i int) {
	s.set(slices.Delete(slices.Clone(s.List), i, i+1), "undone: "+s.List[i].String())
}

// Show lists the steps. Enter removes one.
func (s *Steps) Show() tea.Cmd {
	if len(s.List) == 0 {
		return s.env.Say("no step is in force")
	}
	steps, title := s.List, display.Plural(int64(len(s.List)), "step")
	if len(steps) > 1 {
		title += ", in their order"
	}
	s.env.Front.Show(&prompt.List{
		Title: title, Keys: "Enter undoes it", Choosable: true,
		Len: func() int { return len(steps) },
		Item: func(i int) prompt.Item {
			return prompt.Item{Cells: []prompt.Cell{{Text: steps[i].Kind.String() + " ", Style: theme.Accent, At: 2}, {Text: steps[i].Text, Style: theme.Plain, At: 13}}}
		},
	}, func(i int) tea.Cmd {
		if i < len(s.List) {
			s.Remove(i)
		}
		return nil
	})
	return nil
}

// focus returns the index of the step that the tree shows, and its place; -1 if there is none.
func (s *Steps) focus() (at int, h lazy.Handle) {
	for i := len(s.List) - 1; i >= 0; i-- {
		if h, ok := s.List[i].Place(); ok && s.List[i].Kind == query.Focus {
			return i, h
		}
	}
	return -1, h
}

// focusTree makes the last focus on a row the root of the tree. A cursor that has gone elsewhere ends the focus.
func (s *Steps) focusTree() {
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
	if to, ok := s.tree.Jobs.meant(); ok {
		s.edited.to = &to // the tree may not show it yet
	}
	var to *lazy.Node
	for at >= 0 && to == nil {
		s.List = slices.Delete(slices.Clone(s.List), at, at+1)
		if at, h = s.focus(); at >= 0 {
			to = s.around(h)
		}
	}
	t.Focus(to)
}

// around returns the node with a handle that the cursor is in; nil if it is in none.
func (s *Steps) around(h lazy.Handle) *lazy.Node {
	for n := cmp.Or(s.tree.Out.Cursor.Node, s.tree.Out.Cursor.Parent); n != nil; n = n.Parent() {
		if !n.IsThread() && n.Handle() == h {
			return n
		}
	}
	return nil
}

func (s *Steps) Saved() (list []string) {
	for _, step := range s.List {
		list = append(list, step.Kind.String()+" "+step.Text)
	}
	return list
}

// Restore takes over the steps of a session. One that cannot be read is left out with those after it.
func (s *Steps) Restore(list []string) {
	for _, text := range list {
		word, rest, _ := strings.Cut(text, " ")
		if !slices.Contains(query.StepKinds[:], word) {
			return
		}
		step, err := query.ParseStep(StepKind(word), rest)
		if err != nil {
			return
		}
		s.List = append(s.List, step)
	}
}
