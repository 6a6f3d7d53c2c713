package perfetto

import (
	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
	"tracex/recorder/internal/perfetto/calls"
)

// clockID identifies a clock: of a sequence, or, if sequence is 0, of a machine.
type clockID struct{ sequence, clock, machine uint32 }

// Bits of the sequence flags of a packet.
const (
	flagCleared    = pbfield.TracePacket_SEQ_INCREMENTAL_STATE_CLEARED // this packet resets the incremental state
	flagNeedsState = pbfield.TracePacket_SEQ_NEEDS_INCREMENTAL_STATE   // the packet depends on the incremental state
)

// packet is one TracePacket, with a field for each of the message that is used. Its slices are
// parts of the encoded packet.
type packet struct {
	offset   int64 // in the input, for error messages
	time     uint64
	hasTime  bool
	ns       int64 // time on the clock of the trace, if it is timed
	timed    bool
	early    bool // no snapshot relates the clock to that of the trace yet, see early
	clockID  clockID
	raw      bool   // of an early one: ns is the number in the packet
	clock    uint32 // 0 for the sequence's default
	sequence uint32 // 0 if none
	pid      int32  // of the writer, as told by the service; 0 if unknown
	machine  uint32 // of the writer; 0 for that of the service
	flags    uint32
	dropped  bool
	defaults []byte
	interned []byte
	kind     protowire.Number // of the data; 0 if none
	data     []byte
}

// longTag is the size in bytes of a tag whose field number is above 15.
const longTag = 2

// parse decodes a packet; it returns false if the packet is damaged. The most common
// fields are decoded inline for speed.
func (p *packet) parse(b []byte) bool {
	for len(b) > 0 {
		n := 0
		switch b[0] {
		case pbfield.TracePacket_Timestamp<<3 | varintKey:
			p.time, n = consumeVarint(b[1:])
			p.hasTime = true
		case pbfield.TracePacket_TrustedPacketSequenceId<<3 | varintKey:
			var v uint64
			v, n = consumeVarint(b[1:])
			p.sequence = uint32(v)
		case pbfield.TracePacket_SequenceFlags<<3 | varintKey:
			var v uint64
			v, n = consumeVarint(b[1:])
			p.flags |= uint32(v)
		case pbfield.TracePacket_TrackEvent<<3 | bytesKey:
			p.kind = pbfield.TracePacket_TrackEvent
			p.data, n = consumeBytes(b[1:])
		case pbfield.TracePacket_TrustedUid<<3 | varintKey:
			_, n = consumeVarint(b[1:])
		case pbfield.TracePacket_TrustedPid<<3&0x7f | varintKey | 0x80: // the first byte of two
			if len(b) < 2 || b[1] != pbfield.TracePacket_TrustedPid<<3>>7 {
				if b = p.another(b); b == nil {
					return false
				}
				continue
			}
			var v uint64
			if v, n = consumeVarint(b[longTag:]); n >= 0 {
				p.pid, n = int32(v), n+1
			}
		default:
			if b = p.another(b); b == nil {
				return false
			}
			continue
		}
		if n < 0 {
			return false
		}
		b = b[1+n:]
	}
	return true
}

// another decodes any field and returns the bytes after it, or nil if it is damaged.
func (p *packet) another(b []byte) []byte {
	f := fields{rest: b}
	if !f.next() {
		return nil
	}
	p.field(&f)
	return f.rest
}

func (p *packet) field(f *fields) {
	switch f.number {
	case pbfield.TracePacket_Timestamp:
		p.time, p.hasTime = f.value, true
	case pbfield.TracePacket_TimestampClockId:
		p.clock = uint32(f.value)
	case pbfield.TracePacket_TrustedPacketSequenceId:
		p.sequence = uint32(f.value)
	case pbfield.TracePacket_SequenceFlags:
		p.flags |= uint32(f.value)
	case pbfield.TracePacket_IncrementalStateCleared: // older form of flagCleared
		if f.value != 0 {
			p.flags |= flagCleared
		}
	case pbfield.TracePacket_PreviousPacketDropped:
		p.dropped = f.value != 0
	case pbfield.TracePacket_TracePacketDefaults:
		p.defaults = f.raw
	case pbfield.TracePacket_InternedData:
		p.interned = f.raw
	case pbfield.TracePacket_TrustedPid:
		p.pid = int32(f.value)
	case pbfield.TracePacket_MachineId:
		p.machine = uint32(f.value)
	case pbfield.TracePacket_TrustedUid, pbfield.TracePacket_FirstPacketOnSequence:
	default:
		// A field added by a newer service must not hide one that is read.
		if p.kind == 0 || read(f.number) {
			p.kind, p.data = f.number, f.raw
		}
	}
}

