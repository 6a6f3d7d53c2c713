package display

// Bar is how a screen draws the cursor's line, from edge to edge.
type Bar uint8

const (
	// ReverseBar swaps the colors of text and background. It is visible on every terminal,
	// whatever its colors are, and also without colors.
	ReverseBar Bar = iota
	DarkBar        // a gray that is a little lighter than a dark background
	LightBar       // a gray that is a little darker than a light background
)
