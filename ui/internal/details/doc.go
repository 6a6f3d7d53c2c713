// Package details is the pane with all that is known about a row: what was called with which values, how long it took,
// the state before it, the source around it, and for a thread facts about the whole trace. It looks for source files
// in the background, and tells the user's editor to open one.
package details
