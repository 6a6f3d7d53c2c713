//go:build js || wasip1 || plan9 || aix

package ipc

// supported means that programs of this platform can reach a service. They cannot:
// the package exists here only so that programs that import it can be built.
const supported = false

const longestPath = 0

func refused(error) bool { return false }
