package ui

import "tracex/format"

// style is how a piece of text is drawn. Colours are the terminal's own 16, so
// that they fit its background, light or dark, without asking for it; those
// that are illegible on one of the two (yellow, white, bright cyan) are not
// used. No meaning is in colour alone: marks, words or attributes say it too.
type style uint8

const (
	plain style = iota
	faint
	bold
	accent // titles, the cursor's mark, marks of nodes
	fieldName
	variableName
	arrayName
	keyword
	alarm
	stringText
	numberText
	result
	exception
	unfinished
	added
	removed
	edited
	bar // reversed: prompts, the head of an overlay

	styleCount
)

// sgr holds the parameters of each style's escape sequence.
var sgr = [styleCount]string{
	plain: "", faint: "2", bold: "1", accent: "94", fieldName: "36", variableName: "94", arrayName: "34",
	keyword: "1", alarm: "1;31", stringText: "32", numberText: "35", result: "1", exception: "31",
	unfinished: "1;35", added: "32", removed: "31", edited: "35", bar: "7",
}

// ofSpan is the style of a part of a point's text. Names are coloured by the
// kind of the point.
func ofSpan(s format.Style, class format.Class) style {
	switch s {
	case format.StyleName:
		return ofName(class)
	case format.StyleKeyword:
		return keyword
	case format.StyleAlarm:
		return alarm
	case format.StyleString:
		return stringText
	case format.StyleNumber:
		return numberText
	case format.StyleResult:
		return result
	case format.StyleException:
		return exception
	case format.StyleUnfinished:
		return unfinished
	}
	return faint // values without a hue, marks, locations
}

func ofName(class format.Class) style {
	switch class {
	case format.ClassFieldRead, format.ClassFieldWrite:
		return fieldName
	case format.ClassVariableRead, format.ClassVariableWrite:
		return variableName
	case format.ClassArrayRead, format.ClassArrayWrite:
		return arrayName
	}
	return plain
}

// diffMark returns the mark of the first column for a diff status.
func diffMark(d format.DiffStatus) (mark string, s style) {
	switch d {
	case format.DiffRemoved:
		return "-", removed
	case format.DiffAdded:
		return "+", added
	case format.DiffEditedOld, format.DiffEditedNew:
		return "!", edited
	}
	return " ", plain
}

// glyphs are the signs that the screen is made of besides the trace's own text.
type glyphs struct {
	ascii                        bool
	cursor, open, closed, absent string
	spin                         []string
	more, gap, rule, dot, crumb  string
	side, atLeast, check, warn   string
	atMost, sorted, micro        string
	gauge                        []string // pieces of a bar: one step of a cell, two, …, all of it
}

var unicodeGlyphs = glyphs{
	cursor: "▌", open: "▾", closed: "▸", absent: "▹",
	spin: []string{"⣾", "⣽", "⣻", "⢿", "⡿", "⣟", "⣯", "⣷"},
	more: "…", gap: "⋯", rule: "─", dot: "·", crumb: "›", side: "│", atLeast: "≥ ", check: "✓", warn: "⚠",
	atMost: "≤", sorted: "▼", micro: "µs",
	gauge: []string{"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
}

var asciiGlyphs = glyphs{
	ascii:  true,
	cursor: "|", open: "v", closed: "+", absent: ">",
	spin: []string{"*", "+", "x", "+"},
	more: "...", gap: "...", rule: "-", dot: "-", crumb: ">", side: "|", atLeast: ">=", check: "ok", warn: "!",
	atMost: "<=", sorted: "V", micro: "us",
	gauge: []string{"#"},
}
