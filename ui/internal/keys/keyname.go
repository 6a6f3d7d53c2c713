package keys

import (
	"errors"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/screen"
)

// special are the keys that are not characters, by their names.
var special = map[string]rune{
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "insert": tea.KeyInsert, "delete": tea.KeyDelete, "backspace": tea.KeyBackspace,
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace,
	"f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f6": tea.KeyF6,
	"f7": tea.KeyF7, "f8": tea.KeyF8, "f9": tea.KeyF9, "f10": tea.KeyF10, "f11": tea.KeyF11, "f12": tea.KeyF12,
}

// aliases are other spellings of those names.
var aliases = map[string]string{
	"escape": "esc", "return": "enter", "pageup": "pgup", "page-up": "pgup", "pagedown": "pgdown", "page-down": "pgdown", "pgdn": "pgdown",
	"del": "delete", "ins": "insert", " ": "space",
}

// modifiers are the spellings of Ctrl, Shift and Alt before a key.
var modifiers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i)(ctrl|control|c|shift|s|alt|meta|m)[+-]`) })

// same are keys that a terminal sends as others.
var same = map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+?": "backspace"}

// ParseKey returns the name that Bubble Tea gives to a key: of a character the character itself, of
// others "pgdown", "f1", "ctrl+d", "shift+tab". The spelling may differ: PgDn, C-d.
func ParseKey(text string) (name string, err error) {
	ctrl, shift, base := false, false, text
	if rest, ok := strings.CutPrefix(base, "^"); ok && rest != "" {
		ctrl, base = true, rest
	}
	for m := modifiers().FindString(base); m != "" && len(m) < len(base); m = modifiers().FindString(base) {
		switch base = base[len(m):]; m[0] | ' ' {
		case 'c':
			ctrl = true
		case 's':
			shift = true
		default:
			return "", errors.New("keys with Alt do not exist here: terminals send them as Esc and the key")
		}
	}
	char := utf8.RuneCountInString(base) == 1 && base != " "
	if !char {
		base = strings.ToLower(base)
		if other, ok := aliases[base]; ok {
			base = other
		}
		if _, ok := special[base]; !ok {
			return "", errors.New("no such key: keys are characters, up, pgdown, enter, space, esc, tab, f1, ctrl+d, shift+tab")
		}
	}
	r, _ := utf8.DecodeRuneInString(base)
	switch {
	case !char:
	case !unicode.IsPrint(r):
		return "", errors.New("no such key: it is not a character that can be typed")
	case ctrl:
		base, shift = strings.ToLower(base), false
	case shift:
		base, shift = strings.ToUpper(base), false
	}
	if char && !ctrl && '0' <= r && r <= '9' {
		return "", errors.New("digits are the count before a key")
	}
	if shift {
		base = "shift+" + base
	}
	if ctrl {
		base = "ctrl+" + base
	}
	if other, ok := same[base]; ok {
		return "", errors.New("terminals send it as " + other)
	}
	return base, nil
}

// Press returns the press of a key that has such a name.
func Press(name string) tea.KeyPressMsg {
	var k tea.KeyPressMsg
	base, ok := strings.CutPrefix(name, "ctrl+")
	if ok {
		k.Mod |= tea.ModCtrl
	}
	if rest, ok := strings.CutPrefix(base, "shift+"); ok {
		k.Mod |= tea.ModShift
		base = rest
	}
	code, ok := special[base]
	if !ok {
		code, _ = utf8.DecodeRuneInString(base)
	}
	k.Code = code
	switch {
	case k.Mod != 0:
	case base == "space":
		k.Text = " "
	case !ok:
		k.Text = base
	}
	return k
}

// spelled are the names that the user reads of keys with other names; arrows are words in ASCII.
var (
	spelled = map[string]string{"pgdown": "PgDn", "pgup": "PgUp"}
	arrows  = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→"}
)

// KeyName returns the name that the user reads for a key named by Bubble Tea.
func KeyName(key string, g *screen.Glyphs) string {
	if arrow, ok := arrows[key]; ok && !g.ASCII {
		return arrow
	}
	if name, ok := spelled[key]; ok {
		return name
	}
	if c, ok := strings.CutPrefix(key, "ctrl+"); ok {
		return "Ctrl-" + capital(KeyName(c, g))
	}
	if c, ok := strings.CutPrefix(key, "shift+"); ok {
		return "Shift-" + KeyName(c, g)
	}
	if utf8.RuneCountInString(key) > 1 { // a key with a name
		return capital(key)
	}
	return key
}

func capital(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[n:]
}

// ActionKey returns the name of the key of an action as the user has it; without one, its name as a command.
func ActionKey(action string, g *screen.Glyphs) string {
	if name, ok := g.Keys[action]; ok {
		return name
	}
	return ":" + action
}
