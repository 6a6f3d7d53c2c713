// Package interop_test has tests with programs of others: their own tests run instrumented and
// as they are, and cmd/cover says how often each function was called.
//
// They need the Go module proxy, and run if TRACEX_INTEROP is set.
package interop_test
