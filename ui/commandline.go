package ui

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/address"
	"tracex/ui/internal/command"
	"tracex/ui/internal/env"
	"tracex/ui/internal/front"
	"tracex/ui/internal/job"
	"tracex/ui/internal/list"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

// commandLine is what can be typed after ":".
type commandLine struct {
	env      *env.Env
	keyboard *keyboard
	front    *front.Front
	jobs     *job.Part
	search   *searching
	filter   *filtering
	answers  []answering
	perform  func(b *binding, n int) tea.Cmd // does what an action of the key map does
}

// ofAnswers returns the commands of the answers.
func (l *commandLine) ofAnswers() (all []command.Command) {
	for _, a := range l.answers {
		all = append(all, a.commands()...)
	}
	return all
}

// answer runs a command of an answer without arguments.
func (l *commandLine) answer(name string) tea.Cmd {
	all := l.ofAnswers()
	return all[slices.IndexFunc(all, func(c command.Command) bool { return c.Name == name })].Run("")
}

// registry returns the commands: first those of the answers, which take arguments, then each other
// action of the key map by its name.
func (l *commandLine) registry() *command.Registry {
	r := new(command.Registry)
	keys := l.keyboard.keys
	taken := map[string]bool{"help": true, "go-to": true}
	for _, c := range append(append(l.ofAnswers(), l.places(), l.searches()), l.filter.commands()...) {
		taken[c.Name] = true
		if i := slices.IndexFunc(keys, func(b binding) bool { return b.name == c.Name }); i >= 0 {
			c.Group, c.Keys = keys[i].group, keys[i].names(l.env.Glyphs)
		}
		r.Add(c)
	}
	for _, moves := range []bool{false, true} { // moves are last: keys are shorter
		for i := range keys {
			if b := &keys[i]; !taken[b.name] && moves == (b.group == groupMove) {
				r.Add(l.ofKey(b, b.name))
			}
		}
	}
	r.Add(l.ofKey(action(keys, "help"), "keys"), command.Command{
		Name: "help", Aliases: []string{"h", "commands"}, Group: groupOther, Help: "this list of commands",
		Run: func(string) tea.Cmd { return l.list() },
	})
	return r
}

// aliases are other names of actions, for users of other programs.
var aliases = map[string][]string{
	"quit": {"q", "q!", "exit"}, "hits": {"matches"}, "copy-row": {"yank"}, "source": {"edit"}, "back": {"undo"},
	"first": {"top-row"}, "last": {"bottom", "end"}, "toggle": {"open"},
}

// counted are the actions, besides moves, for which a number means something.
var counted = map[string]bool{
	"expand-level": true, "next-hit": true, "previous-hit": true, "longest": true, "back": true, "forward": true,
	"details-down": true, "details-up": true, "scroll-right": true, "scroll-left": true,
}

// ofKey returns the command that does what a key does.
func (l *commandLine) ofKey(b *binding, name string) command.Command {
	c := command.Command{Name: name, Aliases: aliases[name], Group: b.group, Help: b.does(l.env.Glyphs), Keys: b.names(l.env.Glyphs)}
	if counted[b.name] || b.group == groupMove && b.name != "follow" && b.name != "threads" {
		c.Args = "[N]"
		c.Check = func(args string) error {
			if _, err := number(args); err != nil {
				return errors.New(args + " is not a number")
			}
			return nil
		}
	}
	c.Run = func(args string) tea.Cmd {
		n, _ := number(args)
		l.front.CloseLists()
		return l.perform(b, n)
	}
	return c
}

// number reads the number before a key; "" is 0, none.
func number(text string) (int, error) {
	const most = 1 << 30
	n, err := strconv.Atoi(cmp.Or(text, "0"))
	if n < 0 {
		return 0, errors.New("negative")
	}
	return min(n, most), err
}

// places returns the command that goes to a place.
func (l *commandLine) places() command.Command {
	return command.Command{
		Name: "go-to", Aliases: []string{"goto", "go"}, Args: "PLACE", Help: "go to an event (1204), 50%, a thread (t3), a time (748ms)",
		Check: func(args string) error {
			if a := address.Parse(args); a.Kind == address.Unknown || a.Kind == address.Nothing {
				return errors.New("no place " + args + ": type an event (1204), a position (50%), a thread (t3) or a time (748ms)")
			}
			return nil
		},
		Run: func(args string) tea.Cmd { return l.goTo(address.Parse(args)) },
	}
}

// searches returns the command that searches.
func (l *commandLine) searches() command.Command {
	return command.Command{
		Name: "search", Args: "[TEXT]", Help: "search all threads for a text",
		Run: func(args string) tea.Cmd {
			l.front.CloseLists()
			if args == "" {
				return l.search.askPattern(0)
			}
			return l.search.searchFor(prompt.Text{Text: args})
		},
	}
}

// goTo goes to a place in the tree.
func (l *commandLine) goTo(a address.Address) tea.Cmd {
	l.front.CloseLists()
	return l.jobs.GoTo(a)
}

// open opens the command line with a text in it.
func (l *commandLine) open(text string) tea.Cmd {
	commands := l.registry()
	p := l.front.Typed.Open(":", "a place (1204, #1204, 50%, t3, 748ms) or a command; "+screen.KeyName("tab", l.env.Glyphs)+" lists them")
	p.Complete(commands.Complete)
	if text != "" {
		p.Paste(tea.PasteMsg{Content: text})
	}
	return l.front.Ask(&front.Question{
		Prompt: p,
		Typed:  func(prompt.Text) { l.env.Status.Clear() },
		Refuse: func(t prompt.Text) string {
			if a := address.Parse(t.Text); a.Kind != address.Unknown {
				return ""
			}
			if _, _, err := commands.Parse(t.Text); err != nil {
				return err.Error()
			}
			return ""
		},
		Submit: func(t prompt.Text) tea.Cmd {
			switch a := address.Parse(t.Text); a.Kind {
			case address.Nothing:
				return nil
			case address.Unknown:
			default:
				return l.goTo(a)
			}
			c, args, err := commands.Parse(t.Text)
			if err != nil {
				l.env.Warn(err.Error())
				return nil
			}
			return c.Run(args)
		},
	})
}

// list shows all commands. Enter runs one, or opens the command line for its arguments.
func (l *commandLine) list() tea.Cmd {
	commands := l.registry().All()
	g := l.env.Glyphs
	at := 0
	for _, c := range commands {
		at = max(at, len(c.Name)+1+len(c.Args))
	}
	l.front.Push(&list.List{
		Title: fmt.Sprintf("%d commands", len(commands)), Keys: "Enter runs it", Choosable: true,
		Len: func() int { return len(commands) },
		Item: func(i int) list.Item {
			c := commands[i]
			return list.Item{Cells: []list.Cell{
				{Text: ":" + c.Name + " ", Style: screen.Accent, At: 2}, {Text: c.Args, Style: screen.Faint},
				{Text: screen.CutEnd(c.Keys, 14, g), Style: screen.Faint, At: at + 6}, {Text: c.Help, Style: screen.Plain, At: at + 21},
			}}
		},
	}, func(i int) tea.Cmd {
		if c := commands[i]; c.Args == "" {
			return c.Run("")
		}
		return l.open(commands[i].Name + " ")
	})
	return nil
}
