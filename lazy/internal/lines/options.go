// Package lines writes the lines of a printed tree, as text or as JSON: of a
// thread, of a trace point, of what is in a value, and of children that are not
// loaded. It knows no tree; its user walks and says what comes.
package lines

// Options control how a tree is printed.
type Options struct {
	Folded  bool // fold; otherwise print every point as recorded
	Verbose bool // with code locations
	Escape  bool // for a terminal: show control characters in visible form
	Values  bool // below each point, the captured contents of its values
	// JSON makes each line an object: see docs/json.md. It always includes captured
	// values and locations; Verbose and Values have no effect.
	JSON bool
	// MaxDepth is how many levels below the roots are printed; 0 for all.
	MaxDepth int
}
