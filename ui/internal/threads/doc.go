// Package threads is the list of a trace's threads, to choose from, with a filter and several
// orders. It may have a million lines: lines are looked up when they appear on the screen;
// filters and orders are computed in the background, in turns.
package threads
