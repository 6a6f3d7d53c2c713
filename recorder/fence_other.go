//go:build !linux || !amd64

package recorder

// hasFence is false: what is published is published by atomic stores.
func hasFence() bool { return false }

// fence is not called.
func fence() {}
