package perfetto

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
	"tracex/format/tracefile"
	"tracex/recorder/internal/perfetto/calls"
)

// LiveOptions are what a [Live] works with.
type LiveOptions struct {
	// Options are those of the conversion at the end. FormatVersion, if set, is the
	// version to write; calls of another version are then not converted live.
	Options
	// Create creates the trace's files. It is called once, when the first calls are
	// written.
	Create func() (tracefile.Files, error)
	// Rest receives the packets that are not converted live, in the form of a trace file.
	Rest io.Writer
	// Progress receives what [ResumeLive] needs.
	Progress io.Writer
	// Before, if not nil, is called by [Live.End] before the end of the trace is written, to
	// which it may add. time converts a reading of the machine's monotonic clock to ns since the
	// anchor of the trace; known is false if no snapshot has both clocks.
	Before func(ctx context.Context, to *tracefile.Writer, time func(monotonic int64) (ns int64, known bool)) error
}

// Live makes a trace while its packets arrive: the calls of the first recorder, in
// the version in which they were recorded. All other packets are in
// [LiveOptions.Rest], and are converted by [Live.End]. It must be used by one
// goroutine at a time.
//
//	Take → the first recorder's calls → waiting → Advance → blocks → the files
//	     → other packets → Rest → End → blocks → the files
//
// A reader may follow the files: after each Advance they end with a whole block, and
// blocks of a thread continue those before, with the calls that were open there.
type Live struct {
	options LiveOptions
	packets *Converter // reads the packets of the recorder
	chosen  choice
	waiting waiting
	trace   *liveTrace // nil until the files are created
	failed  error
	// Programs name processes of packets that are converted by End.
	Programs []*tracefile.Program
}

// choice is which recorder is converted live.
type choice struct {
	made     bool
	recorder uint64
	held     [][]byte // packets of calls, with their frames, until the choice is made
	bytes    int      // of held
}

// mostHeld bounds the bytes of choice.held.
const mostHeld = 4 << 20

// waiting is the data that has arrived and is not written.
type waiting struct {
	references []byte // not written yet
	named      int    // arrived when the first of references came
	known      []byte // all references, as far as there is room
	parts      []waitingPart
	arrived    int   // parts ever
	bytes      int64 // of the packets of parts
	frame      []byte
	threads    map[int32]struct{}
}

// mostKnown bounds waiting.known, in bytes.
const mostKnown = 8 << 20

// NewLive returns a Live that has taken nothing yet. The caller must close it.
func NewLive(o LiveOptions) *Live {
	l := &Live{options: o, packets: New(o.Options)}
	l.waiting.threads = make(map[int32]struct{})
	l.packets.recorded.keep = &l.waiting
	return l
}

// Close releases what the conversion holds, except the files.
func (l *Live) Close() { l.packets.Close() }

// errFrame is returned for bytes that are not packets.
var errFrame = errors.New("not packets of a trace")

// Take takes packets, in the form of a trace file. Live keeps parts of b. An error
// means that Rest or its temporary file cannot be written.
func (l *Live) Take(b []byte) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 || number != 1 || kind != protowire.BytesType {
			return errFrame
		}
		packet, m := protowire.ConsumeBytes(b[n:])
		if m < 0 {
			return errFrame
		}
		if err := l.take(b[:n+m:n+m], packet); err != nil {
			return err
		}
		b = b[n+m:]
	}
	return nil
}

func (l *Live) take(frame, b []byte) error {
	var p packet
	whole := p.parse(b)
	switch {
	case l.failed != nil || !whole:
	case p.kind == pbfield.TracePacket_ClockSnapshot:
		if err := l.packets.Packet(b); err != nil {
			return err
		}
	case p.kind == pbfield.TracePacket_TracexCalls && p.machine == 0 && (p.clock == 0 || p.clock == clockBoottime):
		return l.calls(frame, b, p.data)
	}
	return l.rest(frame)
}

// rest keeps a packet for the end.
func (l *Live) rest(frame []byte) error {
	_, err := l.options.Rest.Write(frame)
	return err
}

