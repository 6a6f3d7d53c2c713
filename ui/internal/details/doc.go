// Package details is the pane that says all there is about a row: what was called
// with which values, how long it took, where it is in the source, and, for a thread,
// what there is to say of the trace.
package details
