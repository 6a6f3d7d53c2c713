package instrumented

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"tracex/format/tracefile"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

// process is a program whose raw file is converted.
type process struct {
	to      *Converter
	file    *raw.File
	about   *tracefile.Program
	named   bool // its name in those of its threads is final
	clock   clock
	program program
	encoder encoder
	streams map[uint64]*stream

	chunks raw.Chunks
	late   *raw.Window // for chunks that were not full
	open   []unfull    // such chunks, in the order of the file; some may be full by now
	ahead  ahead

	compacted int // length of open when it had no full ones

	ended  bool // its file is no longer written
	done   bool // all of it has been read
	looked int  // the search since the current events were read: see looked
	last   int64
	gap    gap
	told   Process
	sites  sites
}

const (
	readSize  = 256 << 10 // bytes read at a time, for events
	aheadSize = 16 << 10  // the same, for heads of chunks
)

func newProcess(c *Converter, f *raw.File) *process {
	p := &process{to: c, file: f, streams: map[uint64]*stream{}}
	p.program = program{dict: &c.blocks.dict, text: f.Head.Text, types: types{all: map[uint32]*typ{}}, places: places{all: map[uint32]int32{}}, more: p.again}
	p.encoder = encoder{p: &p.program, layout: c.layout}
	p.chunks, p.late = f.Chunks(f.Window(readSize)), f.Window(readSize)
	p.ahead.chunks = f.Chunks(f.Window(aheadSize))
	p.told = Process{Path: f.Path, PID: f.Head.PID, Arguments: f.Head.Arguments}
	p.sites = sites{all: map[siteKey]*site{}}
	p.about = &tracefile.Program{PID: f.Head.PID, Name: p.programName()}
	c.blocks.To.Programs = append(c.blocks.To.Programs, p.about)
	table, err := f.Table()
	if err != nil {
		p.problem(err)
	}
	var ok bool
	if p.program.symbols, ok = newSymbols(table, f.Head.Text, &c.blocks.dict.packages); !ok {
		p.problem(f.Fault(int64(f.Head.Table), "the table of functions cannot be read: places and goroutines have no names"))
	}
	return p
}

// mostProblems is how many problems of a process are reported.
const mostProblems = 20

// problem notes damage.
func (p *process) problem(err error) {
	p.told.Damaged++
	if len(p.told.Problems) < mostProblems {
		p.told.Problems = append(p.told.Problems, err)
	}
}

// damage reports whether an error is damage, and notes it if so.
func (p *process) damage(err error) bool {
	var fault *raw.Error
	if errors.As(err, &fault) {
		p.problem(err)
		return true
	}
	return false
}

// step converts what the program has written since the last step, up to about most bytes. more reports
// whether it stopped there.
func (p *process) step(ctx context.Context, live bool, most int64) (more bool, err error) {
	safe, err := p.file.Size() // what follows may be dropped before it is read, if the header says so by then
	if err != nil {
		return false, err
	}
	if err := p.file.Refresh(); err != nil && !p.damage(err) {
		return false, err
	}
	p.chunks.Renew(live)
	p.late.Renew(live)
	if live && (p.file.Head.Dropped > 0 || p.file.Head.Ring > 0) {
		return false, nil // the program may drop any data at any time
	}
	const passed = 64 << 20 // bytes without a chunk between checks of ctx
	over := int64(0)
	if !live {
		over = passed
	}
	if err := p.look(ctx, over, live); err != nil {
		return false, err
	}
	if err := p.poll(ctx); err != nil {
		return false, err
	}
	for began := p.to.read; p.to.err == nil; {
		if err := errors.Join(ctx.Err(), p.to.blocks.To.Err()); err != nil {
			return false, err
		}
		if p.to.read-began >= most {
			return true, nil
		}
		here := p.chunks
		before := here.Offset()
		chunk, ok, err := p.chunks.Next(over)
		p.to.pass(p.chunks.Offset() - before)
		switch {
		case err != nil && !p.damage(err):
			return false, err
		case err != nil:
			continue
		case ok && live && chunk.Offset >= safe:
			p.chunks = here
			return false, nil
		case !ok:
			if live || p.chunks.Offset() == before {
				return false, nil
			}
		case chunk.Kind == raw.ChunkEvents:
			if err := p.events(chunk); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// finish ends the threads of a process that is gone.
func (p *process) finish() {
	p.done = true
	list := make([]*stream, 0, len(p.streams))
	for _, s := range p.streams {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *stream) int { return cmp.Compare(a.chunk.Offset, b.chunk.Offset) })
	p.lose(list)
	for _, u := range p.open {
		if !u.stale() {
			p.full(u.s)
		}
	}
	p.open = nil
	for _, s := range list {
		if s.t != nil {
			p.endThread(s.t, p.last)
			s.t = nil
		}
	}
	h := &p.file.Head
	p.told.Lost, p.told.Reason, p.told.Errno, p.told.Dropped = int64(h.Lost), h.Reason, h.Errno, h.Dropped > 0
	if p.told.Ring = h.Ring > 0; h.Missing > 0 {
		p.told.Missing = p.gap.missing(p)
	}
	for f := range p.program.functions.all() {
		if f.called {
			p.told.Functions++
			p.to.called[f.method] = true
			nameAlike(p, f)
		}
	}
	p.to.blocks.flushOf(p)
	p.streams, p.program, p.encoder = nil, program{}, encoder{}
	p.chunks, p.late, p.ahead, p.sites = raw.Chunks{}, nil, ahead{}, sites{}
	p.file.Close()
}

// prefixed returns the name of a thread with its program, if there are several.
func (p *process) prefixed(name string) string {
	if !p.named {
		p.named = true
		p.about.Shown = p.to.shownName(p)
	}
	if p.about.Shown == "" {
		return name
	}
	return p.about.Shown + between + name
}

// programName is the name of the program in names of threads.
func (p *process) programName() string {
	if name := p.file.Head.Program(); name != "" {
		return values.Cut(name, 100)
	}
	return fmt.Sprint("process ", p.file.Head.PID)
}
