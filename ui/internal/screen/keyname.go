package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// keyNames spells keys as the user reads them.
var keyNames = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "PgDn", "pgup": "PgUp", "home": "Home", "end": "End",
	"enter": "Enter", "space": "Space", "tab": "Tab", "esc": "Esc",
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
		return "Ctrl-" + capital(KeyName(c, g))
	}
	if c, ok := strings.CutPrefix(key, "shift+"); ok {
		return "Shift-" + KeyName(c, g)
	}
	if len([]rune(key)) > 1 { // a key with a name
		return capital(key)
	}
	return key
}

// capital makes the first letter of a name a capital.
func capital(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[n:]
}

// ActionKey returns the name of the key of an action, as the user has it now. For an action without a key
// it is that of the action, as a command.
func ActionKey(action string, g *Glyphs) string {
	if name, ok := g.Keys[action]; ok {
		return name
	}
	return ":" + action
}
