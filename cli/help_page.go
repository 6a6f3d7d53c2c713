package cli

import (
	"regexp"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"tracex/docs"
)

// Colors of help: the terminal's own 16 and no background, so that it is legible on
// light and dark backgrounds. The terminal is not queried.
const (
	helpTitle   = "34"
	helpCommand = "36"
	helpFlag    = "32"
	helpQuoted  = "33"
	helpDim     = "90" // comments, defaults, optional parts
)

// helpPage writes the help of one command. The template of cobra has neither colors nor
// the width of the terminal.
type helpPage struct {
	w     strings.Builder
	color bool
	width int
}

func (p *helpPage) in(color, text string) string {
	if !p.color || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[m"
}

// page writes a page of the documentation, which is Markdown: its paragraphs as wide as the
// terminal, the columns of its tables side by side.
func (p *helpPage) page(text string) {
	paragraph := ""
	flush := func() {
		if paragraph != "" {
			p.hang("", paragraph, 2*strings.Count(paragraph[:1], "-"))
		}
		paragraph = ""
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	code := false
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " ")
		switch {
		case strings.HasPrefix(line, "```"):
			flush()
			code = !code
		case code:
			p.w.WriteString("    " + line + "\n")
		case line == "":
			flush()
			p.w.WriteString("\n")
		case strings.HasPrefix(line, "#"):
			p.w.WriteString("  " + p.in(helpTitle, strings.ToUpper(strings.TrimLeft(line, "# "))) + "\n")
		case strings.HasPrefix(line, "!["): // a picture, and the empty line after it
			i++
		case strings.HasPrefix(line, "|"):
			end := i
			for end < len(lines) && strings.HasPrefix(lines[end], "|") {
				end++
			}
			p.rows(lines[i:end])
			i = end - 1
		case strings.HasPrefix(line, "- ") || paragraph == "":
			flush()
			paragraph = plainMarkdown(line)
		default:
			paragraph += " " + plainMarkdown(strings.TrimSpace(line))
		}
	}
	flush()
}

var (
	markdownLink = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`) })
	markdownCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([^`]+)`") })
)

// plainMarkdown returns a text without the signs for links and bold type.
func plainMarkdown(text string) string {
	return strings.NewReplacer("**", "", `\|`, "|").Replace(markdownLink().ReplaceAllString(text, "$1"))
}

// hang writes a text after a head. Its lines after the first begin at a column.
func (p *helpPage) hang(head, text string, column int) {
	const indent = "  "
	room := max(p.width-len(indent)-max(column, ansi.StringWidth(head)), 20)
	if p.color { // then it is the color that tells what is code
		text = markdownCode().ReplaceAllStringFunc(text, func(code string) string { return p.in(helpCommand, strings.Trim(code, "`")) })
	}
	const unbroken = "\u2011" // a flag is one word
	for line := range strings.Lines(ansi.Wordwrap(strings.ReplaceAll(text, "-", unbroken), room, "")) {
		line = strings.ReplaceAll(strings.TrimRight(line, " \n"), unbroken, "-")
		p.w.WriteString(indent + head + line + "\n")
		head = strings.Repeat(" ", column)
	}
}

// rows writes the rows of a table with the text of all cells but the first in a column. The
// first two lines are the table's head.
func (p *helpPage) rows(lines []string) {
	const most = 24 // columns of a name that has its text beside it
	var rows [][2]string
	column := 0
	for _, line := range lines[min(2, len(lines)):] {
		name, text, _ := strings.Cut(strings.Trim(line, "| "), " | ")
		row := [2]string{strings.ReplaceAll(plainMarkdown(name), "`", ""), plainMarkdown(strings.ReplaceAll(text, " | ", "; "))}
		rows = append(rows, row)
		if n := ansi.StringWidth(row[0]); n <= most {
			column = max(column, n+4)
		}
	}
	for _, row := range rows {
		head := "  " + p.in(helpCommand, row[0])
		if n := ansi.StringWidth(row[0]) + 4; n > max(column, 8) {
			p.w.WriteString("  " + head + "\n")
			head = strings.Repeat(" ", max(column, 8))
		} else {
			head += strings.Repeat(" ", max(column, 8)-n+2)
		}
		p.hang(head, row[1], max(column, 8))
	}
}

// pageMark is the annotation of a topic that is a page in Markdown, not a command.
const pageMark = "page"

var page = map[string]string{pageMark: "true"}

// helpTopics returns what help has besides commands: tracex help exit-codes.
func helpTopics() (list []*cobra.Command) {
	for _, t := range []struct {
		name, about, text string
		annotations       map[string]string
	}{
		{"exit-codes", "What the exit codes mean", manExit, nil},
		{"answers", "Questions about a whole trace", manAnswers, nil},
		{"filter", "The language of filters", docs.Filter, page},
		{"differences", "What is different between two traces", docs.Diff, page},
		{"go", "Recording Go programs as they are", docs.Go, page},
		{"exchange", "From other tools, and to them", docs.Exchange, page},
		{"fleet", "Many traces as one table", docs.Fleet, page},
	} {
		list = append(list, &cobra.Command{Use: t.name, Short: t.about, Long: t.text, Hidden: true, Annotations: t.annotations})
	}
	return list
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
