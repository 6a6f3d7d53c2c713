package screen

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Roles besides the styles of text.
const (
	cursorLine   = int(styleCount) + iota // the bar; its default depends on the terminal
	match                                 // of a search, added to the style of the text
	currentMatch                          // a match on the cursor's line

	roleCount
)

// Role is something whose colors a user may choose. The name is for users and never changes.
type Role struct{ Name, Does string }

// roles are the names of the styles, and of the roles besides.
var roles = [roleCount]Role{
	Plain: {"text", "everything else"}, Faint: {"faint", "values without a color of their own, hints, classes, object ids"},
	Bold: {"strong", "messages, threads, headings"}, Accent: {"accent", "titles, marks of rows"},
	FieldName: {"field", "names of fields"}, VariableName: {"variable", "names of variables"}, ArrayName: {"array", "names of arrays"},
	Keyword: {"keyword", "words such as new, loop, catch"}, Alarm: {"alarm", "throw, and messages about failures"},
	StringText: {"string", "texts"}, NumberText: {"number", "numbers"}, Method: {"method", "names of methods"},
	Result: {"result", "what a call returned"}, Exception: {"exception", "exceptions"}, Unfinished: {"unfinished", "calls that did not end"},
	Added: {"added", "in a diff"}, Removed: {"removed", "in a diff"}, Edited: {"edited", "in a diff"},
	cursorLine: {"cursor-line", "background of the cursor's line; \"\": gray or reverse, by terminal"},
	match:      {"match", "match of a search, on top of the style of the text"}, currentMatch: {"current-match", "match on the cursor's line"},
}

// standard returns the parameters of a role's escape sequence unless the user has chosen others.
func standard(role int) string {
	switch role {
	case cursorLine:
		return ""
	case match:
		return "7"
	case currentMatch:
		return current
	}
	return sgr[role]
}

// code returns the parameters of a role's escape sequence.
func code(g *Glyphs, role int) string {
	if g.Theme != nil {
		return g.Theme[role]
	}
	return standard(role)
}

// Roles returns all roles.
func Roles() []Role { return slices.Clone(roles[:]) }

// StyleOf returns how a role is drawn unless the user chooses otherwise, as [ParseStyle] reads it.
func StyleOf(name string) string { return spell(standard(roleNamed(name))) }

func roleNamed(name string) int {
	return slices.IndexFunc(roles[:], func(r Role) bool { return r.Name == name })
}

// Theme returns the parameters of all roles, for [Glyphs], with the styles that a user has chosen,
// by the names of their roles; nil if none. It ignores unknown roles and faulty styles.
func Theme(chosen map[string]string) []string {
	if len(chosen) == 0 {
		return nil
	}
	all := make([]string, roleCount)
	for role := range all {
		all[role] = standard(role)
		if text, ok := chosen[roles[role].Name]; ok {
			if parameters, err := ParseStyle(text); err == nil {
				all[role] = parameters
			}
		}
	}
	return all
}

// TrueColor reports whether a theme has colors beyond the 256 of most terminals.
func TrueColor(theme []string) bool {
	return slices.ContainsFunc(theme, func(code string) bool { return strings.Contains(";"+code, "8;2;") })
}

// colorNames are the 16 colors of every terminal: the first 8 are 30 to 37, their bright ones 90 to 97.
var colorNames = []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}

// attributes are the words for how text is drawn besides its color; their order is that of
// their parameters.
var attributes = []struct{ name, code string }{{"bold", "1"}, {"dim", "2"}, {"italic", "3"}, {"underline", "4"}, {"reverse", "7"}}

// ParseStyle returns the parameters of the escape sequence for a style: attributes, a color, and a
// background after the word on, such as "bold red on #303030". A color is one of 16 names, a number
// from 0 to 255 or #rrggbb. "none" is plain text.
func ParseStyle(text string) (parameters string, err error) {
	var set [len("bdiur")]bool
	colors := [2]string{} // foreground, background
	ground := 0
	for _, word := range strings.Fields(strings.ToLower(text)) {
		i := slices.IndexFunc(attributes, func(a struct{ name, code string }) bool { return a.name == word })
		switch {
		case word == "none":
		case word == "on" && ground == 0:
			ground = 1
		case i >= 0:
			set[i] = true
		case colors[ground] != "":
			return "", fmt.Errorf("%q is a second color; a background follows the word on", word)
		default:
			if colors[ground], err = parseColor(word, 10*ground); err != nil {
				return "", err
			}
		}
	}
	if ground == 1 && colors[1] == "" {
		return "", errors.New("no color follows the word on")
	}
	var all []string
	for i, a := range attributes {
		if set[i] {
			all = append(all, a.code)
		}
	}
	for _, c := range colors {
		if c != "" {
			all = append(all, c)
		}
	}
	return strings.Join(all, ";"), nil
}

// parseColor returns the parameters of a color; those of a background are larger by 10.
func parseColor(word string, add int) (string, error) {
	name, bright := strings.CutPrefix(strings.ReplaceAll(word, "-", ""), "bright")
	if i := slices.Index(colorNames, name); i >= 0 {
		if bright {
			i += 60
		}
		return strconv.Itoa(30 + add + i), nil
	}
	if word == "gray" || word == "grey" {
		return strconv.Itoa(90 + add), nil
	}
	if digits, ok := strings.CutPrefix(word, "#"); ok {
		if len(digits) == 3 {
			digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
		}
		rgb, err := strconv.ParseUint(digits, 16, 24)
		if err != nil || len(digits) != 6 {
			return "", fmt.Errorf("%q is not a color: write #rrggbb", word)
		}
		return fmt.Sprintf("%d;2;%d;%d;%d", 38+add, rgb>>16, rgb>>8&0xff, rgb&0xff), nil
	}
	if n, err := strconv.ParseUint(word, 10, 8); err == nil {
		return fmt.Sprintf("%d;5;%d", 38+add, n), nil
	}
	return "", fmt.Errorf("%q is no color: use %s, bright-red and so on, 0 to 255 or #rrggbb; before it bold, dim, italic, underline, reverse",
		word, strings.Join(colorNames, ", "))
}

// spell is the inverse of ParseStyle, for styles of the 16 colors.
func spell(parameters string) string {
	if parameters == "" {
		return ""
	}
	var words []string
	for p := range strings.SplitSeq(parameters, ";") {
		n, _ := strconv.Atoi(p) // the table has only numbers
		if n < 30 {
			i := slices.IndexFunc(attributes, func(a struct{ name, code string }) bool { return a.code == p })
			words = append(words, attributes[i].name)
			continue
		}
		if n%60 >= 40 {
			words, n = append(words, "on"), n-10
		}
		name := colorNames[n%30]
		if n >= 90 {
			name = "bright-" + name
		}
		words = append(words, name)
	}
	return strings.Join(words, " ")
}
