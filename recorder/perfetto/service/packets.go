package service

import (
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

// servicePackets are the packets that the service itself adds to a trace and that
// have not been read, and the numbers of the trace's sequences. The service's lock
// guards them.
type servicePackets struct {
	config     *messages.TraceConfig
	uid        int32 // of the service
	uuid       *messages.TraceUuid
	sequences  map[tracebuf.SequenceID]uint32
	initial    *messages.ClockSnapshot // when the session started
	snapshots  []*messages.ClockSnapshot
	allStarted bool
	described  bool   // config, id and system information were read
	syncMarker bool   // due
	stats      bool   // due
	invalid    uint64 // number of invalid packets in the buffers
}

func newServicePackets(c *messages.TraceConfig, uid int32, uuid *messages.TraceUuid) servicePackets {
	return servicePackets{config: c, uid: uid, uuid: uuid, sequences: make(map[tracebuf.SequenceID]uint32)}
}

const (
	// ownSequence is the sequence of the service's packets; others are 2, 3, ….
	ownSequence = 1
	// maxSnapshots is how many clock snapshots are kept until they are read.
	maxSnapshots = 16
	// drift is how far clocks must have drifted apart for a snapshot to be worth
	// keeping.
	drift = 10 * time.Millisecond
)

// syncMarker lets a reader synchronize to a trace whose beginning is gone. It is
// fixed by the protocol: do not change it.
var syncMarker = []byte{0x82, 0x47, 0x7a, 0x76, 0xb2, 0x8d, 0x42, 0xba, 0x81, 0xdc, 0x33, 0x32, 0x6d, 0x57, 0xa0, 0x79}

// own makes a packet of the service. It is stamped like all others.
func (k *servicePackets) own(p *messages.TracePacket) *messages.TracePacket {
	p.OptionalTrustedUid = &messages.TracePacket_TrustedUid{TrustedUid: k.uid}
	p.OptionalTrustedPacketSequenceId = &messages.TracePacket_TrustedPacketSequenceId{TrustedPacketSequenceId: ownSequence}
	p.TimestampClockId = proto.Uint32(uint32(messages.BuiltinClock_BUILTIN_CLOCK_BOOTTIME))
	return p
}

// begin is called when the session starts. The clock snapshot of this moment is
// always kept.
func (k *servicePackets) begin() {
	if !k.config.GetBuiltinDataSources().GetDisableClockSnapshotting() {
		k.initial = k.clocks()
	}
	k.snapshot()
}

// snapshot is called periodically: a reader that has only a part of the trace needs
// it.
func (k *servicePackets) snapshot() {
	k.syncMarker, k.stats = true, true
	k.snapshotClocks()
}

func (k *servicePackets) clocks() *messages.ClockSnapshot {
	snapshot := readClocks() // reads the boot time first
	primary := k.config.GetBuiltinDataSources().GetPrimaryTraceClock()
	if primary == messages.BuiltinClock_BUILTIN_CLOCK_UNKNOWN {
		primary = messages.BuiltinClock_BUILTIN_CLOCK_BOOTTIME
	}
	snapshot.PrimaryTraceClock = primary.Enum()
	return snapshot
}

// snapshotClocks keeps a snapshot, if the clocks have drifted since the last.
func (k *servicePackets) snapshotClocks() {
	if k.config.GetBuiltinDataSources().GetDisableClockSnapshotting() {
		return
	}
	now := k.clocks()
	if last := len(k.snapshots) - 1; last >= 0 && !drifted(k.snapshots[last], now) {
		return
	}
	if len(k.snapshots) >= maxSnapshots {
		k.snapshots = slices.Delete(k.snapshots, 0, 1)
	}
	k.snapshots = append(k.snapshots, now)
}

// drifted reports whether the clocks of two snapshots advanced by different amounts.
func drifted(a, b *messages.ClockSnapshot) bool {
	if len(a.Clocks) != len(b.Clocks) || len(a.Clocks) == 0 {
		return true
	}
	went := func(i int) time.Duration {
		return time.Duration(b.Clocks[i].GetTimestamp() - a.Clocks[i].GetTimestamp())
	}
	for i := range a.Clocks {
		if d := went(i) - went(0); d >= drift || d <= -drift {
			return true
		}
	}
	return false
}

// first returns the packets that precede the data of some buffers, and removes them.
func (k *servicePackets) first(buffers []*tracebuf.Buffer, t *triggers) (list []*messages.TracePacket) {
	b := k.config.GetBuiltinDataSources()
	add := func(p *messages.TracePacket) { list = append(list, k.own(p)) }
	if k.initial != nil {
		k.snapshots = slices.Insert(k.snapshots, 0, k.initial)
		k.initial = nil
	}
	for _, c := range k.snapshots {
		add(&messages.TracePacket{Data: &messages.TracePacket_ClockSnapshot{ClockSnapshot: c}})
	}
	k.snapshots = nil
	if k.syncMarker {
		p := k.own(&messages.TracePacket{Data: &messages.TracePacket_SynchronizationMarker{SynchronizationMarker: syncMarker}})
		p.TimestampClockId = nil // the marker must be the last field, see drain.own
		list = append(list, p)
		k.syncMarker = false
	}
	if !b.GetDisableTraceConfig() {
		if !k.described {
			add(&messages.TracePacket{Data: &messages.TracePacket_TraceConfig{TraceConfig: k.config}})
		}
		for _, p := range t.packets() {
			add(p)
		}
	}
	if !k.described {
		add(&messages.TracePacket{Data: &messages.TracePacket_TraceUuid{TraceUuid: k.uuid}})
		add(&messages.TracePacket{
			Timestamp: proto.Uint64(bootTime()),
			Data:      &messages.TracePacket_TraceProvenance{TraceProvenance: k.provenance(buffers)},
		})
		if !b.GetDisableSystemInfo() {
			add(&messages.TracePacket{Data: &messages.TracePacket_SystemInfo{SystemInfo: systemInfo()}})
		}
		k.described = true
	}
	return list
}

// last returns the packets that follow all data.
func (k *servicePackets) last(stats func() *messages.TraceStats) (list []*messages.TracePacket) {
	if k.stats {
		k.stats = false
		list = append(list, k.own(&messages.TracePacket{Data: &messages.TracePacket_TraceStats{TraceStats: stats()}}))
	}
	return list
}

// provenance lists the writers of the sequences known so far.
func (k *servicePackets) provenance(buffers []*tracebuf.Buffer) *messages.TraceProvenance {
	t := new(messages.TraceProvenance)
	for _, b := range buffers {
		list := new(messages.TraceProvenance_Buffer)
		for id := range b.Sequences() {
			list.Sequences = append(list.Sequences, &messages.TraceProvenance_Sequence{
				Id: proto.Uint32(k.sequence(id)), ProducerId: proto.Int32(int32(id.Producer)),
			})
		}
		t.Buffers = append(t.Buffers, list)
	}
	return t
}

// sequence returns the number of a sequence in the trace.
func (k *servicePackets) sequence(id tracebuf.SequenceID) uint32 {
	number, ok := k.sequences[id]
	if !ok {
		number = uint32(len(k.sequences)) + ownSequence + 1
		k.sequences[id] = number
	}
	return number
}

// clone returns the first packets of the trace of a clone, which has its own id.
func (k *servicePackets) clone(uuid *messages.TraceUuid) servicePackets {
	c := newServicePackets(k.config, k.uid, uuid)
	c.initial, c.snapshots, c.allStarted, c.stats = k.initial, slices.Clone(k.snapshots), k.allStarted, true
	c.invalid = k.invalid
	return c
}
