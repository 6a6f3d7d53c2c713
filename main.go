// Command tracex is an interactive terminal explorer for method-call traces of
// any size. It opens what JetBrains Lincheck records (trace format versions 22 and 27).
//
// Package cli has the commands; what they do is in the packages lazy (reading),
// ui (the screen) and recorder (recording, converting).
package main

import (
	"embed"
	"os"

	"tracex/cli"
)

// demo is the trace of the command demo, which testdata/programs/shop recorded
// of itself: three threads, with times. Its source is shown beside it.
//
//go:embed testdata/demo testdata/programs/shop/main.go
var demo embed.FS

func main() { os.Exit(cli.Main(demo)) }
