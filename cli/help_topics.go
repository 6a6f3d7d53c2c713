package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"tracex/docs"
)

// pageMark is the annotation of a topic that is a page in Markdown, not a command.
const pageMark = "page"

var page = map[string]string{pageMark: "true"}

// exitCodes returns a help topic: tracex help exit-codes.
func exitCodes() *cobra.Command {
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: manExit, Hidden: true}
}

// answersHelp returns a help topic: tracex help answers.
func answersHelp() *cobra.Command {
	return &cobra.Command{Use: "answers", Short: "Questions about a whole trace", Long: manAnswers, Hidden: true}
}

// filterHelp returns a help topic: tracex help filter.
func filterHelp() *cobra.Command {
	return &cobra.Command{Use: "filter", Short: "The language of filters", Long: docs.Filter, Hidden: true, Annotations: page}
}

// goHelp returns a help topic: tracex help go.
func goHelp() *cobra.Command {
	return &cobra.Command{Use: "go", Short: "Recording Go programs as they are", Long: docs.Go, Hidden: true, Annotations: page}
}

// exchangeHelp returns a help topic: tracex help exchange.
func exchangeHelp() *cobra.Command {
	return &cobra.Command{Use: "exchange", Short: "From other tools, and to them", Long: docs.Exchange, Hidden: true, Annotations: page}
}

// fleetHelp returns a help topic: tracex help fleet.
func fleetHelp() *cobra.Command {
	return &cobra.Command{Use: "fleet", Short: "Many traces as one table", Long: docs.Fleet, Hidden: true, Annotations: page}
}

// hiddenHelp returns the help command. It is not in the list of commands, since --help is.
func hiddenHelp() *cobra.Command {
	return &cobra.Command{
		Use:    "help [command]",
		Short:  "Show help about a command",
		Hidden: true,
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			if found, _, err := c.Root().Find(args); err == nil {
				for _, sub := range found.Commands() {
					if sub != c && !strings.HasPrefix(sub.Name(), "_") { // the shells' own requests
						names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return &usageError{"no command named " + strings.Join(args, " "), "tracex --help lists the commands"}
			}
			return found.Help()
		},
	}
}

// strictCompletion makes cobra's completion command refuse unknown shells. By default it prints
// help, which would end up in a shell's configuration.
func strictCompletion(root *cobra.Command) {
	c, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic(err) // cobra no longer has the command
	}
	var shells []string
	for _, shell := range c.Commands() {
		shell.Args = noArguments
		shells = append(shells, shell.Name())
	}
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return &usageError{"no completion for " + strings.Join(args, " "), "supported shells: " + strings.Join(shells, ", ")}
	}
}
