// Package interop has only tests: Perfetto's own client library, in a small Rust
// program in testdata/interop/perfetto, writes to our service and records with it,
// and the results are compared with what the program was told to write. The tests
// run if TRACEX_INTEROP=1 and need cargo and a C++ compiler.
package interop

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary act as a service that can be killed, and as a
// program that writes.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){serviceName: serveUntilKilled, oursName: writeOurs})
}
