package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tracex/cli/config"
	"tracex/ui"
)

// configCommand is the command config with its flags.
type configCommand struct {
	*app
	screen      screenFlags
	path, check bool
}

func newConfigCommand(a *app) *cobra.Command {
	c := &configCommand{app: a}
	command := &cobra.Command{
		Use:   "config",
		Short: "Print the explorer's settings and keys",
		Example: `tracex config                     # each value, and where it comes from
tracex config --check             # only what is wrong in the file
tracex config --path              # where the file is`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	command.Flags().BoolVar(&c.path, "path", false, "print only where the configuration file is")
	command.Flags().BoolVar(&c.check, "check", false, "print only what is wrong; fail if anything is")
	c.screen.add(command)
	command.RunE = func(*cobra.Command, []string) error { return c.run() }
	return command
}

func (c *configCommand) run() error {
	if err := c.screen.valid(); err != nil {
		return err
	}
	s := c.screen.configure()
	if c.path {
		if s.place.Path == "" {
			return withHint(fmt.Errorf("there is no home directory for the configuration"), "set "+config.Variable+" to a file")
		}
		_, err := fmt.Fprintln(c.stdout, s.place.Path)
		return err
	}
	for _, fault := range s.faults {
		fmt.Fprintf(c.stderr, "tracex: %s\n", printable(fault.Error()))
	}
	if c.check {
		if n := len(s.faults); n > 0 {
			return withHint(fmt.Errorf("%s in the configuration", counted(int64(n), "mistake")), "tracex config lists all settings and actions")
		}
		return nil
	}
	_, err := io.WriteString(c.stdout, c.screen.text(s))
	return err
}

// text returns the effective settings as a configuration file.
func (f *screenFlags) text(s *settings) string {
	p := &configWriter{from: s.from}
	p.line("# The settings of tracex, as they are now: flags count most, then variables")
	p.line("# of the environment, then the configuration file, then the defaults.")
	if s.place.Path != "" {
		p.line("# The file: " + printable(s.place.Path))
	}
	p.line("\n[open]")
	for i := range openSettings {
		set := &openSettings[i]
		p.entry("open", set.name, set.get(f), "", set.allowed)
	}
	p.line("\n[columns]")
	for i := range columnSettings {
		set := &columnSettings[i]
		p.entry("columns", set.name, set.get(f), "", set.allowed)
	}
	p.line("\n[colors]")
	for _, r := range ui.Roles(f.look.Colors) {
		p.entry("colors", r.Name, config.Quote(r.Style), "", r.Does)
	}
	p.line("\n[keys]")
	group := ""
	all := ui.Actions(f.look.Keys)
	for _, a := range all {
		if a.Group != group {
			group = a.Group
			p.line("# " + group)
		}
		p.entry("keys", a.Name, config.QuoteAll(a.Keys), lost(a, all), a.Does)
	}
	return p.String()
}

// lost tells which of its own keys an action has lost to others.
func lost(a ui.Action, all []ui.Action) string {
	var texts []string
	for _, own := range ui.Actions(nil) {
		if own.Name != a.Name {
			continue
		}
		for _, key := range own.Keys {
			for _, other := range all {
				if other.Name != a.Name && slices.Contains(other.Keys, key) {
					texts = append(texts, key+" is now "+other.Name)
				}
			}
		}
	}
	return strings.Join(texts, ", ")
}

// configWriter writes a configuration file.
type configWriter struct {
	strings.Builder
	from map[string]string // where a value comes from; defaults are missing
}

func (p *configWriter) line(text string) { p.WriteString(text + "\n") }

// Columns of the comments after an entry: where it comes from, and what it means.
const (
	configFrom  = 44
	configMeans = 66
)

// entry writes a line with where the value comes from and what it means.
func (p *configWriter) entry(section, name, value, note, means string) {
	from, ok := p.from[section+"."+name]
	if !ok {
		from = "default"
	}
	if note != "" {
		from += "; " + note
	}
	line := fmt.Sprintf("%-*s # %s", configFrom, name+" = "+value, printable(shortPath(from)))
	p.line(fmt.Sprintf("%-*s # %s", configMeans, line, means))
}
