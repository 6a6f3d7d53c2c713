package theme

import (
	"cmp"

	"tracex/format"
)

// Role is what a run of text is. Color never carries meaning by itself: marks, words or attributes repeat it.
type Role uint8

const (
	Plain Role = iota
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
	Warm  // a bar of at least half of the whole, and what is as much
	Hot   // of nearly all of it
	Track // what a bar leaves
	Hue1  // of a package; the others follow it
	Hue2
	Hue3
	Hue4
	Hue5
	Hue6
	Hue7
	Hue8
	Chip // what is in force, and keys in the help

	CursorLine   // from edge to edge, below the styles of its text
	Match        // of a search, on top of the style of the text
	CurrentMatch // a match on the cursor's line

	RoleCount
)

// roles has the names of the roles, which are for users and never change.
var roles = [RoleCount]struct{ name, does string }{
	Plain: {"text", "everything else"}, Faint: {"faint", "values without a color of their own, hints, classes, object ids"},
	Bold: {"strong", "messages, threads, headings"}, Accent: {"accent", "titles, marks of rows"},
	FieldName: {"field", "names of fields"}, VariableName: {"variable", "names of variables"}, ArrayName: {"array", "names of arrays"},
	Keyword: {"keyword", "words such as new, loop, catch"}, Alarm: {"alarm", "throw, and messages about failures"},
	StringText: {"string", "texts"}, NumberText: {"number", "numbers"}, Method: {"method", "names of methods"},
	Result: {"result", "what a call returned"}, Exception: {"exception", "exceptions"}, Unfinished: {"unfinished", "calls that did not end"},
	Added: {"added", "in a diff"}, Removed: {"removed", "in a diff"}, Edited: {"edited", "in a diff"},
	Warm: {"warm", "half of the time or more"}, Hot: {"hot", "nearly all of the time"}, Track: {"track", "what a bar leaves"},
	Hue1: {"hue1", "a package"}, Hue2: {"hue2", "a package"}, Hue3: {"hue3", "a package"}, Hue4: {"hue4", "a package"},
	Hue5: {"hue5", "a package"}, Hue6: {"hue6", "a package"}, Hue7: {"hue7", "a package"}, Hue8: {"hue8", "a package"},
	Chip:       {"chip", "what is in force: the filter, steps; keys in the help"},
	CursorLine: {"cursor-line", "background of the cursor's line"},
	Match:      {"match", "match of a search, on top of the style of the text"}, CurrentMatch: {"current-match", "match on the cursor's line"},
}

// Name returns what users call a role.
func (r Role) Name() string { return roles[r].name }

// Does returns what is drawn in a role, for users.
func (r Role) Does() string { return roles[r].does }

// ofSpans are the roles of the parts of a point's text. What has none, such as a hash or a location, is faint.
var ofSpans = [256]Role{
	format.StyleKeyword: Keyword, format.StyleAlarm: Alarm, format.StyleString: StringText, format.StyleNumber: NumberText,
	format.StyleMethod: Method, format.StyleResult: Result, format.StyleException: Exception, format.StyleUnfinished: Unfinished,
}

// ofNames are the roles of names in the text of a point, by its class.
var ofNames = map[format.Class]Role{
	format.ClassFieldRead: FieldName, format.ClassFieldWrite: FieldName, format.ClassArrayRead: ArrayName, format.ClassArrayWrite: ArrayName,
	format.ClassVariableRead: VariableName, format.ClassVariableWrite: VariableName,
}

// OfSpan returns the role of a part of a point's text. That of a name depends on the class of the point.
func OfSpan(s format.Style, class format.Class) Role {
	if s == format.StyleName {
		return ofNames[class]
	}
	return cmp.Or(ofSpans[s], Faint)
}

// DiffMark returns the mark of the first column for a diff status.
func DiffMark(d format.DiffStatus) (mark string, r Role) {
	switch d {
	case format.DiffRemoved:
		return "-", Removed
	case format.DiffAdded:
		return "+", Added
	case format.DiffEditedOld, format.DiffEditedNew: // in this order
		return "!", Edited
	}
	return " ", Plain
}
