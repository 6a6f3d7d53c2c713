package producer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

// A connection is the Endpoint of its arbiter. These methods may be called from any
// goroutine.

var _ smb.Endpoint = (*connection)(nil)

// patience is how long a commit of emulated memory, which carries the data itself,
// waits for the service to read the previous ones.
const patience = time.Second

// Commit sends a commit.
func (c *connection) Commit(commit *smb.Commit) {
	m := &messages.CommitDataRequest{}
	if commit.FlushID != 0 {
		m.FlushRequestId = proto.Uint64(commit.FlushID)
	}
	moves := make([]messages.CommitDataRequest_ChunksToMove, len(commit.Moves))
	m.ChunksToMove = make([]*messages.CommitDataRequest_ChunksToMove, len(commit.Moves))
	for i := range commit.Moves {
		v := &commit.Moves[i]
		moves[i].Page, moves[i].Chunk, moves[i].TargetBuffer, moves[i].Data = &v.Page, &v.Chunk, &v.Buffer, v.Data
		if v.Incomplete {
			moves[i].ChunkIncomplete = proto.Bool(true)
		}
		m.ChunksToMove[i] = &moves[i]
	}
	if c.emulated {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		_ = c.client.Wait(ctx) // the end of the connection is reported elsewhere
		cancel()
	}
	c.send("CommitData", m)
	if c.client.Err() != nil {
		c.lost()
	}
}

// lost ends the waits for chunks after the connection has ended. The reading
// goroutine may not notice this end, since it may be waiting for a writer that waits
// for a chunk.
func (c *connection) lost() {
	c.p.mu.Lock()
	a := c.arbiter
	c.p.mu.Unlock()
	if a != nil {
		a.Close()
	}
}

// RegisterWriter tells the service which buffer a writer writes for.
func (c *connection) RegisterWriter(writer uint16, buffer uint32) {
	c.send("RegisterTraceWriter", &messages.RegisterTraceWriterRequest{
		TraceWriterId: proto.Uint32(uint32(writer)), TargetBuffer: proto.Uint32(buffer),
	})
}

// UnregisterWriter tells the service that a writer has ended.
func (c *connection) UnregisterWriter(writer uint16) {
	c.send("UnregisterTraceWriter", &messages.UnregisterTraceWriterRequest{TraceWriterId: proto.Uint32(uint32(writer))})
}

// send calls a method without waiting for a reply. It ignores errors: an old service
// may lack the method, and the end of the connection is reported elsewhere.
func (c *connection) send(method string, m proto.Message) { _ = c.port.Send(method, m) }

func (c *connection) commitAll() {
	c.p.mu.Lock()
	a := c.arbiter
	c.p.mu.Unlock()
	if a != nil {
		a.Flush()
	}
}

// emulatedMemory is the default size of memory that is not shared.
const emulatedMemory = 256 << 10

// setUpMemory takes the memory that the service sends.
func (c *connection) setUpMemory(r ipc.Reply, m *messages.GetAsyncCommandResponse_SetupTracing) {
	file := r.TakeFile()
	if file != nil {
		defer file.Close() // the mapping remains
	}
	if c.arbiter != nil {
		return // it is sent only once
	}
	p := c.p
	if c.startUp != nil {
		c.mem = c.startUp.mem
		p.mu.Lock()
		c.arbiter = c.mem.arbiter
		p.mu.Unlock()
		c.arbiter.Connect(c)
		return
	}
	mem, err := c.takeMemory(file, int(m.GetSharedBufferPageSizeKb())<<10)
	if err == nil {
		mem.arbiter, err = smb.New(p.arbiterConfig(mem, c), c)
	}
	if err != nil {
		p.complain("the memory from the service cannot be used: %w", err)
		return
	}
	c.mem = mem
	p.mu.Lock()
	c.arbiter = mem.arbiter
	p.memories = append(p.memories, mem)
	p.mu.Unlock()
}

func (p *Producer) arbiterConfig(mem *memory, c *connection) smb.Config {
	config := smb.Config{
		Memory: mem.data, PageSize: mem.pageSize, Delay: p.options.CommitDelay,
		StallLimit: p.options.StallLimit, OnStall: p.stalled,
	}
	if c != nil {
		config.Emulated = c.emulated
		config.Inline = !c.emulated
	}
	return config
}

// takeMemory maps a file, or makes memory if the service shares none.
func (c *connection) takeMemory(file *os.File, pageSize int) (*memory, error) {
	if c.emulated {
		size := c.p.options.MemorySize
		if smb.Check(size, pageSize) != nil {
			size = emulatedMemory
		}
		if err := smb.Check(size, pageSize); err != nil {
			return nil, err
		}
		return &memory{data: aligned(size), pageSize: pageSize}, nil
	}
	if file == nil {
		return nil, fmt.Errorf("the command came without a file")
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > smb.MaxSize {
		return nil, fmt.Errorf("%w: %d bytes", smb.ErrGeometry, info.Size())
	}
	if err := smb.Check(int(info.Size()), pageSize); err != nil {
		return nil, err
	}
	if err := keepSize(file); err != nil {
		return nil, err
	}
	return mapped(file, int(info.Size()), pageSize)
}

// unmap releases memory that is no longer used. Called with mu held.
func (p *Producer) unmap() {
	kept := p.memories[:0]
	for _, m := range p.memories {
		select {
		case <-m.arbiter.Done():
			if m.mapping != nil {
				_ = m.mapping.Close() // on failure it stays mapped, which does no harm
			}
		default:
			kept = append(kept, m)
		}
	}
	clear(p.memories[len(kept):])
	p.memories = kept
}

// unmapLater is unmap after Close, for memory that is still used: by the last
// commit, or by a writer that its owner has not closed yet.
func (p *Producer) unmapLater(m *memory) {
	<-m.arbiter.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unmap()
}

// notSent reports why a data source cannot be sent to the service. Called with the
// Producer's lock held.
func (c *connection) notSent(d *DataSource, err error) {
	if errors.Is(err, ipc.ErrNoMethod) || errors.Is(err, ipc.ErrTooLarge) {
		c.p.complainSoon("cannot register the data source %q: %w", d.Name, err)
	}
	// Any other error ends the connection, which is noticed elsewhere.
}
