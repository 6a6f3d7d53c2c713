package cli

import (
	"cmp"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// widestHelp bounds the lines of help, in cells.
const widestHelp = 120

// helpFunc returns cobra's function for help on f.
func helpFunc(f *os.File) func(*cobra.Command, []string) {
	return func(c *cobra.Command, _ []string) {
		p := helpPage{width: widestHelp}
		if fd := int(f.Fd()); term.IsTerminal(fd) {
			p.color = understandsEscapes(f) && colorprofile.Env(os.Environ()) > colorprofile.ASCII
			if w, _, err := term.GetSize(fd); err == nil && w > 0 {
				p.width = min(w, widestHelp)
			}
		}
		p.write(c)
		_, _ = io.WriteString(f, p.w.String()) // there is nowhere to report an error
	}
}

func (p *helpPage) write(c *cobra.Command) {
	if c.Annotations[pageMark] != "" {
		p.page(c.Long)
		return
	}
	for line := range strings.Lines(ansi.Wordwrap(cmp.Or(c.Long, c.Short), p.width-2, "")) {
		p.w.WriteString("  " + strings.TrimSpace(line) + "\n")
	}
	p.title("USAGE")
	p.w.WriteString("    " + p.usage(c, c.UseLine()) + "\n")
	if c.Example != "" {
		p.title("EXAMPLES")
		for line := range strings.Lines(c.Example) {
			p.w.WriteString("    " + p.example(strings.TrimSpace(line)) + "\n")
		}
	}
	var commands, flags [][2]string
	var answers, shared, calls []string
	for _, sub := range c.Commands() {
		if sub.Annotations[answerMark] != "" {
			answers = append(answers, p.in(helpCommand, sub.Name()))
		} else if !sub.Hidden && sub.Annotations[rareMark] == "" {
			commands = append(commands, [2]string{p.usage(sub, sub.Use), sub.Short})
		}
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if _, rare := f.Annotations[rareMark]; rare {
			return
		}
		if f.Annotations[answerMark] != nil {
			shared = append(shared, p.sharedFlag(f, f.Annotations[answerMark][0]))
		} else if f.Annotations[goMark] != nil {
			calls = append(calls, p.sharedFlag(f, f.Annotations[goMark][0]))
		} else if !f.Hidden && (f.Name != "help" && f.Name != "version" || len(commands) == 0) { // a screen has few lines
			flags = append(flags, p.flag(f))
		}
	})
	column := 0
	for _, row := range append(commands, flags...) {
		column = max(column, ansi.StringWidth(row[0])+2)
	}
	p.table("COMMANDS", commands, column)
	if len(answers) > 0 { // a screen has few lines: none is blank
		text := ansi.Wordwrap(strings.Join(answers, " "), min(p.width, 80)-len("  ANSWERS "), "")
		p.w.WriteString("  " + p.in(helpTitle, "ANSWERS") + " " + strings.ReplaceAll(text, "\n", "\n          ") + "\n")
	}
	p.table("FLAGS", flags, column)
	of := "FLAGS OF ALL ANSWERS "
	if c.Annotations[answerMark] == "" {
		of = "FLAGS FOR A PART OF THE TRACE "
	}
	p.list(of+p.in(helpDim, "(tracex help answers)"), shared)
	p.list("FLAGS FOR GO PROGRAMS "+p.in(helpDim, "(tracex help go)"), calls)
}

// list writes words, in as few lines as the width allows.
func (p *helpPage) list(title string, words []string) {
	if len(words) == 0 {
		return
	}
	p.title(title)
	line := ""
	for _, word := range words {
		if line != "" && ansi.StringWidth(line)+2+ansi.StringWidth(word) > p.width-4 {
			p.w.WriteString("    " + line + "\n")
			line = ""
		}
		if line != "" {
			line += "  "
		}
		line += word
	}
	p.w.WriteString("    " + line + "\n")
}

// sharedFlag returns the name of a flag and its argument.
func (p *helpPage) sharedFlag(f *pflag.Flag, argument string) string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand
	}
	text := p.in(helpFlag, name)
	if argument != "" {
		text += "\u00a0" + argument // not to be broken
	}
	return text
}

func (p *helpPage) title(text string) {
	p.w.WriteString("\n  " + p.in(helpTitle, text) + "\n")
}

// table writes rows of a name and a text; the texts begin at a column.
func (p *helpPage) table(title string, rows [][2]string, column int) {
	if len(rows) == 0 {
		return
	}
	p.title(title)
	for _, row := range rows {
		gap := column - ansi.StringWidth(row[0])
		p.w.WriteString("    " + row[0] + strings.Repeat(" ", gap) + row[1] + "\n")
	}
}

// usage returns the line of a command with its arguments.
func (p *helpPage) usage(c *cobra.Command, use string) string {
	before, after, inside := strings.Cut(strings.ReplaceAll(use, " [command]", ""), " [flags]")
	text := p.in(helpCommand, before)
	if c.HasAvailableSubCommands() && !strings.Contains(use, " FILE") || c.Name() == "help" {
		text += p.in(helpDim, " [command]")
	}
	if inside || c.HasAvailableFlags() {
		text += p.in(helpDim, " [--flags]")
	}
	return text + p.in(helpCommand, after)
}

// example colors a command line and its comment.
func (p *helpPage) example(line string) string {
	command, comment, _ := strings.Cut(line, "# ")
	if comment != "" {
		comment = p.in(helpDim, "# "+comment)
	}
	words := strings.Split(command, " ")
	for i, word := range words {
		switch {
		case word == "tracex":
			words[i] = p.in(helpCommand, word)
		case len(word) > 1 && word[0] == '-':
			words[i] = p.in(helpFlag, word)
		case strings.HasPrefix(word, "'"):
			words[i] = p.in(helpQuoted, word)
		}
	}
	return strings.Join(words, " ") + comment
}

// flag returns the names of a flag, and its text with the default.
func (p *helpPage) flag(f *pflag.Flag) [2]string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + " " + name
	}
	return [2]string{p.in(helpFlag, name), capital(f.Usage) + p.in(helpDim, flagDefault(f))}
}

// capital returns text with its first letter in upper case.
func capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(r)) + text[size:]
}
