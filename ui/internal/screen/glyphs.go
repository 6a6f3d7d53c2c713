package screen

// Glyphs are the signs that the screen uses besides the trace's own text: a table, with a field
// for each sign.
type Glyphs struct {
	ASCII                        bool
	Cursor, Open, Closed, Absent string
	Spin                         []string
	More, Gap, Rule, Dot, Crumb  string
	Side, AtLeast, Check, Warn   string
	AtMost, Sorted, Micro        string
	Gauge                        []string // fillings of a cell in a bar: the smallest first, a full cell last
}

// Unicode are the signs of a terminal that shows all characters.
var Unicode = Glyphs{
	Cursor: "▌", Open: "▾", Closed: "▸", Absent: "▹",
	Spin: []string{"⣾", "⣽", "⣻", "⢿", "⡿", "⣟", "⣯", "⣷"},
	More: "…", Gap: "⋯", Rule: "─", Dot: "·", Crumb: "›", Side: "│", AtLeast: "≥ ", Check: "✓", Warn: "⚠",
	AtMost: "≤", Sorted: "▼", Micro: "µs",
	Gauge: []string{"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
}

// ASCII are the signs of a terminal that shows only ASCII.
var ASCII = Glyphs{
	ASCII:  true,
	Cursor: "|", Open: "v", Closed: "+", Absent: ">",
	Spin: []string{"*", "+", "x", "+"},
	More: "...", Gap: "...", Rule: "-", Dot: "-", Crumb: ">", Side: "|", AtLeast: ">=", Check: "ok", Warn: "!",
	AtMost: "<=", Sorted: "V", Micro: "us",
	Gauge: []string{"#"},
}
