//go:build race

package smb

// raceEnabled reports whether the race detector is on: tests do less then.
const raceEnabled = true
