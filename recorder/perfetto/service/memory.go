package service

import (
	"os"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/messages"
	"tracex/recorder/internal/perfetto/smb"
)

// Sizes of shared memory in bytes, the same as in every service of the protocol.
const (
	defaultMemory = 256 << 10
	defaultPage   = 4 << 10
	maxMemory     = 32 << 20
	maxPage       = 32 << 10
)

// sharedMemory is the mapped memory of a producer. The service must close it.
type sharedMemory struct {
	data []byte
	file *os.File // for the producer; nil when it made the memory
}

func (m *sharedMemory) close() {
	if m == nil {
		return
	}
	unmap(m.data)
	if m.file != nil {
		_ = m.file.Close() // nothing was written through it
	}
}

// memoryHint is the sizes that a producer wishes for, in bytes; 0 if none.
type memoryHint struct{ size, page uint32 }

// memorySize returns valid sizes: those of the session's config, else those that the
// producer wishes for, else the defaults. Too large sizes are cut to the maximum; if
// either is invalid, both fall back to the defaults.
func (p *producer) memorySize(c *messages.TraceConfig_ProducerConfig) (size, page int) {
	size, page = defaultMemory, defaultPage
	if p.hint.size != 0 {
		size = int(p.hint.size)
	}
	if p.hint.page != 0 {
		page = int(p.hint.page)
	}
	if c.GetShmSizeKb() != 0 {
		size = int(c.GetShmSizeKb()) << 10
	}
	if c.GetPageSizeKb() != 0 {
		page = int(c.GetPageSizeKb()) << 10
	}
	page = min(page, maxPage)
	most := max(p.s.config.Limits.Memory&^(maxPage-1), maxPage)
	size = min(size, most)
	if !goodMemory(size, page) {
		return min(defaultMemory, most), defaultPage
	}
	return size, page
}

// goodMemory reports whether memory of this size can be shared in pages of this
// size.
func goodMemory(size, page int) bool {
	switch page {
	case defaultPage, 2 * defaultPage, 4 * defaultPage, maxPage:
		return size >= page && size <= maxMemory && size%page == 0
	}
	return false
}

// setUpMemory gives a producer memory, if it has none, before its first data source
// is set up. It returns false if it cannot.
func (p *producer) setUpMemory(n *session) bool {
	if p.told {
		return true
	}
	var config *messages.TraceConfig_ProducerConfig
	for _, c := range n.config.Producers {
		if c.GetProducerName() == p.name {
			config = c
			break
		}
	}
	size, page := p.memorySize(config)
	if !p.emulated {
		m, err := makeMemory(size)
		if err == nil {
			p.reader, err = smb.NewReader(m.data, page)
		}
		if err != nil {
			m.close()
			p.s.complain("no memory of %d bytes for %q (process %d): %w", size, p.name, p.from.PID, err)
			return false
		}
		p.shm = m
	}
	p.told = true
	p.command(&messages.GetAsyncCommandResponse{Cmd: &messages.GetAsyncCommandResponse_SetupTracing_{
		SetupTracing: &messages.GetAsyncCommandResponse_SetupTracing{
			SharedBufferPageSizeKb: proto.Uint32(uint32(page >> 10)),
		},
	}})
	return true
}

// adopt takes memory made by the producer, if it is valid and can never shrink. It
// closes the file in any case; the mapping remains.
func (p *producer) adopt(file *os.File) bool {
	defer file.Close()
	page := int(p.hint.page)
	size, err := sealedSize(file)
	if err != nil || size > int64(p.s.config.Limits.Memory) || !goodMemory(int(size), page) {
		return false
	}
	data, err := mapShared(file, int(size))
	if err != nil {
		return false
	}
	reader, err := smb.NewReader(data, page)
	if err != nil {
		unmap(data)
		return false
	}
	p.shm, p.reader = &sharedMemory{data: data}, reader
	return true
}
