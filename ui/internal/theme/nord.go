package theme

// nord has the palette of https://www.nordtheme.com. Its red, purple and dark blues are too dark for text on its
// background; these are the same hues, lighter, and for the light variant darker.
var nord = bothWays("nord", "dark and light", map[string]string{
	"strong": "bold", "method": "bold",
}, map[string][2]string{
	"text":          {"#d8dee9 on #2e3440", "#2e3440 on #eceff4"},
	"faint":         {"#8390aa", "#717c93"},
	"accent":        {"#88c0d0", "#3b6290"},
	"field":         {"#8fbcbb", "#2f6666"},
	"variable":      {"#92b3d3", "#3f6286"},
	"array":         {"#a5b8dd", "#4b5690"},
	"keyword":       {"#cba4c4", "#7b5278"},
	"string":        {"#a3be8c", "#4c6634"},
	"number":        {"#ebcb8b", "#75590f"},
	"alarm":         {"bold #f7939b", "bold #a03c47"},
	"exception":     {"#f7939b", "#a03c47"},
	"unfinished":    {"bold #ebcb8b", "bold #75590f"},
	"added":         {"#a3be8c", "#4c6634"},
	"removed":       {"#e8ab8f", "#8d5228"},
	"edited":        {"#cba4c4", "#7b5278"},
	"cursor-line":   {"on #3b4252", "on #dce2ec"},
	"current-match": {"bold underline #2e3440 on #ebcb8b", "bold underline #2e3440 on #e3b04b"},
	"warm":          {"#cfaf6a", "#7a5c10"}, "hot": {"#f29f63", "#964e0a"},
	"track": {"#5d677b", "#b4bdc9"},
	"hue1":  {"#90b6e1", "#2f639a"}, "hue2": {"#97c7a0", "#1f6635"},
	"hue3": {"#d3ac7f", "#885608"}, "hue4": {"#c9b2e5", "#6a4b8b"},
	"hue5": {"#73bfc3", "#0a6c71"}, "hue6": {"#bdc087", "#5b5c00"},
	"hue7": {"#d7a3c4", "#8c4b78"}, "hue8": {"#aeb9ed", "#4a5494"},
})
