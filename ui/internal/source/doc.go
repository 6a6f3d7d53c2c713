// Package source finds source files below the directories that a person has named, and reads
// the lines around a code location.
package source
