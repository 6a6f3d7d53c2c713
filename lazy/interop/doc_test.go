// Package interop has only tests: they read the files that the project writes with
// Lincheck's own readers, and compare the results with those of ours. Each
// test runs once with each release of Lincheck, on files of the version that the
// release reads. The driver around the readers is in testdata/interop/lincheck.
// The tests are selected by TRACEX_INTEROP=1 and need Java 17 and Maven.
package interop

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// commands are other programs that the test binary can be, by the name it is run under.
var commands = map[string]func(){measuredName: measured}

// TestMain lets the test binary be the process that benchmarks measure, or a
// program that records.
func TestMain(m *testing.M) { testscript.Main(m, commands) }
