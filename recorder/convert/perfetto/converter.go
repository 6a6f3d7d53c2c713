package perfetto

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"io"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/format/pbfield"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/spool"
)

// Options of a conversion. The zero Options are valid.
type Options struct {
	// TempDir is the directory for temporary files, in which the events of a long trace
	// are sorted; "" means the system's directory for them. They take about a quarter of
	// the trace's size, and are always removed.
	TempDir string
	// Memory is how many bytes of events are kept in memory, 64 MiB if 0. The rest of a
	// conversion takes some tens of MiB more.
	Memory int64
	// BlockSize is the size of a thread's blocks in bytes, 1 MiB if 0.
	BlockSize int
	// Progress, if not nil, is called with the progress of the work.
	Progress func(Stage, int64)
	// FormatVersion is the version of the format to write. 0 means the newest, unless
	// the trace has only recorded calls of one version: then it means that version, and
	// the calls are copied unchanged.
	FormatVersion format.Version
	// Process, if not nil, is the process whose packets are converted. The clock of the trace is
	// then the machine's monotonic clock.
	Process *Process
}

// Stage is a stage of the work.
type Stage int

const (
	Reading Stage = iota // progress: bytes of the input
	Writing              // progress: bytes of data written
)

// Converter makes a trace from packets. Pass it the packets in the order of the
// file, with Read or one at a time with Packet, then call Write. It must be used by
// one goroutine at a time.
//
// It passes each packet to the part for its kind:
//
//	packet → clocks: the time; sequences: the incremental state
//	       → tracks: descriptions of tracks, threads and processes
//	       → events: TrackEvents → record → sink → spool
//	       → recorded: calls of recorders → spool
//
// When all packets have been read, writer turns the spool's records into blocks, one
// track after the other.
type Converter struct {
	options    Options
	spool      *spool.Spool
	dictionary *calltrace.Dictionary
	references *spool.Stream // each record: one of the dictionary's objects
	clocks     *clocks
	sequences  sequences
	tracks     *tracks
	events     *eventReader
	recorded   *recorded
	sink       *sink
	left       *fit.Tally
	kinds      unknownKinds
	unpacker   unpacker
	packets    int64
	room       packet  // scratch for the current packet
	begun      *blocks // of a trace of which a part was written already; nil if nothing
	names      recorderNames
}

// New returns a Converter. The caller must close it. If the options are invalid,
// Read and Write fail.
func New(o Options) *Converter {
	if o.Memory <= 0 {
		o.Memory = calltrace.Memory
	}
	if o.BlockSize <= 0 {
		o.BlockSize = calltrace.BlockSize
	}
	c := &Converter{options: o, spool: spool.New(o.TempDir, o.Memory), clocks: newClocks(), left: new(fit.Tally), kinds: unknownKinds{}}
	c.dictionary = calltrace.NewDictionary(cmp.Or(o.FormatVersion, format.Newest))
	c.dictionary.Err = writable(o.FormatVersion)
	c.references = c.spool.Stream()
	c.names.met = make(map[string]int)
	c.clocks.left = c.left
	c.sink = newSink(c.spool, c.clocks, c.left)
	c.tracks = newTracks(c.spool, c.left)
	c.recorded = &recorded{keep: &spooledParts{spool: c.spool}, spool: c.spool, sink: c.sink, left: c.left}
	if o.Process != nil {
		c.clocks.fix(clockMonotonic)
	}
	c.events = newEventReader(c.dictionary, c.clocks, c.tracks, c.sink, c.left)
	return c
}

// Close removes the conversion's temporary files.
func (c *Converter) Close() {
	c.spool.Close()
	c.unpacker.close()
}

// Read reads a trace to its end. A [*format.Error] tells where the trace is damaged
// or truncated: everything before that offset is kept, and can be written.
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

func (c *Converter) tooLarge(offset int64) { c.left.Count(largePackets, 1, offset) }

// Packet converts one TracePacket. It fails only if the temporary file cannot be
// written; faults of the packet are counted.
func (c *Converter) Packet(b []byte) error { return c.packet(b, -1) }

