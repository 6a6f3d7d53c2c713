// Package source finds source files below the folders that a person has named, and
// reads the lines around a code location.
package source
