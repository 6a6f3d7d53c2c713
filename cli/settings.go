package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tracex/cli/config"
	"tracex/lazy"
	"tracex/ui"
)

// add defines the flags of a command.
func (f *screenFlags) add(c *cobra.Command) {
	flags := c.Flags()
	f.flags = flags
	f.memory, f.color = lazy.DefaultMemory, string(ui.ColorAuto)
	flags.BoolVar(&f.look.Raw, "raw", false, "all recorded events, including compiler-generated ones")
	flags.Var(&f.memory, "memory", "memory limit for loaded events")
	flags.StringArrayVar(&f.look.Source, "source", nil, "directory with source code; repeatable")
	flags.StringVar(&f.color, "color", f.color, "use colors: auto, always or never")
	flags.StringVar(&f.look.Theme, "theme", ui.StandardTheme, "theme of the colors; tracex config lists them")
	flags.BoolVar(&f.look.ASCII, "ascii", false, "use ASCII characters only")
	flags.BoolVar(&f.look.NoMouse, "no-mouse", false, "disable the mouse")
	flags.BoolVar(&f.look.Details, "details", false, "begin with the details shown")
	if err := c.RegisterFlagCompletionFunc("theme", completeTheme); err != nil {
		panic(err) // there is no such flag
	}
	complete(c, "color", string(ui.ColorAuto), string(ui.ColorAlways), string(ui.ColorNever))
}

// options checks the flags, adds what the environment and the configuration file set, and returns
// the options of the screen.
func (f *screenFlags) options() (ui.Options, error) {
	if err := f.valid(); err != nil {
		return ui.Options{}, err
	}
	f.look.Remark = f.configure().remark()
	o := f.look
	o.Color, o.Program = ui.Color(f.color), "tracex@"+version
	return o, nil
}

// valid checks the flags.
func (f *screenFlags) valid() error {
	f.look.Unicode = f.flags.Changed("ascii") && !f.look.ASCII
	if !validColor(f.color) {
		return &usageError{"--color must be auto, always or never, not " + f.color, ""}
	}
	f.readThemes(config.Find())
	if err := f.themeFault(f.look.Theme); err != nil {
		return &usageError{"--theme: " + err.Error(), ""}
	}
	for _, dir := range f.look.Source {
		if !isDir(dir) {
			return &usageError{"--source " + dir + ": not a directory", ""}
		}
	}
	return nil
}

// setting is a setting of the explorer that is not a key: a flag sets it, or else a variable of
// the environment, or else the configuration file.
type setting struct {
	name, variable string
	flag           string // "" if none
	allowed        string // for people
	set            func(f *screenFlags, v config.Value) error
	get            func(f *screenFlags) string // as the file has it
}

