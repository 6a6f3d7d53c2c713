package ui

import (
	"fmt"

	"charm.land/lipgloss/v2"

	"tracex/ui/internal/theme"
	"tracex/ui/internal/tree"
)

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
	for r := range theme.RoleCount {
		all = append(all, Role{r.Name(), r.Does(), theme.Spell(t.Dark[r]), theme.Spell(t.Light[r])})
	}
	return all
}

// CheckStyle tells what is wrong with a style, such as "bold red on #303030"; nil if nothing.
func CheckStyle(text string) error {
	_, err := theme.Parse(text)
	return err
}

// Weak is a role that is hard to read.
type Weak struct {
	Variant, Role string // the variant is dark or light
	Text          string // in which colors, and how little contrast they have
}

// CheckContrast returns the roles of a theme that are hard to read. If the theme leaves the terminal's background, that is
// taken to be #1e1e1e or white.
func CheckContrast(of *Theme) (weak []Weak) {
	variants := []struct {
		name, ground string
		background   theme.Background
	}{{"dark", "#1e1e1e", theme.DarkBackground}, {"light", "#ffffff", theme.LightBackground}}
	for _, v := range variants {
		for _, w := range of.Theme().Weak(v.background, lipgloss.Color(v.ground)) {
			text := fmt.Sprintf("%s on %s", w.Text, w.Ground)
			if w.Where != theme.Plain {
				text += " (" + w.Where.Name() + ")"
			}
			weak = append(weak, Weak{v.name, w.Role.Name(), fmt.Sprintf("%s has a contrast of %.1f:1; from %g:1 on it is legible", text, w.Ratio, w.Least)})
		}
	}
	return weak
}

// Columns returns the names of the columns of numbers, in the explorer's own order.
func Columns() []string { return tree.Names() }
