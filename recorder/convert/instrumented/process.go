package instrumented

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

// process is a program whose raw file is converted.
type process struct {
	to      *Converter
	file    *raw.File
	prefix  string
	named   bool // prefix is final
	clock   clock
	program program
	encoder encoder
	streams map[uint64]*stream

	chunks raw.Chunks
	late   *raw.Window // for chunks that were not full
	open   []unfull    // those, in the order of the file; some may be full by now
	ahead  ahead

	compacted int // length of open when it had no full ones

	ended  bool // its file is no longer written
	done   bool // all of it has been read
	looked int  // since the events that are being converted were read: see looked
	last   int64
	told   Process
	sites  sites
}

// stream has the chunks of one g, which runs one goroutine after the other.
type stream struct {
	g       uint64
	t       *thread // nil: none is known
	chunk   raw.Chunk
	at      int    // in the chunk: of the next event
	counter uint64 // of the last event
	unfull  bool   // the chunk may get more events
	late    bool   // it has been read more than once
}

// unfull is a chunk that may get more events, unless its stream has another one by now.
type unfull struct {
	s      *stream
	offset int64
}

func (u unfull) stale() bool { return !u.s.unfull || u.s.chunk.Offset != u.offset }

// ahead looks at what is in the file behind the chunks that are converted: times, descriptors.
type ahead struct {
	chunks      raw.Chunks
	descriptors []raw.Chunk
	read        []int // bytes of each
}

const (
	readSize  = 256 << 10 // read at a time where events are
	aheadSize = 16 << 10  // where heads are
)

func newProcess(c *Converter, f *raw.File) *process {
	p := &process{to: c, file: f, streams: map[uint64]*stream{}}
	p.program = program{dict: &c.dict, text: f.Head.Text, types: types{all: map[uint32]*typ{}}, places: map[uint32]int32{}, more: p.again}
	p.encoder = encoder{p: &p.program, layout: c.layout}
	p.chunks, p.late = f.Chunks(f.Window(readSize)), f.Window(readSize)
	p.ahead.chunks = f.Chunks(f.Window(aheadSize))
	p.told = Process{Path: f.Path, PID: f.Head.PID, Parent: f.Head.Parent, Arguments: f.Head.Arguments}
	p.sites = sites{all: map[siteKey]*site{}}
	table, err := f.Table()
	if err != nil {
		p.problem(err)
	}
	var ok bool
	if p.program.symbols, ok = newSymbols(table, f.Head.Text); !ok {
		p.problem(f.Fault(int64(f.Head.Table), "the table of functions cannot be read: places and goroutines have no names"))
	}
	return p
}

// mostProblems is how many problems of a process are told.
const mostProblems = 20

// problem notes damage.
func (p *process) problem(err error) {
	p.told.Damaged++
	if len(p.told.Problems) < mostProblems {
		p.told.Problems = append(p.told.Problems, err)
	}
}

// damage reports whether an error is damage, which is noted.
func (p *process) damage(err error) bool {
	var fault *raw.Error
	if errors.As(err, &fault) {
		p.problem(err)
		return true
	}
	return false
}

// step converts what the program has written since the last step.
func (p *process) step(ctx context.Context, live bool) error {
	if err := p.file.Refresh(); err != nil && !p.damage(err) {
		return err
	}
	p.chunks.Renew(live)
	p.late.Renew(live)
	if p.chunks.Drop() {
		p.forget()
	}
	over := int64(0)
	if !live {
		over = math.MaxInt64
	}
	if err := p.look(over); err != nil {
		return err
	}
	if err := p.poll(ctx); err != nil {
		return err
	}
	for p.to.err == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		chunk, ok, err := p.chunks.Next(over)
		switch {
		case err != nil && !p.damage(err):
			return err
		case err != nil:
			continue
		case !ok:
			return nil
		case chunk.Kind == raw.ChunkEvents:
			if err := p.events(chunk); err != nil {
				return err
			}
		}
	}
	return nil
}

// forget forgets chunks in segments that have been dropped.
func (p *process) forget() {
	first := p.chunks.Offset()
	for _, u := range p.open {
		if u.offset < first && !u.stale() {
			u.s.unfull = false
		}
	}
}

