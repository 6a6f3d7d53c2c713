package theme

// gruvbox has the palette of https://github.com/morhetz/gruvbox, with a few colors a little lighter or darker, for
// text on the cursor's line.
var gruvbox = bothWays("gruvbox", "dark and light", map[string]string{
	"strong": "bold", "method": "bold",
}, map[string][2]string{
	"text":          {"#ebdbb2 on #282828", "#3c3836 on #fbf1c7"},
	"faint":         {"#928374", "#87786a"},
	"accent":        {"#89ab9e", "#076678"},
	"field":         {"#8ec07c", "#306947"},
	"variable":      {"#a9c2b6", "#2c5a66"},
	"array":         {"#b3c995", "#4b6420"},
	"keyword":       {"#db8da2", "#8f3f71"},
	"string":        {"#b8bb26", "#676203"},
	"number":        {"#fabd2f", "#865400"},
	"alarm":         {"bold #fe7e6a", "bold #9d0006"},
	"exception":     {"#fe7e6a", "#9d0006"},
	"unfinished":    {"bold #fabd2f", "bold #865400"},
	"added":         {"#b8bb26", "#676203"},
	"removed":       {"#fd9a3c", "#8f4a00"},
	"edited":        {"#89ab9e", "#076678"},
	"cursor-line":   {"on #3c3836", "on #ebdbb2"},
	"current-match": {"bold underline #282828 on #fabd2f", "bold underline #282828 on #eda41c"},
	"warm":          {"#caa144", "#77590b"}, "hot": {"#f18d41", "#934a03"},
	"track": {"#6b6259", "#afb8c4"},
	"hue1":  {"#77aae3", "#175fa4"}, "hue2": {"#7dbe8a", "#01632b"},
	"hue3": {"#d09c5f", "#845301"}, "hue4": {"#c1a2e6", "#6b4393"},
	"hue5": {"#46b6bc", "#00686d"}, "hue6": {"#b2b467", "#585806"},
	"hue7": {"#d591be", "#91407a"}, "hue8": {"#9eacf1", "#444e9e"},
})
