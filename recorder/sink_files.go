package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/live"
)

// files is the sink that writes the trace's files: data, index and times. It keeps its first
// error; nothing more is written after it.
//
// A block is drafted without a common lock, then added under mu to the gathered bytes. Those
// are written under io, while others continue to add. Data is written first, then the index,
// then the times, so that at any moment none of them refers to something missing.
//
// Lock order: io, mu.
type files struct {
	r      *Recorder
	dump   bool
	drafts chan *draft // the unused ones

	io sync.Mutex // held while the files are written
	mu sync.Mutex // guards the fields from here on

	live               *live.File // nil if there is none
	data, index, times outfile
	err                error
	closed             bool
	ending             bool  // the files' end is added
	broken             bool  // no more blocks: only the files' end follows, or it has been added
	current            block // the last that was begun
	open               bool  // the current block has no end: other parts of its thread follow
	last               int64 // first content byte of the current block
	latest             int64 // when the last header or footer in a block was, in ns
	written            span  // the part of the current block's that is in the files
	blocks             int64
	refs               []format.Cell // scratch
	waiting            int64         // containers that begin in the gathered bytes
	linked             bool          // the data file had a name; io guards it
}

// backlog is how many blocks of data, besides one more, may wait to be written: few if there is
// little memory. Writing several at once is cheaper than one by one.
func (c *Config) backlog() int {
	return int(min(max(c.MaxMemory/int64(c.BlockSize)/64, 1), 4))
}

// sizes returns how large the buffers of the three files are, in bytes.
//
// A chunk has a mark for each 16 bytes, and mostly each second one is a footer, which makes an
// index cell of 21 bytes and a time cell of 20. A block may consist only of footers, but the
// waiting blocks together have no more than that.
func (c *Config) sizes() (data, index, times int) {
	block, n := c.BlockSize, c.backlog()*c.BlockSize
	return n + block, n*format.CellSize/32 + block*format.CellSize/16, n*format.TimeCellSize/32 + block*format.TimeCellSize/16
}

// filesShare returns how many blocks of memory the files take: two buffers for each, and
// drafts.
func (c *Config) filesShare(drafts int) int { return 5*c.backlog() + 8 + 3*drafts }

const maxDrafts = 8

// drafts returns how many blocks are drafted at once at most.
func (c *Config) drafts() int {
	return int(min(max(c.MaxMemory/int64(c.BlockSize)/64, 1), maxDrafts, int64(runtime.GOMAXPROCS(0))))
}

// newFiles creates the files, with their headers, or none of them.
func newFiles(r *Recorder) (*files, error) {
	c := &r.config
	f := &files{r: r, dump: c.Strategy == CollectAndDump}
	f.data.name, f.index.name, f.times.name = c.Path, c.Path+format.IndexSuffix, c.Path+format.TimesSuffix
	if err := f.clear(c); err != nil {
		return nil, fmt.Errorf("recorder: %w", err)
	}
	f.data.room, f.index.room, f.times.room = c.sizes()
	n := c.backlog() * c.BlockSize
	f.data.most, f.index.most, f.times.most = n, n*format.CellSize/32, n*format.TimeCellSize/32
	made := f.all()
	if c.NoTimes {
		made = made[:2]
	}
	for i, file := range made {
		var err error
		if file.to, err = c.create(file.name); err != nil {
			withdraw(made[:i])
			if c.Overwrite && errors.Is(err, fs.ErrExist) { // it was removed, and exists again
				err = inUse(c.Path)
			}
			return nil, fmt.Errorf("recorder: %w", err)
		}
		if i == 0 && c.Overwrite { // the name is ours
			if err := remove([]string{f.times.name, f.index.name, c.Path + LiveSuffix}); err != nil {
				withdraw(made[:1])
				return nil, fmt.Errorf("recorder: %w", err)
			}
		}
	}
	f.data.buf = format.AppendDataHeader(nil, r.layout.Version)
	f.index.buf = format.AppendIndexHeader(nil, r.layout.Version)
	var clock *clock.Clock
	if !c.NoTimes {
		clock = &r.clock
		f.times.buf = format.AppendTimesHeader(nil, clock.Start())
	}
	if err := f.write(); err != nil {
		withdraw(made)
		return nil, err
	}
	r.startLive(f)
	f.drafts = make(chan *draft, c.drafts())
	for range cap(f.drafts) {
		f.drafts <- &draft{clock: clock, layout: r.layout}
	}
	return f, nil
}

