// Package control begins and ends recordings of running instrumented programs. Each of them maps a
// file for this purpose, which only its user may open: see package raw.
package control