// read reports whether a kind of packet is read.
func read(kind protowire.Number) bool {
	switch kind {
	case pbfield.TracePacket_TrackEvent, pbfield.TracePacket_TrackDescriptor, pbfield.TracePacket_ProcessDescriptor, pbfield.TracePacket_ThreadDescriptor,
		pbfield.TracePacket_ProcessTree, pbfield.TracePacket_Trigger, pbfield.TracePacket_CloneSnapshotTrigger, pbfield.TracePacket_ClockSnapshot,
		pbfield.TracePacket_CompressedPackets, pbfield.TracePacket_ZstdCompressedPackets, pbfield.TracePacket_RemoteClockSync, pbfield.TracePacket_TracexCalls:
		return true
	}
	return false
}

// maxStamps is the maximum size in bytes of the stamps that a service appends to a
// packet.
const maxStamps = 64

// stamped reads the stamps that the service appended to a damaged packet, such as
// one whose writer was killed while writing it: its lengths are then zeros. It
// reports whether the stamps were found.
func (p *packet) stamped(b []byte) bool {
	for at := max(0, len(b)-maxStamps); at < len(b); at++ {
		if b[at] != pbfield.TracePacket_TrustedUid<<3|varintKey {
			continue
		}
		var q packet
		f := fields{rest: b[at:]}
		for f.next() {
			switch f.number {
			case pbfield.TracePacket_TrustedUid, pbfield.TracePacket_TrustedPacketSequenceId, pbfield.TracePacket_TrustedPid, pbfield.TracePacket_MachineId,
				pbfield.TracePacket_PreviousPacketDropped:
				q.field(&f)
			default:
				f.fail()
			}
		}
		if !f.bad && q.sequence != 0 {
			p.sequence, p.pid, p.machine, p.dropped = q.sequence, q.pid, q.machine, q.dropped
			return true
		}
	}
	return false
}

// aboutRecording are the kinds of packets that describe only the recording, not the
// program. They are not counted as left out.
var aboutRecording = map[protowire.Number]bool{
	33:  true, // the session's configuration
	34:  true, // statistics of ftrace
	35:  true, // statistics of the service
	36:  true, // synchronization marker
	45:  true, // the system
	48:  true, // metadata of a benchmark
	51:  true, // metadata of Chrome
	67:  true, // the processors
	69:  true, // events of the service
	72:  true, // descriptions of other fields
	78:  true, // state of Perfetto's UI
	87:  true, // first packet of a sequence
	89:  true, // the trace's UUID
	90:  true, // range of interest
	124: true, // the buffer of the packets
	126: true, // attributes of the trace
}

// kindNames are the names of common kinds of packets that are left out.
var kindNames = map[protowire.Number]string{
	1:   "ftrace_events",
	4:   "inode_file_map",
	5:   "chrome_events",
	7:   "sys_stats",
	9:   "process_stats",
	37:  "profile_packet",
	38:  "battery",
	39:  "android_log",
	40:  "power_rails",
	47:  "packages_list",
	49:  "perfetto_metatrace",
	52:  "gpu_counter_event",
	53:  "gpu_render_stage_event",
	54:  "streaming_profile_packet",
	56:  "memory_graph",
	57:  "graphics_frame_event",
	61:  "module_symbols",
	62:  "vulkan_memory_event",
	63:  "gpu_log",
	64:  "deobfuscation_mapping",
	65:  "vulkan_api_event",
	66:  "perf_sample",
	68:  "smaps_packet",
	70:  "initial_display_state",
	71:  "gpu_mem_total_event",
	73:  "memory_tracker_snapshot",
	82:  "translation_table",
	84:  "statsd_atom",
	86:  "android_system_property",
	95:  "etw_events",
	99:  "v8_js_code",
	109: "chrome_trigger",
	132: "journald_event",
	900: "for_testing",
}

// Process selects the packets of one process.
type Process struct {
	PID int32
	// From and To are when it ran, on the machine's monotonic clock, in ns. Packets with its number before From,
	// or from To on, are of other programs.
	From, To int64
}

// has reports whether a packet is of the process. A nil Process has all packets.
func (s *Process) has(p *packet) bool {
	return s == nil || p.pid == s.PID && p.machine == 0 && (!p.timed || p.early || s.From <= p.ns && p.ns < s.To)
}

// eventful reports whether a packet has events.
func (p *packet) eventful() bool {
	switch p.kind {
	case pbfield.TracePacket_TrackEvent:
		return true
	case pbfield.TracePacket_TracexCalls:
		part, err := calls.Decode(p.data)
		return err == nil && part.HasThread && len(part.Objects)+len(part.Open) > 0
	}
	return false
}
