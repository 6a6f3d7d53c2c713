//go:build race

package cli

// packedCalls is how many calls are packed to see what one takes: fewer under the
// race detector, which finds nothing there and takes twenty times as long.
const packedCalls = 50_000
