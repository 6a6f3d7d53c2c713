// Package lines writes the lines of a printed tree, as text or as JSON: for a
// thread, a trace point, the contents of a value, and for children that are not
// loaded. It does not know the tree: its user walks it and passes each line's content.
package lines

import "fmt"

// Options control how a tree is printed.
type Options struct {
	Folded  bool // fold; otherwise print every point as recorded
	Verbose bool // with code locations
	Escape  bool // for a terminal: show control characters in visible form
	Values  bool // below each point, the captured contents of its values
	// JSON makes each line an object: see docs/json.md. It always includes captured
	// values and locations; Verbose and Values have no effect.
	JSON bool
	// MaxDepth is how many levels below the roots are printed; 0 for all. Where a call has more, a line
	// has the number of its children.
	MaxDepth int
	// MaxIndent is how many bytes of indentation are written; 0 for all. Before a line that would have more in
	// all, printing ends with an [*IndentError]: n levels of calls have n² bytes.
	MaxIndent int64
}

// IndentError is the error that a text ended because of [Options.MaxIndent].
type IndentError struct {
	Depth int   // of the line that was not written
	Most  int64 // bytes
}

func (e *IndentError) Error() string {
	return fmt.Sprintf("the text ends here: the next line is %d levels deep, and indentation would have more than %d bytes", e.Depth, e.Most)
}
