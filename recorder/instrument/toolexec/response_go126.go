//go:build !go1.27

package main

// argumentsIn is for files of the go command that runs this program: both are of the same release.
var argumentsIn = lines
