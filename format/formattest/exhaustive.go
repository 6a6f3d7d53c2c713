package formattest

import "os"

// exhaustiveVariable, set to anything, has tests try all that they can.
const exhaustiveVariable = "TRACEX_EXHAUSTIVE"

// Exhaustive reports whether tests try everything that they can: each byte that
// can be damaged, each trace in each way. .ci/run sets TRACEX_EXHAUSTIVE for that.
// Without it they try a part that is always the same, so that go test ./... is
// done in a minute.
func Exhaustive() bool { return os.Getenv(exhaustiveVariable) != "" }
