package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/command"
)

// answering is an answer: a question about the trace that has commands, and keys by the names of
// the commands. Each is a type in a file of its own.
type answering interface {
	// commands returns its commands. One with the name of an action of the key map takes its place,
	// and is shown with its keys. They open a table over what is in front, and do not close lists.
	commands() []command.Command
}

// answers are all of them, in the order in which commands are listed.
func answers(a *asking) []answering {
	return []answering{topAnswer{a}, throwsAnswer{a}, pathsAnswer{a}, callsAnswer{a}, iterationsAnswer{a}, historyAnswer{a}, aroundAnswer{a}, logAnswer{a}, a.steps}
}

// asCommand makes a key of an answer's command: it runs without arguments.
func asCommand(name string) func(*Model, int) tea.Cmd {
	return func(m *Model, _ int) tea.Cmd { return m.commands.answer(name) }
}
