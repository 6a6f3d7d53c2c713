//go:build !windows && !(unix && !aix && !solaris)

package live

import "os"

// lock does nothing where there are no locks of whole files.
func lock(*os.File) error { return nil }
