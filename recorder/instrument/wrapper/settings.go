// Package wrapper defines how the caller of the go command and the program that it passes as
// -toolexec communicate.
//
// The caller chooses packages by a stamp in their compiler flags, -gcflags=PATTERN=-tracex=HASH.
// The hash must change with everything that affects compiled packages: the wrapper, the
// archive's exported API, Settings.Options. The wrapper removes the stamp before the compiler
// runs.
//
// The rest is in the environment:
//
//	TRACEX_TOOLEXEC_ARCHIVE=/path/tracexrt.a
//	TRACEX_TOOLEXEC_OPTIONS=tests=true trivial=true waits=false
//	TRACEX_TOOLEXEC_NEVER=runtime internal/abi …
//	TRACEX_TOOLEXEC_REPORT=/path/directory
//	TRACEX_TOOLEXEC_NAMES=word
//
// ARCHIVE is the compiled package tracexrt; the one compiled with -shared has .shared appended to
// the name. NEVER has the import paths of packages that are never instrumented, even with a
// stamp: the runtime and what it imports. REPORT is optional, see Report. NAMES is for a program's recorder, which
// puts it into recordings: see package raw.
package wrapper

import (
	"fmt"
	"strconv"
	"strings"
)

// Flag begins the stamp.
const Flag = "-tracex="

// Variables of the environment.
const (
	archiveVariable = "TRACEX_TOOLEXEC_ARCHIVE"
	optionsVariable = "TRACEX_TOOLEXEC_OPTIONS"
	neverVariable   = "TRACEX_TOOLEXEC_NEVER"
	reportVariable  = "TRACEX_TOOLEXEC_REPORT"
	namesVariable   = "TRACEX_TOOLEXEC_NAMES"
)

// Settings are what the wrapper reads from its environment.
type Settings struct {
	Archive string // path of the archive compiled without -shared
	Options Options
	Never   []string
	Report  string // a directory that exists, or empty
	Names   string // of packages, see raw.EncodePackages; empty if all are as their paths tell
}

// Options are the settings that affect compiled packages.
type Options struct {
	Tests   bool // see package rewrite
	Trivial bool
	Waits   bool // Go's own packages that rewrite.WaitPackages names tell where goroutines wait
}

// String returns the options in the form of the environment.
func (o Options) String() string {
	return fmt.Sprintf("tests=%t trivial=%t waits=%t", o.Tests, o.Trivial, o.Waits)
}

// SharedArchive returns the path of the archive for packages compiled with -shared.
func (s Settings) SharedArchive() string { return s.Archive + ".shared" }

// Environ returns the settings as strings for the environment of a process.
func (s Settings) Environ() []string {
	return []string{
		archiveVariable + "=" + s.Archive,
		optionsVariable + "=" + s.Options.String(),
		neverVariable + "=" + strings.Join(s.Never, " "),
		reportVariable + "=" + s.Report,
		namesVariable + "=" + s.Names,
	}
}

// Load returns the settings in an environment, which getenv reads.
func Load(getenv func(name string) string) (Settings, error) {
	s := Settings{
		Archive: getenv(archiveVariable),
		Never:   strings.Fields(getenv(neverVariable)),
		Report:  getenv(reportVariable),
		Names:   getenv(namesVariable),
	}
	if s.Archive == "" {
		return s, fmt.Errorf("%s is not set: the command is not meant to be run by hand", archiveVariable)
	}
	for _, field := range strings.Fields(getenv(optionsVariable)) {
		name, text, _ := strings.Cut(field, "=")
		value, err := strconv.ParseBool(text)
		switch {
		case err != nil:
			return s, fmt.Errorf("%s: %q is not NAME=true or NAME=false", optionsVariable, field)
		case name == "tests":
			s.Options.Tests = value
		case name == "trivial":
			s.Options.Trivial = value
		case name == "waits":
			s.Options.Waits = value
		default:
			return s, fmt.Errorf("%s: there is no option %q", optionsVariable, name)
		}
	}
	return s, nil
}