// openSettings are those of the table [open], in the order in which they are listed.
var openSettings = []setting{
	{"memory", "TRACEX_MEMORY", "memory", "limit for loaded events", func(f *screenFlags, v config.Value) error {
		word, err := v.Word()
		if err != nil {
			return err
		}
		size := f.memory
		if size.Set(word) != nil {
			return fmt.Errorf("expected a size such as 64MiB, found %v", v)
		}
		f.memory = size
		return nil
	}, func(f *screenFlags) string { return config.Quote(f.memory.String()) }},
	{"color", "TRACEX_COLOR", "color", "auto, always or never", func(f *screenFlags, v config.Value) error {
		word, err := v.Word()
		if err == nil && !validColor(word) {
			err = fmt.Errorf("expected auto, always or never, found %v", v)
		}
		if err == nil {
			f.color = word
		}
		return err
	}, func(f *screenFlags) string { return config.Quote(f.color) }},
	{"theme", "TRACEX_THEME", "theme", "the theme of the colors", func(f *screenFlags, v config.Value) error {
		word, err := v.Word()
		if err == nil {
			err = f.themeFault(word)
		}
		if err == nil {
			f.look.Theme = word
		}
		return err
	}, func(f *screenFlags) string { return config.Quote(f.look.Theme) }},
	{"ascii", "TRACEX_ASCII", "ascii", "true, false, or auto: by locale and terminal", func(f *screenFlags, v config.Value) error {
		if v.Kind == config.Text && v.Text == "auto" {
			f.look.ASCII, f.look.Unicode = false, false
			return nil
		}
		on, err := v.Truth()
		if err != nil {
			return fmt.Errorf("expected true, false or \"auto\", found %v", v)
		}
		f.look.ASCII, f.look.Unicode = on, !on
		return nil
	}, func(f *screenFlags) string {
		if !f.look.ASCII && !f.look.Unicode {
			return config.Quote("auto")
		}
		return strconv.FormatBool(f.look.ASCII)
	}},
	unless("mouse", "TRACEX_MOUSE", "no-mouse", "whether the explorer uses the mouse", func(f *screenFlags) *bool { return &f.look.NoMouse }),
	unless("sticky", "TRACEX_STICKY", "", "keep the calls around the first row in view", func(f *screenFlags) *bool { return &f.look.NoSticky }),
	truth("details", "TRACEX_DETAILS", "begin with the details shown", func(f *screenFlags) *bool { return &f.look.Details }),
	truth("raw", "TRACEX_RAW", "begin with all events, nothing folded", func(f *screenFlags) *bool { return &f.look.Raw }),
	{"source", "TRACEX_SOURCE", "source", "directories with source code", func(f *screenFlags, v config.Value) error {
		words, err := v.Words()
		if err != nil {
			return err
		}
		f.look.Source = nil
		for _, dir := range words {
			// One directory may be there for some programs only.
			if dir = atHome(dir); isDir(dir) {
				f.look.Source = append(f.look.Source, dir)
			} else if filepath.IsAbs(dir) {
				err = fmt.Errorf("%s is not a directory", dir)
			}
		}
		return err
	}, func(f *screenFlags) string { return config.QuoteAll(f.look.Source) }},
}

// settingVariables lists the variables of the settings.
func settingVariables() string {
	var names []string
	for i := range openSettings {
		names = append(names, openSettings[i].variable)
	}
	return strings.Join(names, ", ")
}

// columnSettings are those of the table [columns].
var columnSettings = []setting{
	{name: "show", allowed: "from left to right; in a narrow window the last ones are dropped first", set: func(f *screenFlags, v config.Value) error {
		names, err := v.Words()
		if err != nil {
			return err
		}
		for i, name := range names {
			if !slices.Contains(ui.Columns(), name) {
				return fmt.Errorf("no column %q; there are %s", name, strings.Join(ui.Columns(), ", "))
			}
			if slices.Contains(names[:i], name) {
				return fmt.Errorf("%q is there twice", name)
			}
		}
		f.look.Columns = append([]string{}, names...)
		return nil
	}, get: func(f *screenFlags) string {
		if f.look.Columns == nil {
			return config.QuoteAll(ui.Columns())
		}
		return config.QuoteAll(f.look.Columns)
	}},
	truth("raw-units", "", "durations in nanoseconds, numbers with all digits", func(f *screenFlags) *bool { return &f.look.RawUnits }),
}

// truth returns a setting that is true or false.
func truth(name, variable, allowed string, of func(f *screenFlags) *bool) setting {
	return truthOf(name, variable, name, allowed, true, of)
}

// unless returns a setting that is true unless it is turned off.
func unless(name, variable, flag, allowed string, not func(f *screenFlags) *bool) setting {
	return truthOf(name, variable, flag, allowed, false, not)
}

// truthOf returns a setting whose variable is as it says, or the opposite.
func truthOf(name, variable, flag, allowed string, as bool, of func(f *screenFlags) *bool) setting {
	return setting{name, variable, flag, allowed, func(f *screenFlags, v config.Value) error {
		on, err := v.Truth()
		if err == nil {
			*of(f) = on == as
		}
		return err
	}, func(f *screenFlags) string { return strconv.FormatBool(*of(f) == as) }}
}

// atHome replaces ~ at the beginning of a path.
func atHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home, err := os.UserHomeDir(); err == nil {
			return home + rest
		}
	}
	return path
}

// settings is what the configuration file and the environment set, besides the values themselves.
type settings struct {
	place  config.Place
	faults []config.Fault
	from   map[string]string // where a value comes from, by table and name; defaults are missing
	keys   map[string]int    // the line that gave a key to an action; for keys given twice
}