// look reads times and descriptors from the chunks that exist by now. It passes so many bytes
// without a chunk: another goroutine may not have finished beginning the one that is there.
func (p *process) look(over int64) error {
	a := &p.ahead
	a.chunks.Renew(!p.ended)
	a.chunks.Drop()
	for i := range a.descriptors {
		if err := p.describe(i); err != nil {
			return err
		}
	}
	var hole raw.Chunks
	holed := false
	for {
		before := a.chunks
		chunk, ok, err := a.chunks.Next(0)
		if err == nil && !ok {
			if !holed {
				hole, holed = before, true
			}
			chunk, ok, err = a.chunks.Next(over)
		}
		switch {
		case err != nil && onlyOthers(err) != nil:
			return err // damage is told when the chunk is converted
		case err != nil:
		case !ok:
			a.chunks = hole
			return nil
		default:
			if err := p.saw(chunk); err != nil {
				return err
			}
		}
	}
}

// again looks for descriptors that were written since the step began: an event that was read may
// need one of them. thorough looks also behind places where a chunk is being begun.
func (p *process) again(thorough bool) {
	const passed = 4 << 20 // bytes of such chunks
	if p.ended || p.looked >= looked(thorough) {
		return // what the events that are being converted need had been written by then
	}
	p.looked = looked(thorough)
	over := int64(0)
	if thorough {
		over = passed
	}
	if err := p.look(over); err != nil {
		p.to.stop(err)
	}
}

// looked is a way to look for descriptors, as a number: more thorough ones are larger.
func looked(thorough bool) int {
	if thorough {
		return 2
	}
	return 1
}

// onlyOthers returns an error that is not about damage.
func onlyOthers(err error) error {
	var fault *raw.Error
	if errors.As(err, &fault) {
		return nil
	}
	return err
}

// saw takes the times and the descriptors of a chunk.
func (p *process) saw(chunk raw.Chunk) error {
	p.clock.add(chunk.Counter, chunk.Nanos)
	a := &p.ahead
	if chunk.Kind != raw.ChunkDescriptors || slices.ContainsFunc(a.descriptors, func(c raw.Chunk) bool { return c.Offset == chunk.Offset }) {
		return nil
	}
	a.descriptors, a.read = append(a.descriptors, chunk), append(a.read, raw.ChunkHead)
	return p.describe(len(a.descriptors) - 1)
}

// describe reads the descriptors that were added to a chunk.
func (p *process) describe(i int) error {
	a := &p.ahead
	chunk := &a.descriptors[i]
	if a.read[i] >= chunk.Size {
		return nil
	}
	data, seen, err := a.chunks.Read(chunk.Offset+int64(a.read[i]), chunk.Size-a.read[i])
	if err != nil {
		return err
	}
	d := raw.NewDescriptors(data, seen)
	for {
		before := d.Read()
		f, t, ok := d.Next()
		switch {
		case !ok:
			p.problem(p.file.Fault(chunk.Offset+int64(a.read[i]+before), "a damaged descriptor"))
			if d.Read() == before {
				a.read[i] = chunk.Size
				return nil
			}
		case f != nil:
			p.program.functions.add(newFunction(f))
		case t != nil:
			n := newType(t)
			n.members = make([]*typ, len(t.Fields))
			for _, field := range t.Fields {
				n.names = append(n.names, utfOf(field.Name))
			}
			p.program.types.all[t.ID] = n
		default:
			a.read[i] += before
			return nil
		}
	}
}

// poll reads on in the chunks that were not full.
func (p *process) poll(ctx context.Context) error {
	p.compact()
	list := p.open
	for len(list) > 0 && p.to.err == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := p.together(list)
		if err != nil {
			return err
		}
		for _, u := range list[:n] {
			if err := p.readOn(u.s, p.late); err != nil {
				return err
			}
		}
		list = list[n:]
	}
	p.compact()
	return nil
}

// compact removes the chunks that are full.
func (p *process) compact() {
	p.open = slices.DeleteFunc(p.open, unfull.stale)
	p.compacted = len(p.open)
}

