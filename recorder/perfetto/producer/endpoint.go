package producer

import (
	"context"
	"time"

	"google.golang.org/protobuf/proto"

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
