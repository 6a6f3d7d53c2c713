package formattest

import (
	"os"
	"os/signal"
)

// DefaultSignals lets an interrupt, a hang-up or a quit end the programs that a test starts,
// even if the test itself was started with these signals ignored, as by nohup, or in the
// background by a shell. A program inherits ignored signals, but not caught ones.
func DefaultSignals() {
	for _, s := range endingSignals {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}
