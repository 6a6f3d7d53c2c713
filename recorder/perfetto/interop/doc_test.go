// Package interop has tests alone: Perfetto's own client library, in a small
// Rust program that is in testdata/interop/perfetto, writes to our service and
// records with it, and what comes out is compared with what it was told to
// write. The tests are selected by TRACEX_INTEROP=1 and need cargo and a C++
// compiler.
package interop

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be a service that can be killed, and a program
// that writes.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){serviceName: serveUntilKilled, oursName: writeOurs})
}
