package files

import (
	"runtime"

	"tracex/format"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
)

// Options say where files are, and what they have.
type Options struct {
	Path      string
	Overwrite bool // remove files of these names
	Dump      bool // each thread has one block, written at the end
	BlockSize int
	MaxMemory int64
	Layout    *values.Layout
	Registry  *registry.Registry
	Clock     *clock.Clock                       // nil if no times are wanted
	Create    func(path string) (OutFile, error) // nil for a new file
	Host      Host
}

// Host is what Files needs of a recorder.
type Host interface {
	// Fail keeps an error that ends the recording: nothing is written any longer. Warn keeps one
	// that does not.
	Fail(err error)
	Warn(err error)
	// Dropped counts trace points that are in no file.
	Dropped(n int64)
	// Wake asks for a call of Write by another goroutine. It returns false if there is none.
	Wake() bool
}

// backlog is how many blocks of data, besides one more, may wait to be written: few if there is
// little memory. Writing several at once is cheaper than one by one.
func (c *Options) backlog() int {
	return int(min(max(c.MaxMemory/int64(c.BlockSize)/64, 1), 4))
}

// sizes returns how large the buffers of the three files are, in bytes.
//
// A chunk has a mark for each 16 bytes, and mostly each second one is a footer, which makes an
// index cell of 21 bytes and a time cell of 20. A block may consist only of footers, but the
// waiting blocks together have no more than that.
func (c *Options) sizes() (data, index, times int) {
	block, n := c.BlockSize, c.backlog()*c.BlockSize
	return n + block, n*format.CellSize/32 + block*format.CellSize/16, n*format.TimeCellSize/32 + block*format.TimeCellSize/16
}

// Share returns how many blocks of memory the files take: two buffers for each, and
// drafts.
func (c *Options) Share(drafts int) int { return 5*c.backlog() + 8 + 3*drafts }

// MaxDrafts is the most that Drafts returns.
const MaxDrafts = 8

// Drafts returns how many blocks are drafted at once at most.
func (c *Options) Drafts() int {
	return int(min(max(c.MaxMemory/int64(c.BlockSize)/64, 1), MaxDrafts, int64(runtime.GOMAXPROCS(0))))
}