// together reads the rests of chunks that are near each other at once, and returns how many.
func (p *process) together(list []unfull) (n int, err error) {
	const most, gap = readSize, 16 << 10
	from, end := list[0].s.rest()
	for n = 1; n < len(list); n++ {
		start, next := list[n].s.rest()
		if start < end || start-end > gap || next-from > most {
			break
		}
		end = next
	}
	return n, p.late.Fill(from, int(end-from))
}

// rest returns where the rest of the stream's chunk begins and ends in the file.
func (s *stream) rest() (from, end int64) { return s.chunk.Offset + int64(s.at), s.chunk.End() }

// readOn converts what was added to a stream's chunk.
func (p *process) readOn(s *stream, w *raw.Window) error {
	data, seen, err := w.Read(s.chunk.Offset+int64(s.at), s.chunk.Size-s.at)
	if err != nil {
		return err
	}
	read, whole := p.convert(s, data, seen)
	s.at += read
	s.late = true
	if whole || s.at >= s.chunk.Size {
		p.full(s)
	}
	return nil
}

// full notes that a stream's chunk gets no more events.
func (p *process) full(s *stream) {
	s.unfull = false
	left := s.chunk.LeftOut
	if s.late { // it may have grown
		if b, _, err := p.late.Read(s.chunk.Offset+raw.AtChunkLeftOut, 4); err == nil && len(b) == 4 {
			left = binary.LittleEndian.Uint32(b)
		}
	}
	p.told.LeftOut += int64(left)
}

// events converts a chunk.
func (p *process) events(chunk raw.Chunk) error {
	s := p.streams[chunk.Stream]
	if s == nil {
		s = &stream{g: chunk.Stream}
		p.streams[chunk.Stream] = s
	}
	if s.unfull { // there is a next chunk, so that the one before is complete
		if !p.ended {
			from, end := s.rest()
			if err := p.late.Fill(from, int(end-from)); err != nil {
				return err
			}
			if err := p.readOn(s, p.late); err != nil {
				return err
			}
		}
		if s.unfull {
			p.full(s)
		}
	}
	s.chunk, s.at, s.counter, s.unfull, s.late = chunk, raw.ChunkHead, chunk.Counter, true, false
	data, seen, err := p.chunks.Read(chunk.Offset+raw.ChunkHead, chunk.Size-raw.ChunkHead)
	if err != nil {
		return err
	}
	p.to.read += int64(chunk.Size)
	read, whole := p.convert(s, data, seen)
	if s.at += read; whole || s.at >= chunk.Size {
		p.full(s)
	} else {
		if len(p.open) > 2*p.compacted+1024 {
			p.compact()
		}
		p.open = append(p.open, unfull{s, chunk.Offset})
	}
	return nil
}

// finish ends the threads of a process that is gone.
func (p *process) finish() {
	p.done = true
	for _, u := range p.open {
		if !u.stale() {
			p.full(u.s)
		}
	}
	p.open = nil
	list := make([]*stream, 0, len(p.streams))
	for _, s := range p.streams {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *stream) int { return cmp.Compare(a.chunk.Offset, b.chunk.Offset) })
	for _, s := range list {
		if s.t != nil {
			p.endThread(s.t, p.last)
			s.t = nil
		}
	}
	h := &p.file.Head
	p.told.Lost, p.told.Reason, p.told.Errno = int64(h.Lost), h.Reason, h.Errno
	for f := range p.program.functions.all() {
		if f.called {
			p.told.Functions++
			p.to.called[f.method] = true
		}
	}
	p.to.flushOf(p)
	p.streams, p.program = nil, program{symbols: symbols{places: map[uint64]symbol{}}}
	p.file.Close()
}

// prefixed returns the name of a thread with its program, if there are several.
func (p *process) prefixed(name string) string {
	if !p.named {
		p.named = true
		p.prefix = p.to.prefixOf(p)
	}
	return p.prefix + name
}

// programName is the name of the program in names of threads.
func (p *process) programName() string {
	if name := p.file.Head.Program(); name != "" {
		return values.Cut(name, 100)
	}
	return fmt.Sprint("process ", p.file.Head.PID)
}
