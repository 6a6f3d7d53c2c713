//go:build !unix

package recorder

import "io/fs"

// names is unknown on this system.
func names(fs.FileInfo) (n uint64, known bool) { return 0, false }
