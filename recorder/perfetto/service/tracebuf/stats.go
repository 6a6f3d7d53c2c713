package tracebuf

// Stats are the counters of a [Buffer]. Sizes are in bytes, of records.
type Stats struct {
	BufferSize          uint64
	BytesWritten        uint64
	BytesOverwritten    uint64 // before they were read
	BytesRead           uint64
	PaddingWritten      uint64
	PaddingCleared      uint64
	ChunksWritten       uint64
	ChunksRewritten     uint64 // with more packets than before
	ChunksOverwritten   uint64 // before all of them was read
	ChunksDiscarded     uint64 // the buffer was full, and keeps what is old
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

// Changes differs from an earlier result if something has come into the buffer
// since.
func (c *Stats) Changes() uint64 { return c.BytesWritten + c.ChunksRewritten + c.PatchesSucceeded }

// unread forgets what was read: the counters of a clone begin there.
func (c *Stats) unread() {
	c.BytesRead, c.ChunksRead = 0, 0
	c.ReadaheadsSucceeded, c.ReadaheadsFailed = 0, 0
}
