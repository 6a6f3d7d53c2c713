package export

import (
	"encoding/binary"
	"math"

	"tracex/format/pbfield"
	"tracex/lazy"
)

// perfettoFormat writes packets as Perfetto's library does: a track for each thread, a slice for each
// container, its arguments, result and exception as debug annotations, and an instant for other points. The names
// of its messages and fields are those of Perfetto's protos/perfetto/trace.
var perfettoFormat = Format{
	Name: "perfetto", Suffix: ".pftrace", What: "Perfetto's TrackEvents",
	Target: "ui.perfetto.dev", Limit: 2 << 30, Axis: true,
	make: func(j *Job, out *output) target { return newStream(j, out, newPerfetto(j)) },
}

// perfetto is a streamFormat. Its interned ids follow from the ids of the trace, so that parts can be encoded
// independently: (id + 1) << 3 plus what it is the id of.
type perfetto struct {
	j     *Job
	track uint64 // of the first thread; the others follow
	known interned
}

func newPerfetto(j *Job) *perfetto {
	return &perfetto{j: j, track: trackOf(j.ID()), known: newInterned()}
}

// trackOf returns the track of the first thread of a trace: 63 bits that differ from those of other traces, of
// which the lower 32 count the threads.
func trackOf(id lazy.Identity) uint64 {
	return binary.BigEndian.Uint64(id[:]) &^ (1 << 63) &^ math.MaxUint32
}

func (f *perfetto) encoder() encoder {
	return &perfettoEncoder{names: NewNames(), fresh: newInterned(), shared: f.j.ValuesShown()}
}

func (f *perfetto) head(dst []byte) []byte {
	f.known = newInterned()
	dst = packet(dst, func(b []byte) []byte {
		b = number(b, packetFlags, flagCleared)
		return message(b, pbfield.TracePacket_ClockSnapshot, func(b []byte) []byte {
			clocks := [...]struct{ id, ns uint64 }{
				{pbfield.BuiltinClock_BUILTIN_CLOCK_BOOTTIME, 0},
				{pbfield.BuiltinClock_BUILTIN_CLOCK_REALTIME, uint64(max(0, f.j.Start.UnixNano()))},
			}
			for _, c := range clocks[:1+btoi(f.j.Timed)] {
				b = message(b, pbfield.ClockSnapshot_Clocks, func(b []byte) []byte {
					return number(number(b, pbfield.ClockSnapshot_Clock_ClockId, c.id), pbfield.ClockSnapshot_Clock_Timestamp, c.ns)
				})
			}
			return b
		})
	})
	return packet(dst, func(b []byte) []byte {
		return message(b, pbfield.TracePacket_TrackDescriptor, func(b []byte) []byte {
			b = number(b, pbfield.TrackDescriptor_Uuid, f.track|math.MaxUint32)
			return message(b, pbfield.TrackDescriptor_Process, func(b []byte) []byte {
				return text(number(b, pbfield.ProcessDescriptor_Pid, 1), pbfield.ProcessDescriptor_ProcessName, f.j.Title)
			})
		})
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (f *perfetto) tail(dst []byte) []byte { return dst }

// thread describes the track of a thread, which is that of the packets that follow.
func (f *perfetto) thread(dst []byte, thread int32) []byte {
	track := f.track + uint64(uint32(thread))
	dst = packet(dst, func(b []byte) []byte {
		return message(b, pbfield.TracePacket_TrackDescriptor, func(b []byte) []byte {
			b = number(b, pbfield.TrackDescriptor_Uuid, track)
			return message(b, pbfield.TrackDescriptor_Thread, func(b []byte) []byte {
				b = number(number(b, pbfield.ThreadDescriptor_Pid, 1), pbfield.ThreadDescriptor_Tid, uint64(uint32(thread))+1)
				return text(b, pbfield.ThreadDescriptor_ThreadName, f.j.ThreadName(thread))
			})
		})
	})
	return packet(dst, func(b []byte) []byte {
		return message(number(b, packetFlags, flagNeeded), pbfield.TracePacket_TracePacketDefaults, func(b []byte) []byte {
			return message(b, pbfield.TracePacketDefaults_TrackEventDefaults, func(b []byte) []byte {
				return number(b, pbfield.TrackEventDefaults_TrackUuid, track)
			})
		})
	})
}

// threadEnd leaves the slices open that never ended.
func (f *perfetto) threadEnd(dst []byte, _ int32, _ []Span, _ int64) []byte { return dst }

// merge writes the texts that an encoder used first.
func (f *perfetto) merge(dst []byte, e encoder) []byte {
	x := e.(*perfettoEncoder)
	if len(x.texts) == 0 {
		return dst
	}
	body := []byte(nil)
	for i := range x.texts {
		t := &x.texts[i]
		known := f.known.table(t.table)
		if known[t.iid] {
			continue
		}
		known[t.iid] = true
		body = message(body, t.table, func(b []byte) []byte {
			b = number(b, pbfield.EventName_Iid, t.iid) // the same of all tables
			if t.table == internedLocations {
				b = text(text(b, pbfield.SourceLocation_FileName, t.text), pbfield.SourceLocation_FunctionName, t.function)
				return number(b, pbfield.SourceLocation_LineNumber, uint64(t.line))
			}
			return text(b, pbfield.EventName_Name, t.text)
		})
	}
	if len(body) == 0 {
		return dst
	}
	return packet(dst, func(b []byte) []byte {
		return message(number(b, packetFlags, flagNeeded), pbfield.TracePacket_InternedData, func(b []byte) []byte { return append(b, body...) })
	})
}
