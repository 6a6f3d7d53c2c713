//go:build race

package formattest

// Race reports whether the race detector is on. Tests then do less: it makes them ten times as
// slow, and allocates.
const Race = true
