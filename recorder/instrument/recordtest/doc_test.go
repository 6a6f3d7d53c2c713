//go:build linux

// Package recordtest_test records programs with the command tracex and compares the traces with
// what the programs do.
//
// The tests build programs with Go alone. Those that take minutes, or need a C compiler, run if
// TRACEX_INTEROP is set. Those with other releases of Go also run if these are installed.
package recordtest_test
