//go:build !windows

package cli

import "os"

// understandsEscapes reports whether a terminal understands escape sequences.
func understandsEscapes(*os.File) bool { return true }
