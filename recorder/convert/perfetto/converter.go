package perfetto

import (
	"cmp"
	"context"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/recorder/convert/spool"
)

// Options of a conversion. The zero Options are good.
type Options struct {
	// TempDir is where temporary files go that the events of a long trace are
	// sorted in; "" is the system's folder for them. They take about a quarter
	// of the trace's size, and are never left behind.
	TempDir string
	// Memory is how many bytes of events are kept in memory, 64 MiB if 0. The
	// rest of a conversion takes some tens of MiB more.
	Memory int64
	// BlockSize is how many bytes of a thread make a block, 1 MiB if 0.
	BlockSize int
	// Progress is told how much of the work is done, if it is not nil.
	Progress func(Stage, int64)
	// FormatVersion is the version of the format that the trace is written in, one
	// that is written. 0 is the newest, but where recorded calls of one version are
	// all that is in the trace: then it is theirs, and they are taken as they are.
	FormatVersion format.Version
}

// Stage is a part of the work.
type Stage int

const (
	Reading Stage = iota // done: bytes of the input
	Writing              // done: bytes of the data that was written
)

const (
	defaultMemory = 64 << 20
	defaultBlock  = 1 << 20
)

// Converter makes a trace of packets: give it all of them, in the order in which
// they stand in the file, then have the trace written. It is used by one
// goroutine at a time.
type Converter struct {
	options    Options
	readers    map[protowire.Number]reader
	spool      *spool.Spool
	dictionary *dictionary
	clocks     *clocks
	monotonic  conversion // of times by old fields
	others     conversion // of packets without a sequence
	sequences  sequences
	names      names
	left       tally
	packets    int64
	wall       int64 // ns since 1970 at wallAt, by the first snapshot that tells
	wallAt     reading
	hasWall    bool

	tracks     map[uint64]*track    // those that are not joined
	threads    map[threadID]uint64  // their tracks
	processes  map[processID]uint64 // the first track of each
	several    bool                 // there are several machines
	joined     *remember[uint64, *line]
	lines      []*line
	keys       map[lineKey]*line
	unknown    int                        // lines of tracks that are not described
	asyncNames *remember[asyncID, string] // nil: there are none
	recorded   recorded
	early      *spool.Stream // nil: nothing was

	first, last int64 // times of events

	unpacker unpacker

	// Of the packet that is being read.
	current        packet
	event          event
	category, name label
	arguments      arguments
	record         record
	scratch        []byte
	text           []byte
}

// New returns a Converter. The caller closes it. With options that cannot be, Read
// and Write fail.
func New(o Options) *Converter {
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	if o.BlockSize <= 0 {
		o.BlockSize = defaultBlock
	}
	c := &Converter{
		options:   o,
		readers:   readers(),
		spool:     spool.New(o.TempDir, o.Memory),
		clocks:    newClocks(),
		names:     names{make(map[processID]string), make(map[threadID]string)},
		tracks:    make(map[uint64]*track),
		threads:   make(map[threadID]uint64),
		processes: make(map[processID]uint64),
		joined:    newRemember[uint64, *line](knownJoined),
		keys:      make(map[lineKey]*line),
		first:     math.MaxInt64,
	}
	c.dictionary = newDictionary(c.spool, cmp.Or(o.FormatVersion, format.Newest))
	c.dictionary.err = writable(o.FormatVersion)
	c.arguments = arguments{d: c.dictionary, plain: format.NewContext(format.V22)}
	return c
}

// Close removes what the conversion kept outside of memory.
func (c *Converter) Close() {
	c.spool.Close()
	c.unpacker.close()
}

// Read reads a trace to its end. An error that is a [*format.Error] says where
// the trace is damaged or cut short: all before that place is taken in, and can
// be written.
func (c *Converter) Read(ctx context.Context, in io.Reader) error {
	f := framer{r: in, tooLarge: c.tooLarge}
	f.read = func(offset int64) error {
		if c.options.Progress != nil {
			c.options.Progress(Reading, offset)
		}
		return ctx.Err()
	}
	for {
		packet, offset, err := f.next()
		switch {
		case err == io.EOF && offset == 0:
			return &format.Error{Offset: -1, Err: format.ErrNotTrace, Found: "the file is empty"}
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := c.packet(packet, offset); err != nil {
			return err
		}
	}
}

func (c *Converter) tooLarge(offset int64) { c.leave(largePackets, &packet{offset: offset}) }

// Packet takes in one TracePacket. It fails only when there is no room for what
// it keeps; what is wrong with the packet is counted.
func (c *Converter) Packet(b []byte) error { return c.packet(b, -1) }

func (c *Converter) packet(b []byte, offset int64) error {
	p := &c.current
	*p = packet{offset: offset}
	whole := p.parse(b)
	if whole && compressed(p.kind) {
		return c.unpack(*p)
	}
	c.packets++
	if !whole {
		c.leave(damaged, p)
		if !p.stamped(b) || compressed(p.kind) {
			return nil
		}
		// What was read of it counts: the times of those behind it may be told as
		// differences, and what it began will end.
		if len(p.data) == 0 {
			p.kind = 0
		}
	}
	var s *sequence
	if p.sequence != 0 {
		s = c.sequences.get(p.sequence)
		c.updateState(p, s)
	}
	if p.kind == packetClockSnapshot {
		c.clockSnapshot(p)
		return nil
	}
	if p.flags&flagNeedsState != 0 && (s == nil || !s.valid) {
		c.leave(withoutState, p)
		return nil
	}
	// Also of packets that mean nothing to us: the next time may be told as the
	// difference to this one.
	if p.hasTime {
		p.ns, p.timed = c.packetTime(p, s)
	}
	// The kind that nearly all packets are of needs no look-up.
	if p.kind == packetTrackEvent {
		return c.failed(c.trackEvent(p, s))
	}
	if read := c.readers[p.kind]; read != nil {
		return c.failed(read(c, p, s))
	}
	if p.kind != 0 && !aboutRecording[p.kind] {
		c.left.kind(p)
	}
	return nil
}

// failed returns err, or what the dictionary failed with.
func (c *Converter) failed(err error) error {
	if err == nil {
		err = c.dictionary.err
	}
	return err
}
