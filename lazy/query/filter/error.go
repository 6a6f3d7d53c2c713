package filter

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error is a fault in a filter: of its grammar, or a name that the trace does not have.
type Error struct {
	Text    string   // the whole filter
	At, To  int      // the part of Text at fault, in bytes; At is len(Text) if something is missing at the end
	Message string   // what is wrong, without the place
	Near    []string // up to three names that exist and are spelled alike, the nearest first
	Hint    string   // what to do; "" if the message tells
}

// Error returns the message with the column, the nearest names and the hint, in one line.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "column %d: %s", e.Column(), e.Message)
	if len(e.Near) > 0 {
		b.WriteString("; the nearest: " + strings.Join(e.Near, ", "))
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Column returns where the fault begins, in characters from 1.
func (e *Error) Column() int { return utf8.RuneCountInString(e.Text[:e.At]) + 1 }
