package service

import (
	"errors"
	"os"

	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

// Sizes of shared memory in bytes, the same as in every service of the protocol.
const (
	defaultMemory = 256 << 10
	defaultPage   = 4 << 10
	maxMemory     = 32 << 20
	maxPage       = 32 << 10
)

// producerMemory is the memory that a producer writes its chunks into. The service
// must close it. The zero value is a producer that has not been told of any.
type producerMemory struct {
	hint     memoryHint
	emulated bool // none is shared: requests contain the chunks
	provided bool // the producer made it
	told     bool // the producer has been told of it, or that there is none

	data   []byte      // mapped; nil if there is none
	file   *os.File    // for the producer; nil if the producer made the memory
	path   string      // of the file; "" if it has none
	reader *smb.Reader // of data
	page   int         // size of its pages in bytes
	chunk  smb.Chunk   // the one that was read last
}

// memoryHint is the sizes that a producer wishes for, in bytes; 0 if none.
type memoryHint struct{ size, page uint32 }

func (m *producerMemory) close() {
	if m.data != nil {
		unmap(m.data)
	}
	if m.file != nil {
		_ = m.file.Close() // nothing was written through it
	}
	if m.path != "" {
		_ = os.Remove(m.path) // what is in it has been taken
	}
	m.data, m.file, m.reader = nil, nil, nil
}

// size returns valid sizes: those of the session's config, else those that the
// producer wishes for, else the defaults. Too large sizes are cut to the maximum; if
// either is invalid, both fall back to the defaults.
func (m *producerMemory) size(c *messages.TraceConfig_ProducerConfig, limit int) (size, page int) {
	size, page = defaultMemory, defaultPage
	if m.hint.size != 0 {
		size = int(m.hint.size)
	}
	if m.hint.page != 0 {
		page = int(m.hint.page)
	}
	if c.GetShmSizeKb() != 0 {
		size = int(c.GetShmSizeKb()) << 10
	}
	if c.GetPageSizeKb() != 0 {
		page = int(c.GetPageSizeKb()) << 10
	}
	page = min(page, maxPage)
	most := max(limit&^(maxPage-1), maxPage)
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

// share makes the memory, and its file for the producer: at a path if that is not "" and has room, else
// without a name.
func (m *producerMemory) share(size, page int, path string) error {
	data, file, err := makeMemoryAt(path, size)
	if err == nil {
		m.path = path
	} else if data, file, err = makeMemory(size); err != nil {
		return err
	}
	reader, err := smb.NewReader(data, page)
	if err != nil {
		unmap(data)
		return errors.Join(err, file.Close())
	}
	m.data, m.file, m.reader, m.page = data, file, reader, page
	return nil
}

// adopt takes memory made by the producer, if it is valid and can never shrink. It
// closes the file in any case; the mapping remains.
func (m *producerMemory) adopt(file *os.File, limit int) {
	defer file.Close()
	page := int(m.hint.page)
	size, err := sealedSize(file)
	if err != nil || size > int64(limit) || !goodMemory(int(size), page) {
		return
	}
	data, err := mapShared(file, int(size))
	if err != nil {
		return
	}
	reader, err := smb.NewReader(data, page)
	if err != nil {
		unmap(data)
		return
	}
	m.data, m.reader, m.page = data, reader, page
	m.provided, m.told = true, true
}
