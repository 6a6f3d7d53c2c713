// Package editor knows how to tell a person's editor to open a file at a line.
package editor
