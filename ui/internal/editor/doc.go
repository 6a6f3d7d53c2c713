// Package editor knows how to tell the user's editor to open a file at a line.
package editor
