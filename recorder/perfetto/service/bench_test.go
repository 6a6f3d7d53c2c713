//go:build linux

package service

import (
	"fmt"
	"testing"

	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

// BenchmarkPackets takes chunks full of packets of some 13 bytes from shared memory,
// and reads them in the format of a file: the cost of the service's own work per
// packet, without sockets and disks.
func BenchmarkPackets(b *testing.B) {
	for _, page := range []int{defaultPage, maxPage} {
		b.Run(fmt.Sprint(page>>10, " KiB pages"), func(b *testing.B) { benchPackets(b, page) })
	}
}

func benchPackets(b *testing.B, pageSize int) {
	packet := named("a text")
	memory := make([]byte, 64*pageSize)
	r, err := smb.NewReader(memory, pageSize)
	if err != nil {
		b.Fatal(err)
	}
	s := &Service{clock: systemClock{}, buffers: newBufferTable(1 << 30), connected: make(map[uint32]*producer)}
	s.config.Limits = Limits{}.withDefaults()
	n := &session{s: s, config: new(messages.TraceConfig), packets: newServicePackets(new(messages.TraceConfig), 0, new(messages.TraceUuid))}
	s.addBuffer(n, tracebuf.New(16<<20, false))
	p := &producer{s: s, from: &tracebuf.Origin{Producer: 1, UID: 1000, PID: 12345}, memory: producerMemory{told: true, reader: r}, writers: map[uint16]uint32{1: 1}, targets: map[uint32]bool{1: true}}
	count := min((pageSize-24)/len(packet), 1000)
	for i := range 64 {
		for k := range count {
			copy(memory[i*pageSize+16+k*len(packet):], packet)
		}
	}
	b.SetBytes(int64(count * len(packet)))
	id := uint32(0)
	for b.Loop() {
		page := int(id % 64)
		head := memory[page*pageSize:]
		head[8], head[9], head[10], head[11] = byte(id), byte(id>>8), byte(id>>16), byte(id>>24)
		head[12], head[14], head[15] = 1, byte(count), byte(count>>8)
		head[0], head[3] = 3, 0x10
		p.move(move(page, 0, 1))
		if id++; id%32 == 0 {
			for d := (&drain{n: n}); !d.done; {
				d.read(readBytes)
			}
		}
	}
	if n.buffers.all[0].Stats().ChunksRead+32 < uint64(id) {
		b.Fatalf("%d of %d chunks were read", n.buffers.all[0].Stats().ChunksRead, id)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(count), "ns/packet")
}
