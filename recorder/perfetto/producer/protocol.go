package producer

import (
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

// Messages of Perfetto's protocol: the descriptor of a data source, and a session's
// config for it.
type (
	SourceDescriptor = messages.DataSourceDescriptor
	SourceConfig     = messages.DataSourceConfig
	TrackEventConfig = messages.TrackEventConfig
)

// Writer writes the packets of one sequence into shared memory. It must be used by
// one goroutine at a time. Its methods Packet, Begin, Append and End write packets,
// Next tells what the next packet has to be, and Flush passes the written packets
// on.
type Writer = smb.Writer

// Next says what the next packet of a Writer has to be.
type Next = smb.Next

const (
	Plain = smb.Plain // the packet can rely on the ones before it
	Reset = smb.Reset // its readers may not know earlier ones: it must reset the incremental state
	Skip  = smb.Skip  // there is no room; the packet counts as dropped already
)

// Policy is what a Writer does when the memory is full.
type Policy = smb.Policy

const (
	Drop  = smb.Drop  // packets are dropped until there is room
	Stall = smb.Stall // the Writer waits, up to Options.StallLimit, then drops
)
