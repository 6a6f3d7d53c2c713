package service

import (
	"os"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// maxWaiting is how many commands are kept for a producer that has not asked for
// them yet.
const maxWaiting = 1000

// commands are the commands of the service to a producer. They answer the request
// GetAsyncCommand, one after the other; those before it are kept.
type commands struct {
	request ipc.Parked
	waiting []command // for the request
}

type command struct {
	message *messages.GetAsyncCommandResponse
	file    *os.File // sent with it; nil if none. It stays open while the producer is connected.
}

// park takes the producer's request, and sends what waited for it.
func (k *commands) park(r *ipc.Request) {
	k.request.Park(r)
	for _, c := range k.waiting {
		c.send(r)
	}
	k.waiting = nil
}

// add sends a command, or keeps it until the producer asks.
func (k *commands) add(c command) {
	if r := k.request.Peek(); r != nil {
		c.send(r)
	} else if len(k.waiting) < maxWaiting {
		k.waiting = append(k.waiting, c)
	}
}

// send sends a command. If that fails the connection ends.
func (c command) send(r *ipc.Request) {
	if c.file != nil {
		_ = r.StreamFile(c.message, c.file)
		return
	}
	_ = r.Stream(c.message)
}
