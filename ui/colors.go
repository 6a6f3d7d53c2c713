package ui

import (
	"tracex/ui/internal/rows"
	"tracex/ui/internal/screen"
)

// Role is something on the screen whose colors the user may choose. Name never changes.
type Role struct{ Name, Does, Style string }

// Roles returns all roles with their styles, and the user's instead: see Options.
func Roles(colors map[string]string) []Role {
	var all []Role
	for _, r := range screen.Roles() {
		style, ok := colors[r.Name]
		if !ok {
			style = screen.StyleOf(r.Name)
		}
		all = append(all, Role{r.Name, r.Does, style})
	}
	return all
}

// CheckStyle tells what is wrong with a style, such as "bold red on #303030"; nil if nothing.
func CheckStyle(text string) error {
	_, err := screen.ParseStyle(text)
	return err
}

// Columns returns the names of the columns of numbers, in the explorer's own order.
func Columns() []string { return rows.Names() }
