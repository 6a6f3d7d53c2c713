package screen

import (
	"cmp"
	"os"
	"runtime"
	"slices"
	"strings"

	"tracex/lazy/query/display"
	"tracex/ui/internal/theme"
)

// Glyphs are the signs and pens that the screen is drawn with. Each explorer has a copy: pens depend on its terminal.
type Glyphs struct {
	*display.Glyphs
	Pens *theme.Pens
	Keys map[string]string // names of keys that texts mention, by the names of their actions
}

// Unicode and ASCII are for the two sorts of terminals.
var (
	Unicode = Glyphs{Glyphs: &display.Unicode}
	ASCII   = Glyphs{Glyphs: &display.ASCII}
)

// asciiLocale reports whether the environment declares an encoding other than UTF-8. Like tmux, it uses the first of
// LC_ALL, LC_CTYPE and LANG that is set, or C; but terminals of Windows and macOS, which may set none, show UTF-8.
func asciiLocale(system string, getenv func(string) string) bool {
	locale := cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG"))
	if locale == "" {
		return system != "windows" && system != "darwin"
	}
	_, charset, ok := strings.Cut(locale, ".")
	charset, _, _ = strings.Cut(charset, "@")
	if !ok {
		charset = locale // macOS: LC_CTYPE=UTF-8
	}
	return system != "windows" && !slices.Contains([]string{"utf-8", "utf8"}, strings.ToLower(charset))
}

// PlainTerminal reports whether to draw the screen with ASCII only, unless the user chooses otherwise.
func PlainTerminal() bool { return DumbTerminal() || asciiLocale(runtime.GOOS, os.Getenv) }

// DumbTerminal reports whether the terminal declares that it can do next to nothing.
func DumbTerminal() bool { return os.Getenv("TERM") == "dumb" }
