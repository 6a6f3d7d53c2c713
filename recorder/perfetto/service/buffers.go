package service

import "tracex/recorder/perfetto/service/tracebuf"

// bufferTable holds the buffers of all sessions, by the numbers that producers use
// for them. The service's lock guards it.
type bufferTable struct {
	byID  map[uint32]*target
	bytes int64 // reserved
	most  int64 // that may be reserved
	last  uint32
}

// target is a buffer that producers write into, with its session.
type target struct {
	*tracebuf.Buffer
	session *session
}

// sessionBuffers are the buffers of a session, by position in its config.
type sessionBuffers struct {
	all []*tracebuf.Buffer
	ids []uint32 // of those in the table; none once producers cannot write into them
}

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
