package perfetto

import (
	"context"
	"errors"
	"io"

	"tracex/format"
	"tracex/recorder/internal/perfetto/calls"
)

// Process selects the packets of one process.
type Process struct {
	PID int32
	// From and To are when it ran, on the machine's monotonic clock, in ns. Packets with its number before From,
	// or from To on, are of other programs.
	From, To int64
}

// has reports whether a packet is of the process. A nil Process has all packets.
func (s *Process) has(p *packet) bool {
	return s == nil || p.pid == s.PID && p.machine == 0 && (!p.timed || p.early || s.From <= p.ns && p.ns < s.To)
}

// Processes returns the numbers of the processes whose events are in packets; 0 stands for those whose
// process is unknown. It stops where the packets are damaged.
func Processes(ctx context.Context, in io.Reader) (map[int32]bool, error) {
	all := make(map[int32]bool)
	f := framer{r: in, tooLarge: func(int64) {}, read: func(int64) error { return ctx.Err() }}
	for {
		b, _, err := f.next()
		var fault *format.Error
		switch {
		case err == io.EOF, errors.As(err, &fault):
			return all, nil
		case err != nil:
			return all, err
		}
		var p packet
		if p.parse(b) && p.eventful() {
			all[p.pid] = true
		}
	}
}

// eventful reports whether a packet has events.
func (p *packet) eventful() bool {
	switch p.kind {
	case packetTrackEvent:
		return true
	case packetCalls:
		part, err := calls.Decode(p.data)
		return err == nil && part.HasThread && len(part.Objects)+len(part.Open) > 0
	}
	return false
}
