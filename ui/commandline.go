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
	"tracex/ui/internal/front"
	"tracex/ui/internal/list"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

// commands returns what can be typed after ":": first the answers, which take arguments, then each
// other action of the key map by its name.
func (m *Model) commands() *command.Registry {
	r := new(command.Registry)
	keys := m.keyboard.keys
	taken := map[string]bool{"help": true, "go-to": true}
	for _, c := range append(m.answers(), m.places(), m.searching()) {
		taken[c.Name] = true
		if i := slices.IndexFunc(keys, func(b binding) bool { return b.name == c.Name }); i >= 0 {
			c.Group, c.Keys = keys[i].group, keys[i].names(m.env.Glyphs)
		}
		r.Add(c)
	}
	for _, moves := range []bool{false, true} { // moves are last: keys are shorter
		for i := range keys {
			if b := &keys[i]; !taken[b.name] && moves == (b.group == groupMove) {
				r.Add(m.ofKey(b, b.name))
			}
		}
	}
	r.Add(m.ofKey(action(keys, "help"), "keys"), command.Command{
		Name: "help", Aliases: []string{"h", "commands"}, Group: groupOther, Help: "this list of commands",
		Run: func(string) tea.Cmd { return m.listCommands() },
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
func (m *Model) ofKey(b *binding, name string) command.Command {
	c := command.Command{Name: name, Aliases: aliases[name], Group: b.group, Help: b.help, Keys: b.names(m.env.Glyphs)}
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
		m.front.CloseLists()
		return m.perform(b, n)
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
func (m *Model) places() command.Command {
	return command.Command{
		Name: "go-to", Aliases: []string{"goto", "go"}, Args: "PLACE", Help: "go to an event (1204), 50%, a thread (t3), a time (748ms)",
		Check: func(args string) error {
			if a := address.Parse(args); a.Kind == address.Unknown || a.Kind == address.Nothing {
				return errors.New("no place " + args + ": type an event (1204), a position (50%), a thread (t3) or a time (748ms)")
			}
			return nil
		},
		Run: func(args string) tea.Cmd { return m.goTo(address.Parse(args)) },
	}
}

// searching returns the command that searches.
func (m *Model) searching() command.Command {
	return command.Command{
		Name: "search", Args: "[TEXT]", Help: "search all threads for a text",
		Run: func(args string) tea.Cmd {
			m.front.CloseLists()
			if args == "" {
				return m.askSearch(0)
			}
			return m.searchFor(prompt.Text{Text: args})
		},
	}
}

// goTo goes to a place in the tree.
func (m *Model) goTo(a address.Address) tea.Cmd {
	m.front.CloseLists()
	return m.jobs.GoTo(a)
}

// askCommand opens the command line.
func (m *Model) askCommand(int) tea.Cmd { return m.commandLine("") }

// commandLine opens the command line with a text in it.
func (m *Model) commandLine(text string) tea.Cmd {
	commands := m.commands()
	p := m.front.Typed.Open(":", "a place (1204, #1204, 50%, t3, 748ms) or a command; "+screen.KeyName("tab", m.env.Glyphs)+" lists them")
	p.Complete(commands.Complete)
	if text != "" {
		p.Paste(tea.PasteMsg{Content: text})
	}
	return m.front.Ask(&front.Question{
		Prompt: p,
		Typed:  func(prompt.Text) { m.env.Status.Clear() },
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
				return m.goTo(a)
			}
			c, args, err := commands.Parse(t.Text)
			if err != nil {
				m.env.Warn(err.Error())
				return nil
			}
			return c.Run(args)
		},
	})
}

// listCommands shows all commands. Enter runs one, or opens the command line for its arguments.
func (m *Model) listCommands() tea.Cmd {
	commands := m.commands().All()
	g := m.env.Glyphs
	at := 0
	for _, c := range commands {
		at = max(at, len(c.Name)+1+len(c.Args))
	}
	m.front.Push(&list.List{
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
		return m.commandLine(commands[i].Name + " ")
	})
	return nil
}
