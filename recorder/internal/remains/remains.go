// Package remains reads what a recorder left in its live file when its program ended without
// Stop: threads with what they had published, and names. See package live.
package remains

import (
	"cmp"
	"fmt"
	"slices"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
)

// Thread is the remains of a thread that had not been written to its end.
type Thread struct {
	At       int64 // offset of its slot
	ID       int32
	Name     string
	Over     uint64           // the clock's reading when it ended; 0 if it had not
	PutChunk uint64           // number of the last chunk from which the sink has something
	Begun    uint64           // number of the last chunk that was begun
	Chunks   []*buffers.Chunk // oldest first
	List     buffers.Chunks   // those that Chain selected
}

// Version returns the version of the format of the objects in a live file.
func Version(rest *live.Rest) (format.Version, error) {
	n := rest.Uint(live.AtFormat)
	if n == 0 {
		return format.V22, nil // its writer knew no other
	}
	if v, ok := format.WritableVersion(n); ok {
		return v, nil
	}
	return 0, fmt.Errorf("it holds objects of format version %d, which needs a newer tracex", n)
}

// Guard must be deferred when reading a live file: its content is checked, but unforeseen
// damage must not end the program.
func Guard(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("%w: %v", live.ErrDamaged, v)
	}
}

// Threads returns the remains of the threads, sorted by id.
func Threads(rest *live.Rest) ([]*Thread, error) {
	byID := make(map[int32]*Thread)
	for at, err := range rest.Slots(live.Threads) {
		if err != nil {
			return nil, err
		}
		t, err := thread(rest, at)
		if err != nil {
			return nil, err
		}
		if byID[t.ID] != nil {
			return nil, fmt.Errorf("%w: two threads have the id %d", live.ErrDamaged, t.ID)
		}
		byID[t.ID] = t
	}
	for at, err := range rest.Slots(live.Chunks) {
		if err != nil {
			return nil, err
		}
		t := byID[int32(uint32(rest.Uint(at)))]
		if t == nil {
			continue // the thread has ended, all of it is in the sink
		}
		c, err := buffers.Restore(rest, at)
		if err != nil {
			return nil, err
		}
		t.Chunks = append(t.Chunks, c)
	}
	threads := make([]*Thread, 0, len(byID))
	for _, t := range byID {
		slices.SortFunc(t.Chunks, func(a, b *buffers.Chunk) int { return cmp.Compare(a.Number, b.Number) })
		threads = append(threads, t)
	}
	slices.SortFunc(threads, func(a, b *Thread) int { return cmp.Compare(a.ID, b.ID) })
	return threads, nil
}

func thread(rest *live.Rest, at int64) (*Thread, error) {
	word := func(off int64) uint64 { return rest.Uint(at + off) }
	name, size := at+live.ThreadShort, int64(word(live.ThreadName))
	if size > live.ShortName {
		name = int64(word(live.ThreadShort))
	}
	b, err := rest.Bytes(name, size)
	if err != nil {
		return nil, err
	}
	return &Thread{
		At: at, ID: int32(uint32(word(0))), Name: string(b), Over: word(live.ThreadEnded),
		PutChunk: word(live.ThreadPut), Begun: word(live.ThreadBegun),
	}, nil
}

// Chain makes a list of the thread's chunks that have something to put. It stops at a missing
// chunk, and where good cuts a part: good returns the sound beginning of a part. It reports
// whether something is missing.
func (t *Thread) Chain(good func(p buffers.Part) buffers.Part) (short bool) {
	next := t.PutChunk
	for _, c := range t.Chunks {
		if c.Number > next+1 {
			return true
		}
		next = max(next, c.Number)
		p := c.Pending()
		sound := good(p)
		bytes, marks := len(sound.Data), len(sound.Marks)
		if bytes > 0 {
			c.Published.Store(buffers.Pack(c.Flushed+bytes, c.FlushedMarks+marks))
			t.List.Add(c)
		}
		if bytes < len(p.Data) || marks < len(p.Marks) {
			return true
		}
	}
	return next < t.Begun
}

// LastReading returns a thread's highest reading of the clock. Chain must have been called.
func (t *Thread) LastReading() (last uint64) {
	last = t.Over
	for c := t.List.First; c != nil; c = c.Next {
		if p := c.Pending(); len(p.Marks) > 0 {
			last = max(last, p.Marks[len(p.Marks)-1].Reading)
		}
	}
	return last
}

// Reading returns the reading of the last header or footer in a block of the trace's files.
func (t *Thread) Reading(rest *live.Rest) uint64 { return rest.Uint(t.At + live.ThreadReading) }

// Names returns the names that are in no block: encoded reference objects, and their cells,
// whose Start is the position in b.
func Names(rest *live.Rest, version format.Version) (b []byte, cells []format.Cell, err error) {
	if b, err = log(rest); err != nil {
		return nil, nil, err
	}
	for at := 0; at < len(b); {
		n, err := version.Size(b[at:], 0)
		if err != nil || n <= 0 || n > len(b)-at || !format.Kind(b[at]).Reference() || n < 6 {
			return nil, nil, fmt.Errorf("%w: a name of kind %d at %d of %d bytes: %v", live.ErrDamaged, b[at], at, len(b), err)
		}
		cells = append(cells, format.Cell{Kind: format.Kind(b[at]), ID: version.ReferenceID(b[at:]), Start: int64(at)})
		at += n
	}
	return b, cells, nil
}

// log returns the bytes of the log of names that are in no block.
func log(rest *live.Rest) (b []byte, err error) {
	taken := int64(rest.Uint(live.AtNames + 8))
	for at, n := int64(rest.Uint(live.AtNames)), 0; at != 0; n++ {
		size := int64(rest.Uint(at + live.NamesLen))
		region, err := rest.Bytes(at+live.NamesHead, size)
		if err != nil {
			return nil, err
		}
		if int64(len(b)) > rest.Size() || n > 1<<20 {
			return nil, fmt.Errorf("%w: its list of names has no end", live.ErrDamaged)
		}
		before := int64(rest.Uint(at + live.NamesBefore))
		if skip := taken - before; skip > 0 {
			region = region[min(skip, size):]
		}
		b = append(b, region...)
		at = int64(rest.Uint(at + live.NamesNext))
	}
	return b, nil
}
