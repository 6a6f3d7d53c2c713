//go:build linux

// Package recordtest_test records programs with the command tracex and compares the traces with
// what the programs do.
//
// The tests build programs with Go alone. Those that take minutes, or need a second Go or a C
// compiler, run if TRACEX_INTEROP is set.
package recordtest_test
