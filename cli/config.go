package cli

import (
	"cmp"
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
	faults := s.faults
	for _, t := range c.screen.themes {
		if t != c.screen.userTheme(c.screen.look.Theme) { // whose faults are there already
			faults = append(faults, t.faults...)
		}
	}
	for _, fault := range faults {
		fmt.Fprintf(c.stderr, "tracex: %s\n", printable(fault.Error()))
	}
	for _, t := range c.screen.themes {
		for _, w := range t.warnings() {
			fmt.Fprintf(c.stderr, "tracex: %s\n", printable(w.Error()))
		}
	}
	if c.check {
		if n := len(faults); n > 0 {
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
	p.settings("open", openSettings, f)
	f.listThemes(p)
	p.line("\n[columns]")
	p.settings("columns", columnSettings, f)
	p.line("\n[colors]")
	in := ui.ThemeNamed(ui.Themes(f.look.Themes), f.look.Theme)
	p.line("# of the theme, on a dark and on a light background; an entry changes a role in every theme")
	for _, r := range ui.Roles(in, f.look.Colors) {
		if style, ok := f.look.Colors[r.Name]; ok {
			p.entry("colors", r.Name, config.Quote(style), "", r.Does)
			continue
		}
		style := config.Quote(r.Dark)
		if r.Light != r.Dark {
			style += " or " + config.Quote(r.Light)
		}
		p.line(fmt.Sprintf("# %-*s # %s", configMeans-2, r.Name+" = "+style, r.Does))
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

// listThemes writes all themes as comments, with a mark before the one in force.
func (f *screenFlags) listThemes(p *configWriter) {
	p.line("# Themes, and * the one in force:")
	for _, t := range ui.Themes(f.look.Themes) {
		mark, about := " ", cmp.Or(t.About, "yours, based on "+cmp.Or(t.Base, ui.StandardTheme)+": "+printable(t.File))
		if t.Name == f.look.Theme {
			mark = "*"
		}
		p.line(fmt.Sprintf("# %s %-16s %s", mark, printable(t.Name), about))
	}
	if folder := themeFolder(config.Find()); folder != "" {
		p.line("# Yours are in " + printable(shortPath(folder)) + "/NAME.toml.")
	}
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

// settings writes the lines of settings.
func (p *configWriter) settings(section string, list []setting, f *screenFlags) {
	for i := range list {
		p.entry(section, list[i].name, list[i].get(f), "", list[i].allowed)
	}
}

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
