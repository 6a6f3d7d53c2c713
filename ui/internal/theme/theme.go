package theme

import "charm.land/lipgloss/v2"

// Styles are how the roles are drawn. Only attributes and colors count, and the cursor's line has some.
type Styles [RoleCount]lipgloss.Style

// Theme has the styles of the roles for each sort of terminal.
type Theme struct {
	Neutral     Styles // for an unknown background, and a terminal of 16 colors
	Dark, Light Styles // for such a background, on a terminal of at least 256 colors; Dark is for an unknown one too if it paints its own
}

// Background is that of the terminal.
type Background uint8

const (
	UnknownBackground Background = iota
	DarkBackground
	LightBackground
)

// on returns the styles for a background. A theme that paints its own needs not know the terminal's.
func (t *Theme) on(b Background) *Styles {
	_, paints := t.Dark.page()
	switch {
	case b == LightBackground:
		return &t.Light
	case b == DarkBackground, paints:
		return &t.Dark
	}
	return &t.Neutral
}

// With returns the theme with the styles that a user has chosen, by the names of their roles. It
// ignores unknown roles, faulty styles, and an empty one for the cursor's line.
func (t *Theme) With(chosen map[string]string) *Theme {
	if len(chosen) == 0 {
		return t
	}
	own := *t
	own.Neutral.wear(chosen)
	own.Dark.wear(chosen)
	own.Light.wear(chosen)
	return &own
}

// lit returns the style of a match: without a color it has the accent's.
func (s *Styles) lit() lipgloss.Style {
	m := s[Match]
	if m.GetForeground() == (lipgloss.NoColor{}) && m.GetBackground() == (lipgloss.NoColor{}) {
		m = m.Foreground(s[Accent].GetForeground())
	}
	return m
}
