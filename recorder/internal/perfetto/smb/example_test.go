package smb_test

import (
	"fmt"

	"tracex/recorder/internal/perfetto/smb"
)

// service is the other end of this example's memory. In earnest it is in another
// process, and Commit and the others are messages on a socket.
type service struct {
	reader *smb.Reader
	chunk  smb.Chunk
}

func (s *service) RegisterWriter(writer uint16, buffer uint32) {
	fmt.Println("writer", writer, "writes for buffer", buffer)
}

func (s *service) UnregisterWriter(writer uint16) { fmt.Println("writer", writer, "has ended") }

func (s *service) Commit(c *smb.Commit) {
	for _, m := range c.Moves {
		if err := s.reader.Take(m.Page, m.Chunk, &s.chunk); err != nil {
			fmt.Println(err)
			continue
		}
		it := s.chunk.Fragments()
		for it.Next() {
			if len(it.Data) > 0 {
				fmt.Printf("buffer %d, writer %d: % x\n", m.Buffer, s.chunk.Writer, it.Data)
			}
		}
	}
}

func Example() {
	memory := make([]byte, 256<<10) // mapped from one file, on both sides
	reader, err := smb.NewReader(memory, 4<<10)
	if err != nil {
		fmt.Println(err)
		return
	}
	arbiter, err := smb.New(smb.Config{Memory: memory, PageSize: 4 << 10}, &service{reader: reader})
	if err != nil {
		fmt.Println(err)
		return
	}
	writer, err := arbiter.NewWriter(arbiter.Target(1), smb.Drop)
	if err != nil {
		fmt.Println(err)
		return
	}
	switch writer.Next() {
	case smb.Reset: // the first packet, or the first after a loss
		writer.Packet([]byte{0x68, 0x01}) // SEQ_INCREMENTAL_STATE_CLEARED
	case smb.Plain:
		writer.Packet([]byte{0x68, 0x02})
	case smb.Skip: // no need to encode it
	}
	writer.Begin()
	writer.Append([]byte{0x40, 0xb9, 0x60})
	writer.Append([]byte{0x5a, 0x02, 0x48, 0x03})
	writer.End()
	writer.Close()
	arbiter.Flush()
	arbiter.Close()
	<-arbiter.Done() // the memory may be unmapped
	// Output:
	// writer 1 writes for buffer 1
	// buffer 1, writer 1: b8 05 01 68 01
	// buffer 1, writer 1: 40 b9 60 5a 02 48 03
	// writer 1 has ended
}
