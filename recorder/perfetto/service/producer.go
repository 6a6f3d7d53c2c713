package service

import (
	"fmt"
	"hash/fnv"
	"io"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

func (s *Service) producerConnected(c *ipc.Conn) error {
	c.Value = &producer{s: s, conn: c, writers: make(map[uint16]uint32), targets: make(map[uint32]bool)}
	return nil
}

// producerGone takes what is left in a producer's memory, and forgets the producer.
func (s *Service) producerGone(c *ipc.Conn, err error) {
	s.lock()
	defer s.unlock()
	defer s.ended.add()
	p := c.Value.(*producer)
	s.noteEnd(fmt.Sprintf("producer %q", p.name), c.Peer(), err)
	if p.from == nil {
		return
	}
	p.state = producerEnded
	for _, n := range s.inOrder() {
		s.scrape(n, p)
	}
	p.state = producerGone
	delete(s.connected, p.id())
	for len(p.sources) > 0 {
		p.unregister(p.sources[0].GetName())
	}
	for _, n := range s.inOrder() {
		n.flushedBy(p, ^uint64(0))
	}
	for _, b := range s.buffers.byID {
		b.ProducerGone(p.id())
	}
	p.memory.close()
}

func (s *Service) producerPort() []ipc.Method {
	return []ipc.Method{
		{Name: "InitializeConnection", Handle: ofProducer(s, false, (*producer).initialize)},
		{Name: "RegisterDataSource", Handle: ofProducer(s, true, (*producer).registerDataSource)},
		{Name: "UnregisterDataSource", Handle: ofProducer(s, true, (*producer).unregisterDataSource)},
		{Name: "CommitData", Handle: ofProducer(s, true, (*producer).commitData)},
		{Name: "GetAsyncCommand", Handle: ofProducer(s, true, (*producer).getAsyncCommand)},
		{Name: "RegisterTraceWriter", Handle: ofProducer(s, true, (*producer).registerTraceWriter)},
		{Name: "UnregisterTraceWriter", Handle: ofProducer(s, true, (*producer).unregisterTraceWriter)},
		{Name: "NotifyDataSourceStarted", Handle: ofProducer(s, true, (*producer).notifyStarted)},
		{Name: "NotifyDataSourceStopped", Handle: ofProducer(s, true, (*producer).notifyStopped)},
		{Name: "ActivateTriggers", Handle: ofProducer(s, true, (*producer).activateTriggers)},
		{Name: "Sync", Handle: ofProducer(s, true, (*producer).sync)},
		{Name: "UpdateDataSource", Handle: ofProducer(s, true, (*producer).updateDataSource)},
	}
}

// ofProducer makes a handler that holds the lock. It rejects requests that a
// producer sends before it has introduced itself, and a second introduction.
func ofProducer[M any, P interface {
	*M
	proto.Message
}](s *Service, ready bool, handle func(*producer, *ipc.Request, P)) func(*ipc.Request) {
	return ipc.Decoded(func(r *ipc.Request, m P) {
		s.lock()
		defer s.unlock()
		p := r.Conn.Value.(*producer)
		if (p.from != nil) != ready || s.closed {
			_ = r.Reject()
			return
		}
		handle(p, r, m)
	})
}

// Here and elsewhere, errors of replies are ignored: they mean that the connection
// ends, which producerGone handles.

func (p *producer) initialize(r *ipc.Request, m *messages.InitializeConnectionRequest) {
	s, peer := p.s, r.Conn.Peer()
	s.last.producer++
	p.from = &tracebuf.Origin{Producer: s.last.producer, UID: int32(peer.UID), PID: int32(peer.PID)}
	switch {
	case peer.Local:
		p.machine = s.host.machine
	case peer.Relayed:
		p.from.Machine, p.machine = machineID(peer), peer.MachineName
	}
	s.connected[p.id()] = p
	p.name, p.sdk = m.GetProducerName(), m.GetSdkVersion()
	p.scraped = m.GetSmbScrapingMode() == messages.InitializeConnectionRequest_SMB_SCRAPING_ENABLED
	p.memory = producerMemory{
		hint:     memoryHint{size: m.GetSharedMemorySizeHintBytes(), page: m.GetSharedMemoryPageSizeHintBytes()},
		emulated: !peer.Local || !memoryShared,
	}
	if file := r.TakeFile(); file != nil {
		if m.GetProducerProvidedShmem() && !p.memory.emulated {
			p.memory.adopt(file, s.config.Limits.Memory)
		} else {
			_ = file.Close() // not wanted
		}
	}
	_ = r.Reply(&messages.InitializeConnectionResponse{
		UsingShmemProvidedByProducer: proto.Bool(p.memory.provided),
		DirectSmbPatchingSupported:   proto.Bool(true),
		UseShmemEmulation:            proto.Bool(p.memory.emulated),
	})
	if p.memory.provided {
		p.command(&messages.GetAsyncCommandResponse{
			Cmd: &messages.GetAsyncCommandResponse_SetupTracing_{SetupTracing: &messages.GetAsyncCommandResponse_SetupTracing{}},
		})
	}
}

// machineID tells other machines from this one, which is 0. Only a relay sends a
// hint of its machine: a peer that connects over TCP without one counts as a peer of
// this machine.
func machineID(peer ipc.Peer) uint32 {
	h := fnv.New32a()
	_, _ = io.WriteString(h, "machine "+peer.MachineHint) // writing to a hash never fails
	return max(h.Sum32(), 1)
}

func (p *producer) getAsyncCommand(r *ipc.Request, _ *messages.GetAsyncCommandRequest) {
	p.commands.park(r)
}

func (p *producer) registerTraceWriter(r *ipc.Request, m *messages.RegisterTraceWriterRequest) {
	id := m.GetTraceWriterId()
	_, known := p.writers[uint16(id)]
	if id > 0 && id <= smb.MaxWriterID && (known || len(p.writers) < p.s.config.Limits.Writers) {
		p.writers[uint16(id)] = m.GetTargetBuffer()
	}
	_ = r.Reply(&messages.RegisterTraceWriterResponse{})
}

func (p *producer) unregisterTraceWriter(r *ipc.Request, m *messages.UnregisterTraceWriterRequest) {
	if id := m.GetTraceWriterId(); id <= smb.MaxWriterID {
		delete(p.writers, uint16(id))
	}
	_ = r.Reply(&messages.UnregisterTraceWriterResponse{})
}

// sync answers once all earlier requests are done.
func (p *producer) sync(r *ipc.Request, _ *messages.SyncRequest) {
	_ = r.Reply(&messages.SyncResponse{})
}

func (p *producer) commitData(r *ipc.Request, m *messages.CommitDataRequest) {
	for i, c := range m.ChunksToMove {
		if i%movesAtOnce == movesAtOnce-1 {
			// One request can name many chunks: let others take the lock.
			p.s.unlock()
			p.s.lock()
		}
		p.move(c)
	}
	for _, c := range m.ChunksToPatch {
		p.patch(c)
	}
	if id := m.GetFlushRequestId(); id != 0 {
		for _, n := range p.s.inOrder() {
			n.flushedBy(p, id)
		}
	}
	_ = r.Reply(&messages.CommitDataResponse{})
}
