//go:build !unix

package ui

// canSuspend: there is no job control here.
func canSuspend() bool { return false }
