package lazy

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain makes the garbage collector run less often: the tests open thousands of small
// readers, most of which are soon garbage. The limit bounds the heap where it is large.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(512 << 20)
	}
	os.Exit(m.Run())
}
