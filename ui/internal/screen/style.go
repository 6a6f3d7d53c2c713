package screen

import "tracex/format"

// Style is how a run of text is drawn. Colors are the terminal's own 16, so they fit its
// background, light or dark, without asking for it. Those that are illegible on one of the two
// (yellow, white, bright cyan) are not used. Color never carries meaning by itself: marks,
// words or attributes repeat it. A [format.Style] tells what a run of text is; [SpanStyle] tells how
// that is drawn.
type Style uint8

const (
	Plain Style = iota
	Faint
	Bold
	Accent // titles, the cursor's mark, marks of nodes
	FieldName
	VariableName
	ArrayName
	Keyword
	Alarm
	StringText
	NumberText
	Method
	Result
	Exception
	Unfinished
	Added
	Removed
	Edited

	styleCount
)

// sgr holds the parameters of each style's escape sequence.
var sgr = [styleCount]string{
	Plain: "", Faint: "2", Bold: "1", Accent: "94", FieldName: "36", VariableName: "94", ArrayName: "34",
	Keyword: "1", Alarm: "1;31", StringText: "32", NumberText: "35", Method: "1", Result: "", Exception: "31",
	Unfinished: "1;35", Added: "32", Removed: "31", Edited: "35",
}

// SpanStyle returns the style of a part of a point's text. The color of names depends on the
// class of the point.
func SpanStyle(s format.Style, class format.Class) Style {
	switch s {
	case format.StyleName:
		return nameStyle(class)
	case format.StyleKeyword:
		return Keyword
	case format.StyleAlarm:
		return Alarm
	case format.StyleString:
		return StringText
	case format.StyleNumber:
		return NumberText
	case format.StyleMethod:
		return Method
	case format.StyleResult:
		return Result
	case format.StyleException:
		return Exception
	case format.StyleUnfinished:
		return Unfinished
	}
	return Faint // values without a hue, hashes, classes before a method, marks, locations
}

func nameStyle(class format.Class) Style {
	switch class {
	case format.ClassFieldRead, format.ClassFieldWrite:
		return FieldName
	case format.ClassVariableRead, format.ClassVariableWrite:
		return VariableName
	case format.ClassArrayRead, format.ClassArrayWrite:
		return ArrayName
	}
	return Plain
}

// DiffMark returns the mark of the first column for a diff status.
func DiffMark(d format.DiffStatus) (mark string, s Style) {
	switch d {
	case format.DiffRemoved:
		return "-", Removed
	case format.DiffAdded:
		return "+", Added
	case format.DiffEditedOld, format.DiffEditedNew:
		return "!", Edited
	}
	return " ", Plain
}
