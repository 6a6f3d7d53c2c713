//go:build !go1.27

package main

import "go/types"

// importsOf returns nil: until Go 1.26 no name depends on what a package imports.
func importsOf(string) types.Importer { return nil }

// argumentsIn reads files of the go command that runs this program, which is of the same release.
var argumentsIn = lines
