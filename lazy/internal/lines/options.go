// Package lines writes the lines of a printed tree, as text or as JSON: of a
// thread, of a trace point, of what is in a value, and of children that are not
// loaded. It knows no tree; its user walks and says what comes.
package lines

// Options say how a tree is printed.
type Options struct {
	Folded  bool // else every point as recorded
	Verbose bool // with code locations
	Escape  bool // for a terminal: control characters in visible form
	Values  bool // below each point, what was captured of the inside of its values
	// JSON makes each line an object: see docs/json.md. Captured values
	// and places are always among what it says; Verbose and Values say nothing.
	JSON bool
	// MaxDepth is how many levels below the roots are printed; 0: all.
	MaxDepth int
}
