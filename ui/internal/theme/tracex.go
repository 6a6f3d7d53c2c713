package theme

// tracex is our own theme. It leaves the terminal's background and its color of text, and is legible on all
// backgrounds that people have: from black to the gray of Nord, from white to the cream of Gruvbox. Red is for errors
// only; the accent is blue.
var tracex = bothWays(Standard, "quiet, on the terminal's own background", map[string]string{
	"strong": "bold", "method": "bold",
}, map[string][2]string{
	"faint":         {"#8a94a6", "#757d8d"},
	"accent":        {"#6cb6ff", "#0b62c4"},
	"field":         {"#7fcfc8", "#00696e"},
	"variable":      {"#9cc4ee", "#24579c"},
	"array":         {"#b7adf2", "#5a48ad"},
	"keyword":       {"#c8a8ef", "#7b3fa5"},
	"string":        {"#a3d08c", "#2f6b22"},
	"number":        {"#e2bd85", "#8a4c00"},
	"alarm":         {"bold #ff7a7a", "bold #bf1d2a"},
	"exception":     {"#ff7a7a", "#bf1d2a"},
	"unfinished":    {"bold #ecc862", "bold #7d5a00"},
	"added":         {"#8fd694", "#1a6e32"},
	"removed":       {"#f0a868", "#9c4a00"},
	"edited":        {"#c8a8ef", "#7b3fa5"},
	"cursor-line":   {"on #263449", "on #dbe6f7"},
	"current-match": {"bold underline #1d1600 on #ffcc4d", "bold underline #1d1600 on #ffb92e"},
	"warm":          {"#c49a35", "#7e5e08"}, "hot": {"#ec8634", "#9a4e02"},
	"track": {"#454d57", "#b7c0cc"},
	"hue1":  {"#6ea4df", "#1965ad"}, "hue2": {"#73b882", "#01692e"},
	"hue3": {"#cb9654", "#8a580c"}, "hue4": {"#bb9be2", "#71469b"},
	"hue5": {"#34b0b6", "#0f6e73"}, "hue6": {"#acae5c", "#5e5e05"},
	"hue7": {"#d08ab9", "#994480"}, "hue8": {"#97a5ed", "#4852a7"},
})
