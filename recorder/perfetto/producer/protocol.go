package producer

import (
	"tracex/recorder/internal/perfetto/messages"
	"tracex/recorder/internal/perfetto/smb"
)

// Messages of Perfetto's protocol that describe a data source, and that a session
// sends to it.
type (
	SourceDescriptor = messages.DataSourceDescriptor
	SourceConfig     = messages.DataSourceConfig
	TrackEventConfig = messages.TrackEventConfig
)

// Writer writes the packets of one sequence into shared memory. It is for one
// goroutine at a time. Its methods Packet, Begin, Append and End write packets, Next
// says what the next packet has to be, and Flush hands over what was written.
type Writer = smb.Writer

// Policy is what a Writer does when the memory is full.
type Policy = smb.Policy

const (
	Drop  = smb.Drop  // packets are left out until there is room
	Stall = smb.Stall // the Writer waits, up to Options.StallLimit, then drops
)
