package theme

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// colorNames are the first 8 colors of every terminal; 8 more are their bright ones.
var colorNames = []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}

// attribute is a word for how text is drawn besides its color.
type attribute struct {
	name string
	set  func(lipgloss.Style, bool) lipgloss.Style
	has  func(lipgloss.Style) bool
	code ansi.Attr
}

var attributes = []attribute{
	{"bold", lipgloss.Style.Bold, lipgloss.Style.GetBold, ansi.AttrBold},
	{"dim", lipgloss.Style.Faint, lipgloss.Style.GetFaint, ansi.AttrFaint},
	{"italic", lipgloss.Style.Italic, lipgloss.Style.GetItalic, ansi.AttrItalic},
	{"underline", lipgloss.Style.Underline, lipgloss.Style.GetUnderline, ansi.AttrUnderline},
	{"reverse", lipgloss.Style.Reverse, lipgloss.Style.GetReverse, ansi.AttrReverse},
}

// Parse reads a style as users write it: attributes, a color, and a background after the word on: "red on #303030".
// A color is one of 16 names, a number from 0 to 255 or #rrggbb. "none" is plain text.
func Parse(text string) (s lipgloss.Style, err error) {
	var colors [2]color.Color // foreground, background
	ground := 0
	for _, word := range strings.Fields(strings.ToLower(text)) {
		i := slices.IndexFunc(attributes, func(a attribute) bool { return a.name == word })
		switch {
		case word == "none":
		case word == "on" && ground == 0:
			ground = 1
		case i >= 0:
			s = attributes[i].set(s, true)
		case colors[ground] != nil:
			return lipgloss.Style{}, fmt.Errorf("%q is a second color; a background follows the word on", word)
		default:
			if colors[ground], err = parseColor(word); err != nil {
				return lipgloss.Style{}, err
			}
		}
	}
	if ground == 1 && colors[1] == nil {
		return lipgloss.Style{}, errors.New("no color follows the word on")
	}
	if colors[0] != nil {
		s = s.Foreground(colors[0])
	}
	if colors[1] != nil {
		s = s.Background(colors[1])
	}
	return s, nil
}

func parseColor(word string) (color.Color, error) {
	name, bright := strings.CutPrefix(strings.ReplaceAll(word, "-", ""), "bright")
	if i := slices.Index(colorNames, name); i >= 0 {
		if bright {
			i += len(colorNames)
		}
		return ansi.BasicColor(i), nil
	}
	if word == "gray" || word == "grey" {
		return lipgloss.BrightBlack, nil
	}
	if strings.HasPrefix(word, "#") {
		if c := lipgloss.Color(word); c != (lipgloss.NoColor{}) {
			return c, nil
		}
		return nil, fmt.Errorf("%q is not a color: write #rrggbb", word)
	}
	if n, err := strconv.ParseUint(word, 10, 8); err == nil {
		return ansi.IndexedColor(n), nil
	}
	return nil, fmt.Errorf("%q is no color: use %s, bright-red and so on, 0 to 255 or #rrggbb; before it bold, dim, italic, underline, reverse",
		word, strings.Join(colorNames, ", "))
}

// Spell is the inverse of [Parse]: the words of a style; "" for plain text.
func Spell(s lipgloss.Style) string {
	var words []string
	for _, a := range attributes {
		if a.has(s) {
			words = append(words, a.name)
		}
	}
	if name := colorName(s.GetForeground()); name != "" {
		words = append(words, name)
	}
	if name := colorName(s.GetBackground()); name != "" {
		words = append(words, "on", name)
	}
	return strings.Join(words, " ")
}

// colorName is the inverse of parseColor; "" for no color.
func colorName(c color.Color) string {
	switch c := c.(type) {
	case lipgloss.NoColor:
		return ""
	case ansi.BasicColor:
		if int(c) >= len(colorNames) {
			return "bright-" + colorNames[int(c)-len(colorNames)]
		}
		return colorNames[c]
	case ansi.IndexedColor:
		return strconv.Itoa(int(c))
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
