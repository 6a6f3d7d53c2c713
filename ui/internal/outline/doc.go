// Package outline is the tree on the screen: where the cursor is, which rows are around it, and
// the moves through them. A move is a [Goal]: it moves as far as the loaded nodes allow, and
// names the gap to load for the rest.
package outline
