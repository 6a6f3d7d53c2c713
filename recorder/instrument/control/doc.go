// Package control begins and ends recordings of instrumented programs that are running. Such a
// program has a mapped file for that, which only its user may open: see package raw.
package control
