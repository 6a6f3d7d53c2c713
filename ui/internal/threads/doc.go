// Package threads is the list of a trace's threads: to choose from, with a filter and
// in several orders. It may have a million lines: what is on the screen is looked up
// when it comes there; filters and orders are worked out in the background, in turns.
package threads
