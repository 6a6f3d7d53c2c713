// Package help draws the key map: as a list of all keys, and as hints at those that are useful now.
// The keys and what they do are in the key map of package ui, keymap.go.
package help
