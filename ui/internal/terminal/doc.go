// Package terminal gives the terminal to a shell, or to a program such as an editor,
// and takes it back.
package terminal
