package tracebuf

// Stats are the counters of a [Buffer]. Sizes are in bytes, of records. The
// fields are those of the protocol's BufferStats.
type Stats struct {
	BufferSize          uint64
	BytesWritten        uint64
	BytesOverwritten    uint64 // before they were read
	BytesRead           uint64
	PaddingWritten      uint64
	PaddingCleared      uint64
	ChunksWritten       uint64
	ChunksRewritten     uint64 // with more packets than before
	ChunksOverwritten   uint64 // before all of it was read
	ChunksDiscarded     uint64 // since the buffer was full and discards
	ChunksRead          uint64
	OutOfOrder          uint64 // chunks
	Wraps               uint64
	PatchesSucceeded    uint64
	PatchesFailed       uint64
	ReadaheadsSucceeded uint64
	ReadaheadsFailed    uint64
	ABIViolations       uint64
	WriterPacketLoss    uint64
}

// Changes returns a different value than before if anything was written into the
// buffer since.
func (c *Stats) Changes() uint64 { return c.BytesWritten + c.ChunksRewritten + c.PatchesSucceeded }

// unread resets the counters of what was read, for a clone.
func (c *Stats) unread() {
	c.BytesRead, c.ChunksRead = 0, 0
	c.ReadaheadsSucceeded, c.ReadaheadsFailed = 0, 0
}
