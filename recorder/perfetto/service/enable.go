package service

import (
	"math/rand/v2"
	"os"
	"strings"

	"tracex/recorder/perfetto/messages"
)

// enable makes a session for a consumer and starts it, unless it has to wait for
// something. enable takes ownership of the file, which may be nil: it closes the
// file or gives it to the session.
func (k *consumer) enable(c *messages.TraceConfig, file *os.File) (err error) {
	defer func() {
		if err != nil && file != nil {
			_ = file.Close() // nothing was written to it
		}
	}()
	s := k.s
	if c == nil {
		c = new(messages.TraceConfig)
	}
	if k.session != nil {
		return refuse("A Consumer is trying to EnableTracing() but another tracing session is already active (forgot a call to FreeBuffers() ?)")
	}
	if err := s.check(k, c); err != nil {
		return err
	}
	s.last.session++
	n := &session{
		s: s, id: s.last.session, consumer: k, owner: owner{uid: k.uid}, config: c, journal: k.journal,
		timers: newTimers(s.clock, s.locked), triggers: triggers{config: c.GetTriggerConfig()},
		packets: newServicePackets(c, s.host.uid, uuidOf(c, rand.Uint64)),
	}
	for _, b := range c.Buffers {
		if !s.newBuffer(n, b) {
			s.dropTargets(n)
			s.dropBuffers(n)
			return refuse("Failed to allocate tracing buffers: OOM or too many buffers")
		}
	}
	// After all other checks, so that a failure leaves no file.
	if file, err = s.outputFile(c, file); err != nil {
		s.dropTargets(n)
		s.dropBuffers(n)
		return err
	}
	if file != nil {
		n.out = newOutput(c, file)
		n.startOutput()
	}
	s.sessions[n.id] = n
	k.session = n
	n.setUpAll()
	if !n.awaitTrigger() && !c.GetDeferredStart() {
		n.start()
	}
	return nil
}

// outputFile returns the file that a session is to be written into: the consumer's,
// or a new one, or nil. It closes the consumer's file if it is not used.
func (s *Service) outputFile(c *messages.TraceConfig, file *os.File) (*os.File, error) {
	path := c.GetOutputPath()
	wanted := c.GetWriteIntoFile()
	if file != nil && (!wanted || path != "") {
		_ = file.Close() // nothing was written to it
		file = nil
	}
	switch {
	case !wanted || file != nil:
		return file, nil
	case path == "":
		return nil, refuse("When write_into_file==true either a FD needs to be passed or output_path must be populated (but not both)")
	}
	err := error(os.ErrInvalid)
	if !strings.Contains(path, "\x00") {
		file, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	}
	if err != nil {
		s.complain("creating the file of a session: %w", err)
		return nil, refuse("Failed to create the trace file %s", path)
	}
	return file, nil
}
