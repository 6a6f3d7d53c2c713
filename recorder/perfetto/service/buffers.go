package service

import (
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

// maxBufferID is the largest number of a buffer: producers use 16 bits for it.
const maxBufferID = 1<<16 - 1

func newBufferTable(most int64) bufferTable {
	return bufferTable{byID: make(map[uint32]*target), most: most}
}

// reserve reserves memory for a buffer, and reports whether enough was left.
func (t *bufferTable) reserve(size int) bool {
	if t.bytes+int64(size) > t.most {
		return false
	}
	t.bytes += int64(size)
	return true
}

// release gives back the memory reserved for a buffer.
func (t *bufferTable) release(size int) { t.bytes -= int64(size) }

// room reports whether numbers for count more buffers are free.
func (t *bufferTable) room(count int) bool { return len(t.byID)+count <= maxBufferID }

// add gives a buffer a number. The caller must have checked room.
func (t *bufferTable) add(b *tracebuf.Buffer, n *session) (id uint32) {
	for {
		if t.last = t.last%maxBufferID + 1; t.byID[t.last] == nil {
			t.byID[t.last] = &target{b, n}
			return t.last
		}
	}
}

// replace replaces a buffer with another one of the same session.
func (t *bufferTable) replace(id uint32, b *tracebuf.Buffer) {
	t.byID[id] = &target{b, t.byID[id].session}
}

// newBuffer makes the next buffer of a session. It returns false if no memory or no
// number is left. Called with mu held.
func (s *Service) newBuffer(n *session, c *messages.TraceConfig_BufferConfig) bool {
	size := int(c.GetSizeKb()) << 10
	if !s.buffers.room(1) || !s.buffers.reserve(size) {
		return false
	}
	discard := c.GetFillPolicy() == messages.TraceConfig_BufferConfig_DISCARD
	s.addBuffer(n, tracebuf.New(size, discard))
	return true
}

// addBuffer gives a session a buffer whose memory is already reserved. Called with
// mu held.
func (s *Service) addBuffer(n *session, b *tracebuf.Buffer) {
	n.buffers.ids = append(n.buffers.ids, s.buffers.add(b, n))
	n.buffers.all = append(n.buffers.all, b)
}

// dropTargets removes the buffers of a session from those that producers can write
// into. They can still be read. Called with mu held.
func (s *Service) dropTargets(n *session) {
	for _, id := range n.buffers.ids {
		delete(s.buffers.byID, id)
		for _, p := range s.connected {
			delete(p.targets, id)
		}
	}
	n.buffers.ids = nil
}

// dropBuffers releases the memory of a session's buffers. Called with mu held.
func (s *Service) dropBuffers(n *session) {
	for _, b := range n.buffers.all {
		s.buffers.release(b.Size())
	}
	n.buffers.all = nil
}
