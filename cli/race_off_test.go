//go:build !race

package cli

const packedCalls = 1_000_000