func (c *Converter) packet(b []byte, offset int64) error {
	p := &c.room
	*p = packet{offset: offset}
	whole := p.parse(b)
	if whole && compressed(p.kind) {
		return c.unpack(*p)
	}
	c.packets++
	if !whole {
		c.left.Count(damaged, 1, p.offset)
		if !p.stamped(b) || compressed(p.kind) {
			return nil
		}
		// The parsed fields count: the times of later packets may be relative to this one,
		// and slices that it begins will end.
		if len(p.data) == 0 {
			p.kind = 0
		}
	}
	var s *sequence
	if p.sequence != 0 {
		s = c.sequences.get(p.sequence)
		c.updateState(p, s)
	}
	if p.kind == pbfield.TracePacket_ClockSnapshot {
		c.clocks.snapshot(p)
		return nil
	}
	if p.flags&flagNeedsState != 0 && (s == nil || !s.valid) {
		c.left.Count(withoutState, 1, p.offset)
		return nil
	}
	// This includes packets that are not converted: the next time may be relative to
	// this one.
	if p.hasTime {
		p.ns, p.timed = c.clocks.packetTime(p, s)
	}
	if !c.options.Process.has(p) {
		return nil
	}
	if err := c.read(p, s); err != nil {
		return err
	}
	if c.dictionary.Pending() > 0 {
		if err := c.dictionary.Each(func(object []byte) error { return c.spool.Add(c.references, 0, object) }); err != nil {
			return err
		}
	}
	return c.dictionary.Err
}

// read passes a packet to the part for its kind. Other kinds are left out and
// counted.
func (c *Converter) read(p *packet, s *sequence) error {
	switch p.kind {
	case pbfield.TracePacket_TrackEvent:
		return c.events.read(p, s)
	case pbfield.TracePacket_TracexCalls:
		return c.recorded.read(p)
	case pbfield.TracePacket_TrackDescriptor:
		c.tracks.trackDescriptor(p, s)
	case pbfield.TracePacket_ProcessDescriptor:
		c.tracks.processDescriptor(p)
	case pbfield.TracePacket_ThreadDescriptor:
		c.tracks.threadDescriptor(p, s)
	case pbfield.TracePacket_ProcessTree:
		c.tracks.processTree(p)
	case pbfield.TracePacket_Trigger, pbfield.TracePacket_CloneSnapshotTrigger:
		return c.events.trigger(p)
	case pbfield.TracePacket_RemoteClockSync:
		c.clocks.remoteSync(p)
	default:
		if p.kind != 0 && !aboutRecording[p.kind] {
			c.left.Count(c.kinds.reason(p.kind), 1, p.offset)
		}
	}
	return nil
}

// unpacker decompresses packets within packets.
type unpacker struct {
	deflate io.ReadCloser // nil until needed
	zstd    *zstd.Decoder
	packed  []byte // scratch for the decompressed packets
	within  bool   // the current packets are from a compressed one
}

// zstdWindow is how far back compressed bytes may refer, in bytes: enough for all
// levels that need no more than the usual memory.
const zstdWindow = 8 << 20

// open returns a reader that decompresses a packet's data, by the method of its
// kind.
func (u *unpacker) open(p *packet) (r io.Reader, err error) {
	in := bytes.NewReader(p.data)
	switch {
	case p.kind == pbfield.TracePacket_ZstdCompressedPackets && u.zstd != nil:
		return u.zstd, u.zstd.Reset(in)
	case p.kind == pbfield.TracePacket_ZstdCompressedPackets:
		u.zstd, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(zstdWindow))
		return u.zstd, err
	case u.deflate != nil:
		return u.deflate, u.deflate.(zlib.Resetter).Reset(in, nil)
	}
	if u.deflate, err = zlib.NewReader(in); err != nil {
		u.deflate = nil
	}
	return u.deflate, err
}

func (u *unpacker) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}

// compressed reports whether packets of a kind contain compressed packets.
func compressed(kind protowire.Number) bool {
	return kind == pbfield.TracePacket_CompressedPackets || kind == pbfield.TracePacket_ZstdCompressedPackets
}

// unpack converts the packets that a packet holds compressed.
func (c *Converter) unpack(p packet) error {
	u := &c.unpacker
	if u.within {
		c.left.Count(damaged, 1, p.offset)
		return nil
	}
	in, err := u.open(&p)
	if err != nil {
		c.left.Count(damaged, 1, p.offset)
		return nil
	}
	u.within = true
	defer func() { u.within = false }()
	f := framer{r: in, buf: u.packed[:0], tooLarge: func(int64) { c.left.Count(largePackets, 1, p.offset) }}
	defer func() {
		if cap(f.buf) <= 16*framerBuffer { // larger only for a packet of that size
			u.packed = f.buf
		}
	}()
	for {
		b, _, err := f.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			c.left.Count(damaged, 1, p.offset)
			return nil
		}
		if err := c.packet(b, p.offset); err != nil {
			return err
		}
	}
}
