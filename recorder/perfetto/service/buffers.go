package service

import "tracex/recorder/perfetto/service/tracebuf"

// bufferTable is the buffers of all sessions, by the numbers that producers know
// them by. The service's lock guards it.
type bufferTable struct {
	byID  map[uint32]*target
	bytes int64 // that are reserved
	most  int64 // that may be
	last  uint32
}

// target is a buffer that producers write into, and the session that it is of.
type target struct {
	*tracebuf.Buffer
	session *session
}

// maxBufferID is the largest number of a buffer: it has 16 bits at producers.
const maxBufferID = 1<<16 - 1

func newBufferTable(most int64) bufferTable {
	return bufferTable{byID: make(map[uint32]*target), most: most}
}

// reserve reserves memory for a buffer, and reports whether there is so much.
func (t *bufferTable) reserve(size int) bool {
	if t.bytes+int64(size) > t.most {
		return false
	}
	t.bytes += int64(size)
	return true
}

// release gives back what was reserved for a buffer.
func (t *bufferTable) release(size int) { t.bytes -= int64(size) }

// room reports whether there are numbers for so many more buffers.
func (t *bufferTable) room(count int) bool { return len(t.byID)+count <= maxBufferID }

// add gives a buffer a number. There must be room.
func (t *bufferTable) add(b *tracebuf.Buffer, n *session) (id uint32) {
	for {
		if t.last = t.last%maxBufferID + 1; t.byID[t.last] == nil {
			t.byID[t.last] = &target{b, n}
			return t.last
		}
	}
}

// replace puts another buffer of the same session in the place of one.
func (t *bufferTable) replace(id uint32, b *tracebuf.Buffer) {
	t.byID[id] = &target{b, t.byID[id].session}
}
