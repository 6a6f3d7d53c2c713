package screen

import (
	"cmp"
	"os"
	"runtime"
	"strings"
)

// asciiLocale reports whether the environment says that text is not UTF-8. Like
// tmux and what uses curses, it takes the first that is set of LC_ALL, LC_CTYPE
// and LANG, and without any of them the locale is C. Windows has no such
// variables, and terminals of macOS, which may set none, show UTF-8.
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
	switch strings.ToLower(charset) {
	case "utf-8", "utf8":
		return false
	}
	return system != "windows"
}

// PlainTerminal reports whether the screen is to be drawn with ASCII alone,
// unless a person says otherwise.
func PlainTerminal() bool { return DumbTerminal() || asciiLocale(runtime.GOOS, os.Getenv) }

// DumbTerminal reports whether the terminal says that it can do next to nothing.
func DumbTerminal() bool { return os.Getenv("TERM") == "dumb" }
