package instrumented

import (
	"cmp"
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/instrument/raw"
)

func newProcess(c *Converter, f *raw.File) *process {
	p := &process{to: c, file: f, streams: map[uint64]*stream{}}
	p.program = program{dict: &c.blocks.dict, text: f.Head.Text, types: types{all: map[uint32]*typ{}}, places: places{all: map[uint32]int32{}}, more: p.again}
	p.encoder = encoder{p: &p.program, layout: c.layout}
	p.chunks, p.late = f.Chunks(f.Window(readSize)), f.Window(readSize)
	p.ahead.chunks = f.Chunks(f.Window(aheadSize))
	p.told = Process{Path: f.Path, PID: f.Head.PID, Arguments: f.Head.Arguments}
	p.sites, p.roots = sites{all: map[siteKey]*site{}}, map[uint64]root{}
	p.about = &tracefile.Program{PID: f.Head.PID, Name: p.programName()}
	c.blocks.To.Programs = append(c.blocks.To.Programs, p.about)
	if n := f.Head.Sample; n > 0 {
		p.program.dict.text(format.SampleText(int64(min(n, 1e9))))
	}
	if ns := f.Head.Slower; ns > 0 {
		p.program.dict.text(format.SlowerText(int64(min(ns, math.MaxInt64))))
	}
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
	if live && (p.file.Head.Dropped > 0 || p.file.Head.Ring > 0 || p.file.Head.Slower > 0) {
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
	p.told.Until = h.Until > 0
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
	for i := range p.told.Tests {
		t := &p.told.Tests[i]
		if at, ok := p.roots[t.goroutine]; ok {
			t.Thread, t.Event = at.thread, at.event
		}
	}
	p.to.blocks.flushOf(p)
	p.streams, p.program, p.encoder = nil, program{}, encoder{}
	p.chunks, p.late, p.ahead, p.sites, p.roots = raw.Chunks{}, nil, ahead{}, sites{}, nil
	p.file.Close()
}

// look reads times and descriptors from the chunks that exist by now. It passes over at most over
// bytes without a chunk, where a goroutine may not have finished beginning its chunk. If the
// program is gone, look continues to the end of the file.
func (p *process) look(ctx context.Context, over int64, live bool) error {
	a := &p.ahead
	a.chunks.Renew(live)
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
			return err
		case err != nil: // damage, which is reported when the chunk is converted
		case ok:
			if err := p.saw(chunk); err != nil {
				return err
			}
		case live || a.chunks.Offset() == before.Offset():
			a.chunks = hole
			return nil
		default:
			if err := ctx.Err(); err != nil {
				a.chunks = hole
				return err
			}
		}
	}
}

// again reads descriptors that were written since the step began: an event that was read may need
// one of them. thorough also looks past places where a chunk is being begun.
func (p *process) again(thorough bool) {
	const passed = 4 << 20 // bytes of such places
	if p.ended || p.looked >= looked(thorough) {
		return // the descriptors for the current events have been read
	}
	p.looked = looked(thorough)
	over := int64(0)
	if thorough {
		over = passed
	}
	if err := p.look(context.Background(), over, true); err != nil {
		p.to.stop(err)
	}
}

// onlyOthers returns err unless it is about damage, else nil.
func onlyOthers(err error) error {
	var fault *raw.Error
	if errors.As(err, &fault) {
		return nil
	}
	return err
}

// saw takes the times and the descriptors of a chunk.
func (p *process) saw(chunk raw.Chunk) error {
	if chunk.Later != raw.LaterMost {
		p.clock.add(chunk.Counter+uint64(chunk.Later), chunk.Nanos)
	}
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
		found, ok := d.Next()
		switch {
		case !ok:
			p.problem(p.file.Fault(chunk.Offset+int64(a.read[i]+before), "a damaged descriptor"))
			if d.Read() == before {
				a.read[i] = chunk.Size
				return nil
			}
		case found.Function != nil:
			p.program.functions.add(newFunction(found.Function, &p.program.symbols.names))
		case found.Packages != nil:
			p.program.symbols.names.learn(found.Packages)
		case found.Results != nil:
			p.program.results(found.Results)
		case found.Test != nil:
			p.tested(found.Test)
		case found.Type != nil:
			t := found.Type
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

func newType(t *raw.Type) *typ {
	n := &typ{Type: *t, id: none, refers: none}
	if t.Flags&raw.TypeNamed != 0 && t.Package != "" {
		name := afterPackage(t.Name)
		n.special = specials[t.Package+"."+name]
		if n.message = messageOf(n, t.Package, name); n.message != nil && n.special == notSpecial {
			n.special = told
		}
	}
	if n.special == notSpecial && t.Flags&raw.TypeError != 0 && (t.Kind == reflect.String || t.Kind >= reflect.Bool && t.Kind <= reflect.Float64) {
		n.special = own
	}
	if t.Kind == reflect.Array {
		if size, _, ok := strings.Cut(strings.TrimPrefix(t.Name, "["), "]"); ok && strings.HasPrefix(t.Name, "[") {
			length, _ := strconv.ParseInt(size, 10, 32)
			n.length = int32(max(length, 0))
		}
	}
	n.number = numberKind(t.Kind, n.special)
	return n
}
