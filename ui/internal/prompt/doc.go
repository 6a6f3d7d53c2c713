// Package prompt is the line at the bottom in which the user types: a line editor with the keys
// of a shell, a history of earlier texts, and, for patterns, the two ways to read them.
package prompt
