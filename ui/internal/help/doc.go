// Package help draws the key map: as a list of all keys, and as hints at those that are useful now.
package help
