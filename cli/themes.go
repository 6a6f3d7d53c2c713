package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"tracex/cli/config"
	"tracex/lazy/query/nearest"
	"tracex/ui"
)

// userTheme is a theme of the user: a file NAME.toml in the folder themes beside the configuration file.
type userTheme struct {
	*ui.Theme
	path   string
	faults []config.Fault
	lines  map[string]int // of roles, after the table and a dot; for those outside of tables only the role
}

// themeFolder returns where the user's themes are; "" if there is no place for them.
func themeFolder(p config.Place) string {
	if p.Path == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(p.Path), "themes")
}

// readThemes reads the user's themes. What is wrong in one is among its faults, and the rest of it counts.
func (f *screenFlags) readThemes(p config.Place) {
	f.themes, f.look.Themes, f.look.Config = nil, nil, shortPath(p.Path)
	if p.Path == "" {
		return
	}
	files, _ := os.ReadDir(themeFolder(p)) // most users have none
	for _, file := range files {
		if filepath.Ext(file.Name()) != ".toml" {
			continue
		}
		t := readTheme(filepath.Join(themeFolder(p), file.Name()))
		f.themes = append(f.themes, t)
		if ui.ThemeNamed(ui.Themes(nil), t.Name) == nil {
			f.look.Themes = append(f.look.Themes, t.Theme)
		}
	}
}

func readTheme(path string) *userTheme {
	name := strings.TrimSuffix(filepath.Base(path), ".toml")
	none := func() map[string]string { return make(map[string]string) }
	t := &userTheme{Theme: &ui.Theme{Name: name, File: shortPath(path), Every: none(), Dark: none(), Light: none()}, path: path, lines: make(map[string]int)}
	if ui.ThemeNamed(ui.Themes(nil), name) != nil {
		t.fault(0, fmt.Sprintf("%s is a built-in theme, so this file does not count: rename it, and write base = %q in it", name, name))
	}
	file, err := config.Read(config.Place{Path: path, Named: true})
	if err != nil {
		t.fault(0, plainPathError(err))
	}
	t.faults = append(t.faults, file.Faults...)
	for i := range file.Entries {
		if err := t.take(&file.Entries[i]); err != nil {
			t.fault(file.Entries[i].Line, err.Error())
		}
	}
	slices.SortStableFunc(t.faults, func(a, b config.Fault) int { return a.Line - b.Line })
	return t
}

func (t *userTheme) fault(line int, text string) {
	t.faults = append(t.faults, config.Fault{In: t.path, Line: line, Text: text})
}

// take takes over an entry, or tells what is wrong with it.
func (t *userTheme) take(e *config.Entry) error {
	words, ok := map[string]map[string]string{"": t.Every, "dark": t.Dark, "light": t.Light}[e.Section]
	if !ok {
		return fmt.Errorf("no table [%s]; a theme has [dark], [light], and before them what is for both", e.Section)
	}
	word, err := e.Value.Word()
	if err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	switch {
	case e.Key() == "base" && ui.ThemeNamed(ui.Themes(nil), word) == nil:
		return fmt.Errorf("base: no built-in theme %q; there are %s", word, strings.Join(ui.ThemeNames(ui.Themes(nil)), ", "))
	case e.Key() == "base":
		t.Base = word
		return nil
	case !slices.Contains(roleNames(), e.Name):
		return fmt.Errorf("no role %s; nearest: %s", e.Name, strings.Join(nearest.Typed(e.Name, roleNames(), nil, 3), ", "))
	}
	if err := ui.CheckStyle(word); err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	words[e.Name] = word
	t.lines[e.Key()] = e.Line
	return nil
}

// warnings tells which roles are hard to read, at the lines that set them. Without one, the background does.
func (t *userTheme) warnings() (all []config.Fault) {
	dark, light := t.Weak()
	for i, w := range append(dark, light...) {
		variant, line := "dark", 0
		if i >= len(dark) {
			variant = "light"
		}
		for _, role := range []string{w.Role.Name(), "text", "cursor-line", "match"} {
			if line == 0 {
				line = max(t.lines[variant+"."+role], t.lines[role])
			}
		}
		all = append(all, config.Fault{In: t.path, Line: line, Text: fmt.Sprintf("warning: %s, %s: %v", variant, w.Role.Name(), w)})
	}
	return all
}

// userTheme returns a theme of the user; nil if it is not one.
func (f *screenFlags) userTheme(name string) *userTheme {
	for _, t := range f.themes {
		if t.Name == name && ui.ThemeNamed(f.look.Themes, name) != nil {
			return t
		}
	}
	return nil
}

// themeFault tells what is wrong with the name of a theme; nil if nothing.
func (f *screenFlags) themeFault(name string) error {
	all := ui.Themes(f.look.Themes)
	if ui.ThemeNamed(all, name) != nil {
		return nil
	}
	text := fmt.Sprintf("no theme %q; there are %s", name, strings.Join(ui.ThemeNames(all), ", "))
	if folder := themeFolder(config.Find()); folder != "" && name == filepath.Base(name) {
		text += "; yours are in " + shortPath(folder)
	}
	return errors.New(text)
}

// completeTheme lets a shell complete the name of a theme.
func completeTheme(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	f := new(screenFlags)
	f.readThemes(config.Find())
	return ui.ThemeNames(ui.Themes(f.look.Themes)), cobra.ShellCompDirectiveNoFileComp
}

// roleNames are the names of all roles.
var roleNames = sync.OnceValue(func() (names []string) {
	for _, r := range ui.Roles(ui.ThemeNamed(ui.Themes(nil), ui.StandardTheme), nil) {
		names = append(names, r.Name)
	}
	return names
})
