//go:build !unix

package main

import "os"

// become runs a tool and ends with its exit code.
func become(tool string, args []string) { os.Exit(run(tool, args)) }
