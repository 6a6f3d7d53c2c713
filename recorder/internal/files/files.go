// Package files writes the files of a trace while it is recorded: data, index and times. What
// waits to be written is in the live file, if there is one.
//
// The cells of containers are made in cells.go, those of blocks and reference objects in block.go.
// Package format/tracefile is for all other writers of traces: it takes objects one by one, this
// package takes parts of many goroutines at once.
package files

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/claim"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
)

// Files writes a trace's files. It keeps its first error; nothing more is written after it.
//
// A block is drafted without a common lock, then added under mu to the gathered bytes. Those
// are written under io, while others continue to add. Data is written first, then the index,
// then the times, so that at any moment none of them refers to something missing.
//
// Lock order: a stream's lock, io, mu, the registry's.
type Files struct {
	Options
	drafts chan *draft // the unused ones

	io     sync.Mutex // held while the files are written
	linked bool       // the data file had a name; io guards it

	mu sync.Mutex // guards the fields from here on
	fileWriters
	blocks
	live   *live.File // nil if there is none
	err    error
	closed bool
	ending bool // the files' end is added
	broken bool // no more blocks: only the files' end follows, or it has been added
}

type fileWriters struct{ data, index, times fileWriter }

// blocks is what is known of the blocks in the files and the gathered bytes.
type blocks struct {
	current block         // the last that was begun
	last    int64         // first content byte of the current block
	latest  int64         // when the last header or footer in a block was, in ns
	written span          // the part of the current block's that is in the files
	whole   int64         // how many have an end
	waiting int64         // containers that begin in the gathered bytes
	refs    []format.Cell // scratch
}

// New creates the files, with their headers, or none of them.
func New(o Options) (*Files, error) {
	if o.Create == nil {
		o.Create = Create
	}
	f := &Files{Options: o}
	f.named(o.Path)
	if err := f.clear(); err != nil {
		return nil, err
	}
	f.data.room, f.index.room, f.times.room = o.sizes()
	n := o.backlog() * o.BlockSize
	f.data.most, f.index.most, f.times.most = n, n*format.CellSize/32, n*format.TimeCellSize/32
	made, err := f.create()
	if err != nil {
		return nil, err
	}
	f.data.buf = format.AppendDataHeader(nil, o.Layout.Version)
	f.index.buf = format.AppendIndexHeader(nil, o.Layout.Version)
	if o.Clock != nil {
		f.times.buf = format.AppendTimesHeader(nil, o.Clock.Start())
	}
	if err := f.Write(); err != nil {
		withdraw(made)
		return nil, err
	}
	f.newDrafts(o.Drafts())
	return f, nil
}

func (f *Files) named(path string) {
	f.data.name, f.index.name, f.times.name = path, path+format.IndexSuffix, path+format.TimesSuffix
}

func (f *Files) newDrafts(n int) {
	f.drafts = make(chan *draft, n)
	for range n {
		f.drafts <- &draft{clock: f.Clock, layout: f.Layout}
	}
}

// wanted returns the files that there are to be, in the order in which they are written.
func (f *Files) wanted() []*fileWriter {
	if f.Clock == nil {
		return f.all()[:2]
	}
	return f.all()
}

// create creates the files, or none of them.
func (f *Files) create() (made []*fileWriter, err error) {
	for i, file := range f.wanted() {
		if file.to, err = f.Create(file.name); err != nil {
			withdraw(made)
			if f.Overwrite && errors.Is(err, fs.ErrExist) { // it was removed, and exists again
				err = claim.InUse(f.Path)
			}
			return nil, err
		}
		made = append(made, file)
		if i == 0 && f.Overwrite { // the name is ours
			if err := claim.Remove([]string{f.times.name, f.index.name, f.Path + format.LiveSuffix}); err != nil {
				withdraw(made)
				return nil, err
			}
		}
	}
	return made, nil
}

// all returns the files in the order in which they are written.
func (f *Files) all() []*fileWriter { return []*fileWriter{&f.data, &f.index, &f.times} }

// clear makes sure that nothing of another recording remains next to this one: it would be
// taken for a part of it.
func (f *Files) clear() error {
	if f.Overwrite {
		return claim.RemoveAll(f.data.name, f.times.name, f.index.name, f.Path+format.LiveSuffix)
	}
	if _, err := os.Lstat(f.times.name); f.Clock == nil && err == nil {
		return exists(&fs.PathError{Op: "open", Path: f.times.name, Err: fs.ErrExist})
	}
	return nil // files to be created must not exist
}

// withdraw removes files that were created in vain.
func withdraw(made []*fileWriter) {
	for _, file := range made {
		_ = file.to.Close()
		_ = os.Remove(file.name)
	}
}

// Put adds a part of a stream as a block, or in a dump to the block of its thread. The stream's
// lock is held, and the part's chunk does not change until Put returns. If last is set, nothing
// of the stream follows, and the open containers ended at the reading s.Ended. Put fails if the
// part's marks cannot be those of one goroutine's calls: then it did nothing.
func (f *Files) Put(s *Stream, p buffers.Part, last bool) error {
	if len(p.Data) == 0 && !(last && s.blocks > 0) {
		return nil
	}
	d := <-f.drafts
	defer func() { f.drafts <- d }()
	if err := d.make(s, p, last); err != nil {
		return err
	}
	if len(p.Data)+len(d.tail) == 0 && !f.Dump {
		return nil // the thread ended with the block before
	}
	for {
		switch f.add(s, p, d, last) {
		case added:
			if len(p.Data) > f.BlockSize {
				_ = f.Write() // so much is not kept; the error is
			}
			f.due()
			return nil
		case refused:
			f.Host.Dropped(d.begun)
			return nil
		}
		_ = f.Write() // the error is kept, and makes add refuse
	}
}

type outcome int

const (
	added   outcome = iota
	full            // others must be written first
	refused         // nothing more is written
)

// add adds a draft to the gathered bytes.
func (f *Files) add(s *Stream, p buffers.Part, d *draft, last bool) outcome {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil || f.closed || f.broken {
		return refused
	}
	if f.data.waits(1) || f.index.waits(1) || f.times.waits(1) {
		return full
	}
	if !f.current.open() {
		f.begin(s, d)
	}
	b := &f.current
	b.part(p, d)
	f.waiting += d.begun
	if !last && !f.Dump && p.EndsInHeader() {
		b.nameAgain()
	}
	if last || !f.Dump {
		b.end()
		f.whole++
	}
	f.commit(s, p, d)
	return added
}

// due has the gathered bytes written if there are enough: by the recorder's goroutine if it
// exists.
func (f *Files) due() {
	f.mu.Lock()
	enough := f.data.waits(2) || f.index.waits(2) || f.times.waits(2)
	// Only the last block may be partly in the files: see fail.
	halved := !f.current.open() && f.current.cut(f.data.end)
	f.mu.Unlock()
	switch {
	case halved:
		_ = f.Write() // the error is kept
	case !enough:
	case f.Host.Wake():
	default:
		_ = f.Write() // the error is kept
	}
}

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
