//go:build race

package format_test

// stride thins out the exhaustive tests of one goroutine under the race
// detector, which finds nothing in them and takes ten times as long.
const stride = 13
