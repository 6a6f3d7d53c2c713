// Package interop has only tests: uftrace itself records programs in C and C++ that the tests
// compile, and prints each call with its arguments, its result and its times. The converted
// recordings must have the same. The tests run if TRACEX_INTEROP=1 and need uftrace, gcc and g++.
package interop
