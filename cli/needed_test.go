package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestNeeded: the commands that arguments need are made, each of them as it is among all.
func TestNeeded(t *testing.T) {
	all := newRoot(new(app), allCommands)
	help := func(c *cobra.Command) string {
		p := helpPage{width: widestHelp}
		p.write(c)
		return p.w.String()
	}
	for _, c := range all.Commands() {
		if strings.ContainsAny(c.Name(), "./") || strings.HasPrefix(c.Name(), "-") {
			t.Errorf("%s: the name could be that of a file", c.Name())
		}
	}
	for i, m := range allCommands {
		alone := needed([]string{m.name, "--help"})
		if len(alone) != 1 || alone[0].name != m.name {
			t.Fatalf("%s needs %v", m.name, alone)
		}
		root := newRoot(new(app), alone)
		if len(root.Commands()) != 1 {
			t.Errorf("%s: %d commands are made", m.name, len(root.Commands()))
		}
		made, among := root.Commands()[0], all.Commands()[i]
		if made.Name() != m.name || among.Name() != m.name || !slices.Equal(made.Aliases, among.Aliases) || help(made) != help(among) {
			t.Errorf("%s: alone it is %s with the help\n%s\namong all %s with\n%s", m.name, made.Name(), help(made), among.Name(), help(among))
		}
	}

	file := "main.go"
	for _, c := range []struct {
		args string
		want int // number of commands
	}{
		{"--version", 0}, {"-v", 0}, {"--version x", len(allCommands)}, {"version", len(allCommands)}, {"", len(allCommands)}, {"--help", len(allCommands)}, {"help open", len(allCommands)},
		{"completion bash", len(allCommands)}, {"__complete pr", len(allCommands)}, {"man", len(allCommands)}, {"opne", len(allCommands)}, {"no-such.file", len(allCommands)},
		{file, 1}, {file + " --fresh", 1}, {"--fresh " + file, len(allCommands)},
	} {
		if got := needed(strings.Fields(c.args)); len(got) != c.want || c.want == 1 && got[0].name != "open" {
			t.Errorf("%q needs %d commands, expected %d", c.args, len(got), c.want)
		}
	}
}
