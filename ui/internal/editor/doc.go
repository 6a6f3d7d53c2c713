// Package editor knows how a person's editor is told to open a file at a line.
package editor