// configure sets what no flag has set. What is wrong in the file, or in a variable, keeps its
// default and is a fault.
func (f *screenFlags) configure() *settings {
	s := &settings{place: config.Find(), from: make(map[string]string), keys: make(map[string]int)}
	file, err := config.Read(s.place)
	if err != nil {
		s.faults = append(s.faults, config.Fault{In: s.place.Path, Text: plainPathError(err)})
	}
	s.faults = append(s.faults, file.Apply(f.sections(s, file))...)
	for i := range openSettings {
		set := &openSettings[i]
		if v, ok := os.LookupEnv(set.variable); ok && v != "" {
			value := config.TextOf(v)
			if set.name == "source" {
				value = config.Texts(filepath.SplitList(v))
			}
			if err := f.take(set, value); err != nil {
				s.faults = append(s.faults, config.Fault{In: set.variable, Text: err.Error()})
			} else {
				s.from["open."+set.name] = "$" + set.variable
			}
		}
		if f.flags.Changed(set.flag) {
			s.from["open."+set.name] = "--" + set.flag
		}
	}
	if own := f.userTheme(f.look.Theme); own != nil {
		s.faults = append(s.faults, own.faults...)
	}
	return s
}

// take sets a value, or only checks it if a flag has set another.
func (f *screenFlags) take(set *setting, v config.Value) error {
	if f.flags.Changed(set.flag) {
		other := *f
		return set.set(&other, v)
	}
	return set.set(f, v)
}

// sections returns the tables that the file may have.
func (f *screenFlags) sections(s *settings, file *config.File) []config.Section {
	f.look.Keys, f.look.Colors = make(map[string][]string), make(map[string]string)
	keys := config.Section{Name: "keys", Set: func(e *config.Entry) error {
		bound, err := s.bind(e, f.look.Keys)
		if err == nil {
			f.look.Keys[e.Name] = bound
		}
		return err
	}}
	for _, a := range ui.Actions(nil) {
		keys.Names = append(keys.Names, a.Name)
	}
	colors := config.Section{Name: "colors", Names: roleNames(), Set: func(e *config.Entry) error {
		style, err := e.Value.Word()
		if err == nil {
			err = ui.CheckStyle(style)
		}
		if err == nil {
			f.look.Colors[e.Name] = style
		}
		return err
	}}
	all := []config.Section{f.section("open", openSettings), f.section("columns", columnSettings), colors, keys}
	for i := range all {
		set := all[i].Set
		all[i].Set = func(e *config.Entry) error {
			err := set(e)
			if err == nil {
				s.from[e.Key()] = config.Where(file.Path, e.Line)
			}
			return err
		}
	}
	return all
}

// section is a table of settings.
func (f *screenFlags) section(name string, list []setting) config.Section {
	section := config.Section{Name: name}
	byName := make(map[string]*setting)
	for i := range list {
		section.Names = append(section.Names, list[i].name)
		byName[list[i].name] = &list[i]
	}
	section.Set = func(e *config.Entry) error { return f.take(byName[e.Name], e.Value) }
	return section
}

// bind returns the keys that an entry gives to an action. taken has those of the entries before.
func (s *settings) bind(e *config.Entry, taken map[string][]string) ([]string, error) {
	words, err := e.Value.Words()
	if err != nil {
		return nil, err
	}
	bound := []string{}
	for _, word := range words {
		key, err := ui.ParseKey(word)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", word, err)
		}
		if key == "ctrl+c" && e.Name != "quit" {
			return nil, errors.New("ctrl+c always quits")
		}
		for other, keys := range taken {
			for _, k := range keys {
				if k == key {
					return nil, fmt.Errorf("%q is taken by %s, line %d", word, other, s.keys[other])
				}
			}
		}
		bound = append(bound, key)
	}
	s.keys[e.Name] = e.Line
	return bound, nil
}

// remark is what the first screen says of the faults; "" if there are none.
func (s *settings) remark() string {
	if len(s.faults) == 0 {
		return ""
	}
	text := shortPath(s.faults[0].Error())
	if n := len(s.faults); n > 1 {
		text = fmt.Sprintf("1 of %d: %s", n, text)
	}
	return text + " (tracex config --check)"
}
