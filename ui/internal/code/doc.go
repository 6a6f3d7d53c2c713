// Package code shows source code: it finds files below the directories that the user has named,
// reads the lines around a code location, and opens a file in the user's editor.
package code
