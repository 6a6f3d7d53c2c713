// Package terminal gives the terminal back to a shell, or to a program such as an
// editor, and takes it again.
package terminal
