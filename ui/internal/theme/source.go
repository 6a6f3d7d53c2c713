package theme

import (
	"cmp"
	"embed"
	"slices"
	"strings"
	"sync"

	"charm.land/lipgloss/v2"
)

// Source is a theme in words: roles by their names, and styles as [Parse] reads them. To add a theme, copy the file
// of one, such as nord.theme, and name it in builtin. What a source does not say is as in the theme that it is based on.
type Source struct {
	Name  string
	About string // in a few words; "" for the user's
	File  string // of the user; "" if it is built in
	Base  string // of the user's, a theme that is built in; "" for [Standard]. Those built in are based on terminal

	Every map[string]string // for all terminals
	Dark  map[string]string // for a dark background, and at least 256 colors
	Light map[string]string // for a light one
}

// Standard is the name of the theme of users who have chosen none.
const Standard = "tracex"

//go:embed *.theme
var files embed.FS

var terminal = sync.OnceValue(func() *Source { return read("terminal") })

// builtin are the themes that need no file, in the order of lists.
var builtin = sync.OnceValue(func() []*Source {
	return []*Source{read(Standard), read("high-contrast"), terminal(), read("catppuccin"), read("gruvbox"), read("nord")}
})

// read reads a theme that is built in: lines "role = style", for every terminal, or "role = dark | light".
func read(name string) *Source {
	text, err := files.ReadFile(name + ".theme")
	if err != nil {
		panic(err)
	}
	s := &Source{Name: name, Every: make(map[string]string), Dark: make(map[string]string), Light: make(map[string]string)}
	for line := range strings.Lines(string(text)) {
		role, words, _ := strings.Cut(line, "=")
		role, words = strings.TrimSpace(role), strings.TrimSpace(words)
		switch dark, light, both := strings.Cut(words, " | "); {
		case strings.HasPrefix(line, "#"):
		case role == "about":
			s.About = words
		case both:
			s.Dark[role], s.Light[role] = dark, light
		default:
			s.Every[role] = words
		}
	}
	return s
}

// All returns the themes that are built in and the user's, in the order of lists.
func All(own []*Source) []*Source { return append(slices.Clone(builtin()), own...) }

// Named returns the first of some themes that has a name; nil if none has.
func Named(all []*Source, name string) *Source {
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	return nil
}

func Names(all []*Source) (names []string) {
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

// Theme returns the theme. Like [Theme.With] it ignores what is faulty, and a base that is not built in.
func (s *Source) Theme() *Theme {
	switch {
	case s.File != "":
		return &Theme{append([]*Source{s}, cmp.Or(Named(builtin(), s.Base), Named(builtin(), Standard)).Theme().from...)}
	case s == terminal():
		return &Theme{[]*Source{s}}
	}
	return &Theme{[]*Source{s, terminal()}}
}

func Terminal() *Theme { return terminal().Theme() }

// page returns the colors of plain text; ok is false if a theme leaves the terminal's background.
func (s Styles) page() (plain lipgloss.Style, ok bool) {
	plain = s.Of(Plain)
	return plain, plain.GetBackground() != lipgloss.NoColor{}
}

// Theme has the styles of the roles for each sort of terminal: of its sources, the first that has one tells.
type Theme struct{ from []*Source }

// Styles are how the roles are drawn on a background. Only attributes and colors count, and the cursor's line has some.
type Styles struct {
	theme *Theme
	on    Background
}

// Background is that of the terminal.
type Background uint8

const (
	UnknownBackground Background = iota
	DarkBackground
	LightBackground
)

// In returns the styles for a background. Those for an unknown one are also for a terminal of 16 colors.
func (t *Theme) In(b Background) Styles { return Styles{t, b} }

// Of returns how a role is drawn. It ignores faulty styles, and an empty one for the cursor's line.
func (s Styles) Of(r Role) lipgloss.Style {
	for _, from := range s.theme.from {
		for _, words := range []map[string]string{from.on(s.on), from.Every} {
			if text, ok := words[r.Name()]; ok {
				if style, err := Parse(text); err == nil && (r != CursorLine || Spell(style) != "") {
					return style
				}
			}
		}
		if r == Chip { // the accent on the background of the cursor's line, if that has one
			if ground := s.Of(CursorLine).GetBackground(); ground != (lipgloss.NoColor{}) {
				return s.Of(Accent).Background(ground)
			}
			return s.Of(Accent).UnsetBackground()
		}
	}
	return lipgloss.Style{}
}

func (s *Source) on(b Background) map[string]string {
	return []map[string]string{DarkBackground: s.Dark, LightBackground: s.Light}[b]
}

// on is In, but a theme that paints its own background needs not know the terminal's.
func (t *Theme) on(b Background) Styles {
	if dark := t.In(DarkBackground); b == UnknownBackground {
		if _, paints := dark.page(); paints {
			return dark
		}
	}
	return t.In(b)
}

// With returns the theme with the styles that a user has chosen, by the names of their roles. It
// ignores unknown roles, faulty styles, and an empty one for the cursor's line.
func (t *Theme) With(chosen map[string]string) *Theme {
	if len(chosen) == 0 {
		return t
	}
	return &Theme{append([]*Source{{Every: chosen}}, t.from...)}
}

// lit returns the style of a match: without a color it has the accent's.
func (s Styles) lit() lipgloss.Style {
	m := s.Of(Match)
	if m.GetForeground() == (lipgloss.NoColor{}) && m.GetBackground() == (lipgloss.NoColor{}) {
		m = m.Foreground(s.Of(Accent).GetForeground())
	}
	return m
}
