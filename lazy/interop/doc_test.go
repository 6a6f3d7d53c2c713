// Package interop has tests alone: they send what the project writes through
// Lincheck's own readers, and compare what these say with what ours does. Each
// test runs once with each release of Lincheck, on files of the version that the
// release reads. The driver around the readers is in testdata/interop/lincheck.
// The tests are selected by TRACEX_INTEROP=1 and need Java 17 and Maven.
package interop

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be the process that benchmarks measure.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){measuredName: measured})
}
