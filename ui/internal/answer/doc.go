// Package answer makes answers of package query on the screen: each is a source of a sheet, whose
// table grows while a pass over the trace runs in the background.
//
//	Top     where the time goes; it can be sorted and grouped
//	Paths   callers of a method, or what it calls
//	Throws  exceptions
//	Calls   all calls of a method with their values; they can be sorted and grouped
//
// An answer is of what was known when it began; it does not follow a growing trace.
package answer
