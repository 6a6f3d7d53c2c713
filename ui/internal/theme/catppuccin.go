package theme

// catppuccin is Mocha on dark backgrounds and Latte on light ones: https://catppuccin.com/palette. Most of Latte's
// colors are too pale for text; these are the same hues, darker.
var catppuccin = bothWays("catppuccin", "Mocha, or Latte on a light background", map[string]string{
	"strong": "bold", "method": "bold",
}, map[string][2]string{
	"text":          {"#cdd6f4 on #1e1e2e", "#4c4f69 on #eff1f5"},
	"faint":         {"#7f849c", "#787b8f"},
	"accent":        {"#89b4fa", "#0a55e3"},
	"field":         {"#94e2d5", "#046d72"},
	"variable":      {"#b4befe", "#4856c7"},
	"array":         {"#89dceb", "#036893"},
	"keyword":       {"#cba6f7", "#802de5"},
	"string":        {"#a6e3a1", "#1a7000"},
	"number":        {"#fab387", "#aa4005"},
	"alarm":         {"bold #f38ba8", "bold #c50233"},
	"exception":     {"#f38ba8", "#c50233"},
	"unfinished":    {"bold #f9e2af", "bold #8c5500"},
	"added":         {"#a6e3a1", "#1a7000"},
	"removed":       {"#fab387", "#aa4005"},
	"edited":        {"#cba6f7", "#802de5"},
	"cursor-line":   {"on #313244", "on #dce0e8"},
	"current-match": {"bold underline #1e1e2e on #f9e2af", "bold underline #2b2d42 on #eaa63c"},
	"warm":          {"#c29a3c", "#7b5b02"}, "hot": {"#e98739", "#954c08"},
	"track": {"#454c57", "#b3bcc8"},
	"hue1":  {"#70a3db", "#1a61a6"}, "hue2": {"#76b784", "#06652d"},
	"hue3": {"#c99658", "#875506"}, "hue4": {"#ba9bde", "#6d4595"},
	"hue5": {"#3dafb5", "#066b6f"}, "hue6": {"#abad60", "#5a5b0a"},
	"hue7": {"#ce8ab7", "#93427c"}, "hue8": {"#97a5e9", "#4751a2"},
})
