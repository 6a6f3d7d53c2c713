//go:build js || wasip1 || plan9 || aix

package ipc

// supported says that programs of this platform can reach a service. These
// cannot: the package is here so that programs which import it can be built.
const supported = false

const longestPath = 0

func refused(error) bool { return false }
