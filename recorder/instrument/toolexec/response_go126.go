//go:build !go1.27

package main

// argumentsIn reads files of the go command that runs this program, which is of the same release.
var argumentsIn = lines
