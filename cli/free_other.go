//go:build !linux && !darwin

package cli

// freeSpace returns how many bytes a file in a directory can have.
func freeSpace(string) (int64, bool) { return 0, false }
