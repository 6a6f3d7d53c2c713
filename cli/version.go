package cli

import (
	"fmt"
	"runtime/debug"

	"tracex/format"
)

// version of tracex; CHANGELOG.md lists what is in each.
const version = "0.1.0"

// versionText returns what --version prints after the name: the version, the commit if the
// build knows it, and the versions of the trace format.
func versionText() string {
	text := version
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 10 {
				text += " (" + s.Value[:10] + ")"
			}
		}
	}
	return fmt.Sprintf("%s\ntrace format: versions %d (JetBrains %s) and %d (%s), read and written; %d (%s), read, untested", text,
		format.V27, format.V27.Release(), format.V22, format.V22.Release(), format.V19, format.V19.Release())
}
