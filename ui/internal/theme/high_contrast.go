package theme

// highContrast has white on black or black on white, no faint text, and attributes wherever others have only a color.
var highContrast = bothWays("high-contrast", "white on black, or black on white; nothing is faint", map[string]string{
	"strong": "bold", "method": "bold", "keyword": "italic",
	"faint": "none", "unfinished": "bold underline",
}, map[string][2]string{
	"text":          {"#ffffff on #000000", "#000000 on #ffffff"},
	"faint":         {"#c8c8c8", "#404040"},
	"accent":        {"bold #5ccfff", "bold #003f9e"},
	"field":         {"#7df9ff", "#00474d"},
	"variable":      {"#9cd2ff", "#003a75"},
	"array":         {"#c9bdff", "#3a2a8c"},
	"keyword":       {"italic #e6b3ff", "italic #5a1a80"},
	"string":        {"#9dff8a", "#0f4d00"},
	"number":        {"#ffd75f", "#663500"},
	"alarm":         {"bold underline #ff8080", "bold underline #a30010"},
	"exception":     {"bold #ff8080", "bold #a30010"},
	"unfinished":    {"bold underline #ffd75f", "bold underline #5c4000"},
	"added":         {"#9dff8a", "#0f4d00"},
	"removed":       {"underline #ffb060", "underline #7a3300"},
	"edited":        {"italic #e6b3ff", "italic #5a1a80"},
	"cursor-line":   {"on #00386b", "on #cfe4ff"},
	"current-match": {"bold underline #000000 on #ffffff", "bold underline #ffffff on #000000"},
	"warm":          {"#cf9d10", "#7c5c04"}, "hot": {"#fd850b", "#964e0a"},
	"track": {"#6a6a6a", "#b4beca"},
	"hue1":  {"#57a8ff", "#0662b0"}, "hue2": {"#58c274", "#08662e"},
	"hue3": {"#e2941f", "#885608"}, "hue4": {"#c998fe", "#7739ae"},
	"hue5": {"#03b7be", "#0a6c71"}, "hue6": {"#b2b32a", "#5c5c01"},
	"hue7": {"#e882c8", "#a63088"}, "hue8": {"#9aaafc", "#444abf"},
})
