package instrumented

import (
	"context"
	"errors"
	"slices"

	"tracex/recorder/instrument/raw"
)

// ahead reads times and descriptors from the chunks that follow those being converted.
type ahead struct {
	chunks      raw.Chunks
	descriptors []raw.Chunk
	read        []int // bytes of each that have been read
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

// looked returns how thorough a search for descriptors is: larger is more thorough.
func looked(thorough bool) int {
	if thorough {
		return 2
	}
	return 1
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
