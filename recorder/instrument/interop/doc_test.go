// Package interop_test tests tracex with other people's programs: their own tests run plain and
// instrumented, and cmd/cover says how often each function was called.
//
// They need the Go module proxy, and run if TRACEX_INTEROP is set.
package interop_test
