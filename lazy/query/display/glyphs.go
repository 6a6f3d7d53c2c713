// Package display turns names, values and numbers into text for the cells of a terminal: the
// output for a text that may be hostile ([Glyphs.NextCell]), its width, cutting it to a width, and how
// numbers and durations are written. The explorer and the commands use the same functions.
package display

// Glyphs are the signs that screens and tables use besides the trace's own text: a table, with a field
// for each sign.
type Glyphs struct {
	ASCII                        bool
	Cursor, Open, Closed, Absent string
	Spin                         []string
	More, Gap, Rule, Dot, Crumb  string
	Side, Below, Branch          string // a rule down the screen; where it begins below another one, and where one leaves it
	AtLeast, Check, Warn         string
	AtMost, Sorted, Micro        string
	Rising, About, None, Note    string
	End, Again, Cross            string
	Above                        string   // of a row that is scrolled out
	Threw                        string   // before the name of an exception
	Becomes, Versus              string   // between the old and the new; between two that are compared
	Moved                        string   // before where something was moved
	Filled                       []string // fillings of a cell in a bar: the smallest first, a full cell last
	Track                        string   // a cell of a bar that is not filled
	Thumb                        string   // where a scroll bar is
}

// Unicode are the signs of a terminal that shows all characters.
var Unicode = Glyphs{
	Cursor: "▌", Open: "▾", Closed: "▸", Absent: "▹",
	Spin: []string{"⣾", "⣽", "⣻", "⢿", "⡿", "⣟", "⣯", "⣷"},
	More: "…", Gap: "⋯", Rule: "─", Dot: "·", Crumb: "›", Side: "│", Below: "┬", Branch: "├", AtLeast: "≥ ", Check: "✓", Warn: "⚠",
	AtMost: "≤", Sorted: "▼", Micro: "µs",
	Rising: "▲", About: "≈", None: "–", Note: "✎", End: "┘", Again: "←", Cross: "✕", Above: "▴", Threw: "✗ ", Becomes: "→", Versus: "↔", Moved: "»",
	Filled: []string{"╸", "━"}, Track: "─", Thumb: "┃",
}

// ASCII are the signs of a terminal that shows only ASCII.
var ASCII = Glyphs{
	ASCII:  true,
	Cursor: "|", Open: "v", Closed: "+", Absent: ">",
	Spin: []string{"*", "+", "x", "+"},
	More: "...", Gap: "...", Rule: "-", Dot: "-", Crumb: ">", Side: "|", Below: "+", Branch: "+", AtLeast: ">=", Check: "ok", Warn: "!",
	AtMost: "<=", Sorted: "V", Micro: "us",
	Rising: "^", About: "~", None: "-", Note: "n", End: "/", Again: "<-", Cross: "x", Above: "^", Threw: "! ", Becomes: "->", Versus: "<->", Moved: ">>",
	Filled: []string{"#"}, Track: ".", Thumb: "#",
}
