//go:build !plan9

package formattest

import (
	"os"
	"syscall"
)

var endingSignals = []os.Signal{os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT}
