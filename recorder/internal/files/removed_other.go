//go:build !unix

package files

import "io/fs"

// nameCount is unknown on this system.
func nameCount(fs.FileInfo) (n uint64, known bool) { return 0, false }
