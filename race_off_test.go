//go:build !race

package main

const packedCalls = 1_000_000
