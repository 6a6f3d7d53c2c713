// Package counting counts in the background what the screen shows numbers of: the
// children of nodes, and the calls of the whole trace.
package counting
