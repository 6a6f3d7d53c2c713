package uitest

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// special are the keys that are not characters.
var special = map[string]tea.KeyPressMsg{
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
	"pgdown": {Code: tea.KeyPgDown}, "pgup": {Code: tea.KeyPgUp}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "space": {Code: tea.KeySpace, Text: " "},
	"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "backspace": {Code: tea.KeyBackspace}, "f1": {Code: tea.KeyF1},
}

// Press returns the press of a key: a special one by its name, "ctrl+r", or a character.
func Press(key string) tea.KeyPressMsg {
	if k, ok := special[key]; ok {
		return k
	}
	if c, ok := strings.CutPrefix(key, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: []rune(c)[0], Mod: tea.ModCtrl}
	}
	r := []rune(key)
	return tea.KeyPressMsg{Code: r[0], Text: key}
}
