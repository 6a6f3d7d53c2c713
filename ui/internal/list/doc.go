// Package list is a list of lines that replaces the tree, to look at or to choose from, with a
// filter. Its cost depends on the lines on the screen, even with a million lines.
package list