// all returns the files in the order in which they are written.
func (f *files) all() []*outfile { return []*outfile{&f.data, &f.index, &f.times} }

// clear makes sure that nothing of another recording remains next to this one: it would be
// taken for a part of it.
func (f *files) clear(c *Config) error {
	if c.Overwrite {
		return removeAll(f.data.name, f.times.name, f.index.name, c.Path+LiveSuffix)
	}
	if _, err := os.Lstat(f.times.name); c.NoTimes && err == nil {
		return exists(&fs.PathError{Op: "open", Path: f.times.name, Err: fs.ErrExist})
	}
	return nil // files to be created must not exist
}

// withdraw removes files that were created in vain.
func withdraw(made []*outfile) {
	for _, file := range made {
		_ = file.to.Close()
		_ = os.Remove(file.name)
	}
}

// put adds a part as a block, or in a dump to the block of its thread.
func (f *files) put(t *Thread, p buffers.Part, last bool) {
	if f.r.refuses(t) {
		p = buffers.Part{}
	}
	if len(p.Data) == 0 && !(last && t.file.blocks > 0) {
		return
	}
	d := <-f.drafts
	defer func() { f.drafts <- d }()
	if err := d.make(&t.file, p, last); err != nil {
		f.r.torn(t, err)
		p, _ = p.Sound(t.r.layout.Version, t.id, f.opened(t))
		if d.make(&t.file, p, last) != nil {
			return // impossible: the fault is not in it
		}
	}
	if len(p.Data)+len(d.tail) == 0 && !f.dump {
		return // the thread ended with the block before
	}
	for {
		switch f.add(t, p, d, last) {
		case added:
			if len(p.Data) > f.r.config.BlockSize {
				_ = f.write() // so much is not kept; the error is
			}
			f.due()
			return
		case refused:
			f.r.counts.dropped.Add(d.begun)
			return
		}
		_ = f.write() // the error is kept, and makes add refuse
	}
}

// opened returns the classes of a thread's open containers.
func (f *files) opened(t *Thread) (open []format.Class) {
	for i := range t.file.open {
		open = append(open, t.file.open[i].class)
	}
	return open
}

// outcome is what became of a block.
type outcome int

const (
	added   outcome = iota
	full            // others must be written first
	refused         // nothing more is written
)

// add adds a draft to the gathered bytes.
func (f *files) add(t *Thread, p buffers.Part, d *draft, last bool) outcome {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil || f.closed || f.broken {
		return refused
	}
	if f.data.waits(1) || f.index.waits(1) || f.times.waits(1) {
		return full
	}
	if !f.open {
		f.begin(t, d)
	}
	b := &f.current
	b.part(p, d)
	f.waiting += d.begun
	if !last && !f.dump && p.EndsInHeader() {
		b.nameBehind()
	}
	if last || !f.dump {
		b.end()
	}
	f.commit(t, p, d)
	return added
}

// due has the gathered bytes written if there are enough: by the recorder's goroutine if it
// exists.
func (f *files) due() {
	f.mu.Lock()
	enough := f.data.waits(2) || f.index.waits(2) || f.times.waits(2)
	// Only the last block may be partly in the files: see fail.
	halved := !f.open && f.current.cut(f.data.end)
	f.mu.Unlock()
	switch {
	case halved:
		_ = f.write() // the error is kept
	case !enough:
	case f.r.worker.wake != nil:
		f.r.worker.kick()
	default:
		_ = f.write() // the error is kept
	}
}
