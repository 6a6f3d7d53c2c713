package smb

// Bits of the field previous_packet_dropped.
const (
	lossPresent = 1
	lossFull    = 256 // there was no free chunk
)

// losses is what a Writer has lost, and what its next packets have to tell about
// that. The program learns it from [Writer.Next] and [Writer.Dropped].
type losses struct {
	dropping      bool // there was no free chunk
	promised      bool // the last chunk announced a continuation that will not follow
	report        int  // the loss that the next packet reports; 0 if none
	dirty         bool // the next packet cannot rely on earlier ones
	resetReturned bool // and Next has returned Reset
	dropped       uint64
}

// exhausted records that there was no free chunk: from now on packets are dropped.
// It reports whether that is new.
func (l *losses) exhausted() (begins bool) {
	begins, l.dropping = !l.dropping, true
	l.lose(lossPresent | lossFull)
	return begins
}

// lose makes the next written packet report a loss before it.
func (l *losses) lose(why int) {
	l.report |= why
	l.renew()
}

// renew means that the next packet cannot rely on earlier ones.
func (l *losses) renew() { l.dirty, l.resetReturned = true, false }

// written means that a packet was written, which has reported everything.
func (l *losses) written() {
	l.report = 0
	if l.resetReturned {
		l.dirty, l.resetReturned = false, false
	}
}
