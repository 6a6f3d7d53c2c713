package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tracex/docs"
	"tracex/ui"
)

func newGuideCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "guide",
		Short:   "One page: how to work with traces, for people and agents",
		Long:    "Print one page about working with traces: a way to go, recipes with commands, the filter language, what not to do.",
		Example: "tracex guide\ntracex guide | less",
		Args:    noArguments,
		Hidden:  true, // a screen has few lines
		RunE: func(*cobra.Command, []string) error {
			_, err := a.stdout.WriteString(guide())
			return err
		},
	}
}

// guide returns the page. Its parts are the texts of help, and recipes that the explorer shows as well.
func guide() string {
	var b strings.Builder
	b.WriteString(guideBegin)
	for _, r := range ui.Recipes() {
		fmt.Fprintf(&b, "\n### How to find %s\n\n", r.Question)
		for _, s := range r.Steps {
			fmt.Fprintf(&b, "    %-58s # %s\n", s.Command, s.Tells)
		}
		b.WriteString("\nIn the explorer:\n\n")
		for _, s := range r.Steps {
			fmt.Fprintf(&b, "- %s  %s\n", s.Keys, s.Does)
		}
	}
	b.WriteString("\n## Commands\n\n")
	for _, line := range strings.Split(strings.TrimSpace(manAnswers), "\n") {
		b.WriteString("- " + line + "\n")
	}
	b.WriteString("\n## Filters\n\n")
	b.WriteString(indented(block(docs.Filter, 0)) + "\nSide by side: all. `or`: either. `-` or `not`: the others.\n\n" + indented(block(docs.Filter, 1)))
	b.WriteString("\n`tracex help filter` has all fields.\n\n## Exit codes\n\n" + strings.TrimSpace(manExit) + "\n")
	b.WriteString(guideEnd)
	return b.String()
}

// block returns the n-th block of code of a text in Markdown.
func block(text string, n int) string {
	parts := strings.Split(text, "```")
	return strings.TrimPrefix(parts[2*n+1], "\n")
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
}

const guideBegin = `# tracex: working with traces

A trace has every call that a program made, with arguments, results, writes and exceptions. The commands
answer from the file; nothing has to be run again. Try them on the trace of the demo:

    tracex demo --save demo.bin

## The way to go

    tracex overview demo.bin                                   # where to look first: time, errors, threads
    tracex report demo.bin                                     # a failed test or a panic, on a page; --at '#99' an event
    tracex info demo.bin                                       # size, threads, times, damage
    tracex top -n 10 demo.bin                                  # where the time or the events go
    tracex find demo.bin 'method=pay threw' -n 5               # the events that matter, with numbers
    tracex print --subtree 'demo.bin#99'                       # one call and all below it
    tracex around 'demo.bin#99' -n 5                           # what happened around it, in all threads
    tracex compare demo.bin '#46' '#84'                        # what a bad call did differently from a good one
    tracex notes add demo.bin '#99' 'the card is refused here' # keep what was found

Every event has a number: '#99' names it in all commands and in the explorer (tracex 'demo.bin#99').
Each answer prints few rows and tells how many more there are. For a program, add --json: each line is an
object with a schema version. In a script, --expect N and --max N make a wrong number of rows exit code 5:

    tracex throws --max 2 demo.bin
    tracex find demo.bin 'method=discount ret<0' --expect 0

## Recipes
`

const guideEnd = `
## What not to do

- Do not print a large trace whole. Ask for a part: -n, --in '#99', --thread, --from and --to.
- Do not search printed text for values: a filter compares numbers and knows arguments from results.
- Do not take missing rows for an answer: folding hides compiler-generated calls (--raw has them), and exit code 4
  or a line that begins with "tracex:" says that the trace is damaged, cut short or still being recorded.
- Do not compare times of traces without times: there, top counts events.
- Do not edit files of a trace. Notes are in a file of their own, beside it.
`