// calls takes a packet of calls.
func (l *Live) calls(frame, packet, data []byte) error {
	part, err := calls.Decode(data)
	if err != nil {
		return l.rest(frame)
	}
	if !l.chosen.made {
		l.chosen.held = append(l.chosen.held, frame)
		if l.chosen.bytes += len(frame); !part.HasThread && l.chosen.bytes < mostHeld {
			return nil
		}
		if !part.HasThread { // they will be sent again
			return l.release()
		}
		version, known := versionOf(&part)
		if want := l.options.FormatVersion; !known || want != 0 && want != version {
			return l.release()
		}
		l.chosen.made, l.chosen.recorder = true, part.Recorder
		return l.release()
	}
	if part.Recorder != l.chosen.recorder {
		return l.rest(frame)
	}
	l.waiting.frame = frame
	return l.packets.Packet(packet)
}

// release passes the held packets to Take if a recorder is chosen, and else to Rest.
func (l *Live) release() error {
	held := l.chosen.held
	l.chosen.held, l.chosen.bytes = nil, 0
	for _, frame := range held {
		if !l.chosen.made {
			if err := l.rest(frame); err != nil {
				return err
			}
		} else if err := l.Take(frame); err != nil {
			return err
		}
	}
	return nil
}

// Taken returns a mark after the calls taken so far, for [Live.Advance].
func (l *Live) Taken() int { return l.waiting.arrived }

// Held returns how many bytes have been taken and are not written.
func (l *Live) Held() int64 { return l.waiting.bytes }

// Kept reports whether all that was taken before a mark is in the files or in Rest.
func (l *Live) Kept(mark int) bool {
	w := &l.waiting
	return l.failed != nil || len(l.chosen.held) == 0 && w.arrived-len(w.parts) >= mark && (len(w.references) == 0 || w.named > mark)
}

// Advance writes the calls that were taken before the mark to the files. The names
// that they refer to must have been taken, which is certain if all programs were
// flushed after the mark. When it fails, what earlier calls have written stays; all
// that is not written, and whatever is taken from now on, is in Rest.
func (l *Live) Advance(mark int) error {
	if l.failed != nil {
		return nil
	}
	due := len(l.waiting.parts) - (l.waiting.arrived - mark)
	if due <= 0 {
		return nil
	}
	for due > 0 {
		n, size := 0, int64(0)
		for ; n < due && size < piece; n++ {
			size += int64(len(l.waiting.parts[n].frame))
		}
		if err := l.write(l.waiting.parts[:n]); err != nil {
			return l.fail(err)
		}
		l.waiting.bytes -= size
		l.waiting.parts, due = l.waiting.parts[n:], due-n
	}
	l.waiting.parts = append(make([]waitingPart, 0, len(l.waiting.parts)), l.waiting.parts...)
	return nil
}

// piece is about how many bytes of packets are written at once: if the files cannot grow, all pieces before stay.
const piece = 256 << 10

// write writes parts to the files.
func (l *Live) write(parts []waitingPart) error {
	if l.trace == nil {
		to, err := l.options.Create()
		if err != nil {
			return err
		}
		l.trace = newLiveTrace(l.packets, parts[0].recorder, l.chosen.recorder, to, l.options.Progress)
		l.trace.unwritten = &l.waiting.references
	}
	for i := range parts {
		if err := l.trace.part(&parts[i]); err != nil {
			return err
		}
	}
	return l.trace.flush()
}

// fail gives up the live conversion: all that is not written goes to Rest.
func (l *Live) fail(err error) error {
	l.failed = err
	frames := l.chosen.held
	if len(l.waiting.known) > 0 {
		frames = append(frames, l.known())
	}
	for _, p := range l.waiting.parts {
		frames = append(frames, p.frame)
	}
	l.waiting.parts, l.waiting.bytes, l.chosen.held = nil, 0, nil
	for _, frame := range frames {
		err = errors.Join(err, l.rest(frame))
	}
	return err
}

// known returns a packet with the references that were taken: the packets that follow
// need them. Recorders repeat those that have no room in it.
func (l *Live) known() []byte {
	part := calls.Part{Recorder: l.chosen.recorder, References: l.waiting.known}
	var packet []byte
	if r := l.packets.recorded.known[l.chosen.recorder]; r != nil {
		part.Format = int(r.version)
		packet = protowire.AppendVarint(protowire.AppendTag(nil, pbfield.TracePacket_TrustedPid, protowire.VarintType), uint64(r.pid.pid()))
	}
	packet = protowire.AppendBytes(protowire.AppendTag(packet, pbfield.TracePacket_TracexCalls, protowire.BytesType), part.Append(nil))
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), packet)
}

