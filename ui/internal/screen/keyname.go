package screen

import (
	"strings"
)

// keyNames spells keys as the user reads them.
var keyNames = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "PgDn", "pgup": "PgUp", "home": "Home", "end": "End",
	"enter": "Enter", "space": "Space", "tab": "Tab", "shift+tab": "Shift-Tab", "esc": "Esc", "f1": "F1",
}

var asciiKeyNames = map[string]string{"up": "Up", "down": "Down", "left": "Left", "right": "Right"}

// KeyName returns the name that the user reads for a key named by Bubble Tea.
func KeyName(key string, g *Glyphs) string {
	if name, ok := asciiKeyNames[key]; ok && g.ASCII {
		return name
	}
	if name, ok := keyNames[key]; ok {
		return name
	}
	if c, ok := strings.CutPrefix(key, "ctrl+"); ok {
		return "Ctrl-" + strings.ToUpper(c)
	}
	return key
}
