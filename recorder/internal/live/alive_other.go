//go:build !unix

package live

// alive returns true: a process with this id may exist.
func alive(int) bool { return true }