// Failed returns why the live conversion was given up, or nil.
func (l *Live) Failed() error { return l.failed }

// Begun reports whether the files were created.
func (l *Live) Begun() bool { return l.trace != nil }

// reference and part make waiting a partKeeper.

func (w *waiting) reference(_ *callsRecorder, object []byte) error {
	if len(w.references) == 0 {
		w.named = w.arrived
	}
	w.references = append(w.references, object...)
	if len(w.known) < mostKnown {
		w.known = append(w.known, object...)
	}
	return nil
}

func (w *waiting) part(r *callsRecorder, thread int32, p partRecord) (kept bool, err error) {
	if _, known := w.threads[thread]; !known {
		if len(w.threads) >= knownTracks {
			return false, nil
		}
		w.threads[thread] = struct{}{}
	}
	w.parts = append(w.parts, waitingPart{recorder: r, thread: thread, partRecord: p, frame: w.frame})
	w.arrived++
	w.bytes += int64(len(w.frame))
	return true, nil
}

// ErrNoProgress is returned by [ResumeLive] if nothing had been written.
var ErrNoProgress = errors.New("nothing was converted while it was recorded")

// ResumeLive continues a trace that its [Live] did not end. progress is the contents of
// LiveOptions.Progress. open returns the files, cut to these sizes and positioned at
// their ends. Packets that were taken before may be taken again. Packets that the other
// Live had taken but not written are lost; calls after such a gap are outside of those
// that were open, unless their recorder lists the open calls.
func ResumeLive(o LiveOptions, progress []byte, open func(tracefile.Sizes) (tracefile.Files, error)) (*Live, error) {
	s := resumed{threads: make(map[int32]*liveThread)}
	for contents, rest := nextEntry(progress); contents != nil && s.read(contents); {
		contents, rest = nextEntry(rest)
	}
	if s.version == 0 {
		return nil, ErrNoProgress
	}
	files, err := open(s.at)
	if err != nil {
		return nil, err
	}
	o.FormatVersion = s.version
	l := NewLive(o)
	s.restore(l, files)
	return l, nil
}

// resumed is the state that the entries describe.
type resumed struct {
	liveState
	threads map[int32]*liveThread
}

// read reads an entry.
func (s *resumed) read(contents []byte) bool {
	c := &coder{b: contents, decodes: true}
	var next liveState
	c.trace(&next)
	none := &callsWriter{floor: next.origin}
	for range next.grown {
		var id int32
		code(c, &id)
		if s.threads[id] == nil {
			s.threads[id] = &liveThread{callsThread: *none.newThread(id)}
		}
		if c.thread(s.threads[id]); c.bad {
			return false
		}
	}
	if !c.bad {
		s.liveState = next
	}
	return !c.bad
}

// restore makes a Live that continues.
func (s *resumed) restore(l *Live, files tracefile.Files) {
	c := l.packets
	c.clocks.wall = wallClock{ns: s.wall, at: s.origin, known: true}
	c.sink.cover(s.first, s.last)
	r := c.recorded.get(s.recorder, s.version)
	r.pid, r.ids = s.pid, s.ids
	to := tracefile.ResumeWriter(s.version, files, s.at, time.Unix(0, s.wall))
	to.Origin, to.Events = s.origin, s.event
	b := newBlocks(to)
	b.events = s.events
	l.chosen.made, l.chosen.recorder = true, s.recorder
	l.trace = liveTraceOf(c, r, s.recorder, b)
	l.trace.progress.log = l.options.Progress
	l.trace.unwritten = &l.waiting.references
	l.trace.threads = s.threads
	for id, t := range s.threads {
		l.waiting.threads[id] = struct{}{}
		t.c = l.trace.calls
		switch {
		case t.gone && t.traced:
			t.c.w.threads = append(t.c.w.threads, t.about())
		case t.traced:
			t.t = t.newBlock()
			t.t.Resume(t.ended)
		}
	}
}
