// Package counting counts in the background: the children of the nodes on the screen, and the
// calls of the whole trace.
package counting
