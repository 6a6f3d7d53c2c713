package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// Terminal returns the theme of the terminal's own 16 colors, which fit its background, light or dark.
// Those that are illegible on one of the two (yellow, white, bright cyan) are not used for text.
func Terminal() *Theme {
	plain := lipgloss.NewStyle()
	bold := plain.Bold(true)
	styles := Styles{
		Plain:        plain,
		Faint:        plain.Faint(true),
		Bold:         bold,
		Accent:       plain.Foreground(lipgloss.BrightBlue),
		FieldName:    plain.Foreground(lipgloss.Cyan),
		VariableName: plain.Foreground(lipgloss.BrightBlue),
		ArrayName:    plain.Foreground(lipgloss.Blue),
		Keyword:      bold,
		Alarm:        bold.Foreground(lipgloss.Red),
		StringText:   plain.Foreground(lipgloss.Green),
		NumberText:   plain.Foreground(lipgloss.Magenta),
		Method:       bold,
		Result:       plain,
		Exception:    plain.Foreground(lipgloss.Red),
		Unfinished:   bold.Foreground(lipgloss.Magenta),
		Added:        plain.Foreground(lipgloss.Green),
		Removed:      plain.Foreground(lipgloss.Red),
		Edited:       plain.Foreground(lipgloss.Magenta),
		Warm:         plain.Foreground(lipgloss.Magenta),
		Hot:          bold.Foreground(lipgloss.Magenta),
		Track:        plain.Faint(true),
		CursorLine:   plain.Reverse(true),
		Match:        plain.Underline(true),
		// Without colors still unlike the matches in other lines.
		CurrentMatch: bold.Underline(true).Foreground(lipgloss.Black).Background(lipgloss.Yellow),
	}
	for i, c := range []color.Color{lipgloss.BrightBlue, lipgloss.Green, lipgloss.Magenta, lipgloss.Cyan, lipgloss.Blue, lipgloss.BrightBlack, lipgloss.BrightMagenta, lipgloss.BrightGreen} {
		styles[int(Hue1)+i] = plain.Foreground(c)
	}
	t := &Theme{Neutral: styles, Dark: styles, Light: styles}
	// Grays that differ a little from the background.
	t.Dark[CursorLine] = plain.Background(lipgloss.ANSIColor(236))
	t.Light[CursorLine] = plain.Background(lipgloss.ANSIColor(254))
	for _, s := range []*Styles{&t.Neutral, &t.Dark, &t.Light} {
		s[Chip] = s.chip()
	}
	return t
}
