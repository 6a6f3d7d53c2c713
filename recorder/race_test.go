//go:build race

package recorder

// raceEnabled reports whether the race detector is on: it makes things slow, and
// allocates.
const raceEnabled = true
