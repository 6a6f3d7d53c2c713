// Package lists is the lists to choose from: the threads of a trace, which may be a million, the marks
// and notes, the overview; and the tour of the keys. Lines are looked up when they appear on the screen;
// filters and orders are computed in the background, in turns.
package lists
