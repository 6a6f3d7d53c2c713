package formattest

import "os"

// exhaustiveVariable, set to anything, makes tests try everything.
const exhaustiveVariable = "TRACEX_EXHAUSTIVE"

// Exhaustive reports whether tests try everything that they can: each byte that can be damaged,
// each trace in each way. .ci/run sets TRACEX_EXHAUSTIVE for that. Without it they try a fixed
// part, so that go test ./... takes about a minute.
func Exhaustive() bool { return os.Getenv(exhaustiveVariable) != "" }
