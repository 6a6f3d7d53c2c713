package formattest

import (
	"os"
	"os/signal"
	"syscall"
)

// DefaultSignals has the programs that a test starts end by an interrupt, a hang-up
// or a quit as they do else, where what runs the tests ignores them, as nohup does and
// a shell for what it runs in the background: a program begins with the signals
// ignored that who starts it ignores. One that is caught is not inherited.
func DefaultSignals() {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}
