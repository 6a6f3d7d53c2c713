package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/env"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
	"tracex/ui/internal/tree"
)

// themes are those to choose from, and the one in force.
type themes struct {
	env    *env.Env
	all    []*theme.Source
	colors map[string]string // the user's, on top of each theme
	config string            // the file where a choice can be kept; "" if there is no place for it

	kept, shown *theme.Source // in force, and on the screen
	list        *themeList    // shows each theme while the cursor moves through it; nil until it is first open
}

// newThemes returns the themes of the options, and draws in the one chosen.
func newThemes(e *env.Env, o *Options) *themes {
	t := &themes{env: e, all: theme.All(o.Themes), colors: o.Colors, config: o.Config}
	if t.kept = theme.Named(t.all, o.Theme); t.kept == nil {
		t.kept = theme.Named(t.all, theme.Standard)
	}
	t.wear(t.kept)
	return t
}

func (t *themes) wear(s *theme.Source) {
	t.env.Wear(s.Theme().With(t.colors))
	t.shown = s
}

// check tells what is wrong with the argument of :theme.
func (t *themes) check(name string) error {
	if name == "" || theme.Named(t.all, name) != nil {
		return nil
	}
	return fmt.Errorf("no theme %s; there are %s", name, strings.Join(theme.Names(t.all), ", "))
}

func (t *themes) complete(text string) (from int, with []prompt.Candidate) {
	for _, s := range t.all {
		if strings.HasPrefix(s.Name, text) {
			with = append(with, prompt.Candidate{Text: s.Name, Title: s.Name, Help: about(s)})
		}
	}
	return 0, with
}

// run is :theme.
func (t *themes) run(name string) tea.Cmd {
	open := t.list != nil && t.env.Front.Open(t.list)
	if s := theme.Named(t.all, name); s != nil {
		t.env.Say(t.keep(s))
		if open {
			t.list.toKept()
		}
		return nil
	}
	if open {
		return nil
	}
	t.list = &themeList{themes: t}
	t.list.List = &prompt.List{
		Title: fmt.Sprintf("%d themes", len(t.all)), Keys: "Enter keeps it until you quit", Choosable: true, Returns: true,
		Len: func() int { return len(t.all) },
		Item: func(i int) prompt.Item {
			s := t.all[i]
			cells := []prompt.Cell{{Text: s.Name, Style: theme.Accent, At: 4}, {Text: about(s), Style: theme.Plain, At: 22}}
			if s == t.kept {
				cells = append([]prompt.Cell{{Text: t.env.Glyphs.Dot, Style: theme.Accent, At: 2}}, cells...)
			}
			return prompt.Item{Cells: cells}
		},
	}
	t.list.toKept()
	t.env.Front.Push(t.list, func(i int) tea.Cmd { return t.env.Say(t.keep(t.all[i])) })
	if t.env.FewColors() {
		t.env.Say("with fewer than 256 colors all themes look like terminal")
	}
	return nil
}

// keep puts a theme in force, and returns what to tell the user.
func (t *themes) keep(s *theme.Source) string {
	t.kept = s
	if t.config == "" {
		return "theme " + s.Name
	}
	return fmt.Sprintf("to keep: theme = %q under [open] in %s", s.Name, t.config)
}

// settle draws in the theme of the list's cursor while the list is open, or else in the one in force.
func (t *themes) settle() {
	want := t.kept
	if t.list != nil && t.env.Front.Open(t.list) {
		if i, ok := t.list.Cursor(); ok {
			want = t.all[i]
		}
	}
	if want != t.shown {
		t.wear(want)
	}
}

func about(s *theme.Source) string {
	if s.File != "" {
		return "yours: " + s.File
	}
	return s.About
}

// themeList is the list of themes, with a sample of each below it.
type themeList struct {
	*prompt.List
	themes *themes
}

// toKept puts the cursor on the theme in force.
func (l *themeList) toKept() {
	for i := range l.Count() {
		if l.themes.all[l.Index(i)] == l.themes.kept {
			l.Select(i)
		}
	}
}

