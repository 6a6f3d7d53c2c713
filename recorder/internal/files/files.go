// Package files writes the files of a trace while it is recorded: data, index and times. What
// waits to be written is in the live file, if there is one.
//
// The cells of containers, blocks and reference objects are made in cells.go.
// Package format/tracefile is for all other writers of traces: it takes objects one by one, this
// package takes parts of many goroutines at once.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/claim"
	"tracex/recorder/internal/live"
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
	f.data.most, f.index.most, f.times.most = n, n*format.CellSize/32, n*timeCell/32
	made, err := f.create()
	if err != nil {
		return nil, err
	}
	f.data.buf = format.AppendDataHeader(nil, o.Layout.Version)
	f.index.buf = format.AppendIndexHeader(nil, o.Layout.Version)
	if o.Clock != nil {
		f.times.buf = format.AppendTimesHeader(nil, o.Clock.Start())
		f.pages = format.NewTimesWriter(format.TimesHeaderSize, 0, false)
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
	f.timed()
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

// Write writes the gathered bytes to the files. Neither io nor mu is held.
func (f *Files) Write() error {
	f.io.Lock()
	defer f.io.Unlock()
	f.mu.Lock()
	if f.err != nil || f.closed {
		defer f.mu.Unlock()
		return f.err
	}
	if f.times.to != nil && !f.ending && !f.reopened {
		f.times.buf = f.pages.End(f.times.buf)
	}
	for _, o := range f.all() {
		o.take()
	}
	taken, begun := f.current.span, f.waiting
	f.waiting = 0
	state := uint64(live.StateRecording)
	if f.ending {
		state = live.StateEnding // the files' end is among the bytes taken
	}
	f.commitAs(nil, buffers.Part{}, nil, state)
	data, index, times := f.data.writing, f.index.writing, f.times.writing
	f.mu.Unlock()

	err := f.data.write(data)
	if err == nil {
		err = f.index.write(index)
	}
	if err == nil {
		err = f.times.write(times)
	}
	if err == nil {
		err = f.removed()
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.waiting += begun
		f.fail(err)
		return err
	}
	f.data.wrote(data)
	f.index.wrote(index)
	f.times.wrote(times)
	f.written = taken
	f.commit(nil, buffers.Part{}, nil)
	return nil
}

// fail ends the files after the last whole block, and ends the recording. io and mu are held.
func (f *Files) fail(err error) {
	f.err = err
	f.endLive() // all whole blocks are in the files
	var data, index []byte
	f.cells = f.cells[:0]
	if b := &f.current; b.cut(f.data.good) {
		// A dump keeps what it has of a thread.
		data = append(data, byte(format.KindBlockEnd))
		index = b.ending(f.data.good).Append(index)
		f.cells = append(f.cells, f.written.cell(b.s.ID))
	}
	f.pages = format.NewTimesWriter(f.times.good, cells(f.index.good), f.fixed)
	f.times.buf = nil // it may be of the live file
	f.addEnd()
	times := f.times.buf
	f.data.cut(append(data, byte(format.KindEOF)))
	f.index.cut(format.AppendIndexTail(index, f.end()))
	f.times.cut(times)
	f.Host.Dropped(f.waiting)
	f.Host.Fail(err)
}

// end returns the end for the EOF cell.
func (f *Files) end() int64 {
	if f.Dump {
		return format.DumpEnd(f.last)
	}
	return -1
}

// addEnd adds the time of the EOF cell.
func (f *Files) addEnd() {
	if f.times.to != nil {
		// For a recording that Finish finishes, the present is the last time known of it.
		f.cells = append(f.cells, format.TimeCell{ID: -1, Start: max(f.Clock.Present(), f.latest)})
		f.timed()
	}
}

// timed adds the time cells of what was added.
func (f *fileWriters) timed() {
	for _, c := range f.cells {
		f.times.buf = f.pages.Append(f.times.buf, c)
	}
	f.cells = f.cells[:0]
}

// cells returns how many cells an index of a size has.
func cells(size int64) int64 { return (size - format.HeaderSize) / format.CellSize }

// Finish ends and closes the files.
func (f *Files) Finish() error {
	f.mu.Lock()
	if f.err == nil && !f.closed {
		f.data.buf = append(f.data.buf, byte(format.KindEOF))
		f.index.buf = format.AppendIndexTail(f.index.buf, f.end())
		f.addEnd()
		f.broken, f.ending = true, true
	}
	f.mu.Unlock()
	_ = f.Write() // the error is kept
	f.io.Lock()
	defer f.io.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return f.err
	}
	f.closed = true
	for _, file := range f.all() {
		if file.to == nil {
			continue
		}
		if err := file.to.Close(); err != nil && f.err == nil {
			f.err = err
			f.Host.Fail(f.err)
		}
	}
	f.endLive()
	return f.err
}

// Saved is how much is in the files, in whole blocks and in bytes.
type Saved struct{ Blocks, Data, Index, Times int64 }

// Saved returns how much is in the files.
func (f *Files) Saved() Saved {
	f.io.Lock()
	defer f.io.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	return Saved{f.whole, f.data.pos, f.index.pos, f.times.pos}
}

// ErrRemoved: the data file was removed or replaced while it was recorded into. The recording
// ends, as nothing more of it could be read. If the file was moved, the recording continues.
var ErrRemoved = errors.New("the trace was removed while it was recorded")

// removed returns an error if the data file has no name any longer. On systems and file systems
// that do not count a file's names it returns nil. io is held.
func (f *Files) removed() error {
	file, ok := f.data.to.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return nil // the next write reports it
	}
	switch names, known := nameCount(info); {
	case !known:
	case names > 0:
		f.linked = true
	case f.linked:
		return fmt.Errorf("%s: %w", f.data.name, ErrRemoved)
	}
	return nil
}

// begin starts a block with the pending objects of the registry, which shift the draft.
func (f *Files) begin(s *Stream, d *draft) {
	f.current = block{to: &f.fileWriters, version: f.Layout.Version, s: s, dump: f.Dump, start: f.data.size(), before: d.before, cell: len(f.index.buf)}
	b := &f.current
	f.data.buf = format.AppendBlockHead(f.data.buf, s.ID)
	b.base = f.data.size()
	f.last = b.base
	if !f.Dump {
		b.add(format.Cell{}, span{}) // reserved
	}
	s.blocks++
	at := len(f.data.buf)
	f.data.buf, f.refs = f.Registry.Take(f.data.buf, f.refs[:0])
	for _, c := range f.refs {
		b.reference(c.Kind, c.ID, b.base+c.Start)
	}
	if s.blocks == 1 {
		b.name()
	}
	d.shift(s, int64(len(f.data.buf)-at))
}
