//go:build !unix

package live

// alive reports that there may be a process with an id.
func alive(int) bool { return true }