func (l *themeList) Lines() int { return l.Len() + 1 + len(sample) + 2 }

// View draws the list, and the sample if it leaves the list some lines.
func (l *themeList) View(width, height int, g *screen.Glyphs) []string {
	l.Below, l.Lower = nil, 0
	if rest := height - len(sample) - 2; rest >= min(4, len(l.themes.all)) {
		l.Below, l.Lower = func() []string { return drawSample(width, g) }, len(sample)+1
	}
	return l.List.View(width, height, g)
}

// sample shows every role: a text after the name of its role in braces. The line with the cursor is sampleCursor.
var sample = []string{
	"{strong}Thread 1 (main)",
	`  {faint}Shop.{method}order{faint}({string}"tea"{faint}, {number}2{faint}): {result}Order@17   {text}a row of the tree`,
	`    {faint}Prices.{method}of{faint}({string match}"tea"{faint}): {number}250   {text}the cursor, on a match`,
	`    {faint}Till.{method}brew{faint}({string match}"tea"{faint})   {text}another match`,
	"    {faint}Order.{field}total {faint}= {number}500   {variable}price {faint}= {number}250   {array}prices{faint}[2] = {number}250",
	"    {keyword}loop{faint}(3 iterations)   {method}close{faint}() {unfinished}unfinished   {accent}42 %   {warm}61 %   {hot}93 %",
	"    {alarm}throw{text} {exception}OutOfStock@21",
	"  {added}+ added{text}   {removed}- removed{text}   {edited}! edited{text}   {accent}a title   {faint}a hint",
}

const sampleCursor = 2

func drawSample(width int, g *screen.Glyphs) []string {
	roles := make(map[string]theme.Role)
	for r := range theme.RoleCount {
		roles[r.Name()] = r
	}
	lines := []string{screen.Titled(" how it looks ", "", width, g)}
	for i, text := range sample {
		l := screen.NewRow(width, i == sampleCursor, g)
		l.Space(1)
		for _, part := range strings.Split(text, "{") {
			name, text, ok := strings.Cut(part, "}")
			if !ok { // before the first role
				l.Put(name, theme.Plain)
				continue
			}
			name, lit := strings.CutSuffix(name, " match")
			matches := [][2]int{{0, len(text)}}
			if !lit {
				matches = nil
			}
			l.Spans(text, screen.Whole(text), screen.Always(roles[name]), matches, 0)
		}
		lines = append(lines, l.End())
	}
	return lines
}

// Theme is a theme in words. Those of users have a File.
type Theme = theme.Source

// StandardTheme is the name of the theme of users who have chosen none.
const StandardTheme = theme.Standard

// Themes returns the themes that are built in and the user's, in the order in which they are listed.
func Themes(own []*Theme) []*Theme { return theme.All(own) }

// ThemeNamed returns one of some themes; nil if there is none of that name.
func ThemeNamed(all []*Theme, name string) *Theme { return theme.Named(all, name) }

func ThemeNames(all []*Theme) []string { return theme.Names(all) }

// Role is something on the screen whose colors the user may choose. Name never changes.
type Role struct {
	Name, Does  string
	Dark, Light string // its styles on such backgrounds
}

// Roles returns all roles with their styles in a theme, and those that the user has chosen instead: see Options.
func Roles(of *Theme, colors map[string]string) []Role {
	var all []Role
	t := of.Theme().With(colors)
	dark, light := t.In(theme.DarkBackground), t.In(theme.LightBackground)
	for r := range theme.RoleCount {
		all = append(all, Role{r.Name(), r.Does(), theme.Spell(dark.Of(r)), theme.Spell(light.Of(r))})
	}
	return all
}

// CheckStyle tells what is wrong with a style, such as "bold red on #303030"; nil if nothing.
func CheckStyle(text string) error {
	_, err := theme.Parse(text)
	return err
}

// Columns returns the names of the columns of numbers, in the explorer's own order.
func Columns() []string { return tree.Names() }
