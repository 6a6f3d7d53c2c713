// Package details is the pane with everything known about a row: what was called with which values,
// how long it took, where it is in the source, and, for a thread, facts about the whole trace.
package details
