// Package list is a list of lines that takes the place of the tree: to look at, or
// to choose from, with a filter. A million lines cost what those on the screen do.
package list
