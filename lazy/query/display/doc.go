// Package display turns names, values and numbers into text for the cells of a terminal: the
// output for a text that may be hostile ([Glyphs.NextCell]), its width, cutting it to a width, and how
// numbers and durations are written. The explorer and the commands use the same functions.
package display
