// Package tree is the tree on the screen.
//
//	Tree       its keys and what is shown of it; it loads what is missing there
//	Outline    the cursor, the rows around it, and the moves through them: a move is a Goal, which
//	           goes as far as the loaded nodes allow, and names the gap to load for the rest
//	Row        a row with its columns of numbers; drawing it asks nothing of the trace
//	Jobs       work that a user waits for: expand all, sort, raw, longest, go to
//	Steps      the steps that edit the tree
//	Counting   counts children of the nodes on the screen, and the calls of the trace
//	Following  stays at the newest row of a trace that is being recorded
//	Starts     leads from goroutines to the statements that made them, and back
//	Copying    puts what is at the cursor on the clipboard
package tree
