package instrumented

import (
	"tracex/format"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

// mostDoubts is how many numbers are noted as those that may be of several objects. With more, all may be.
const mostDoubts = 1 << 14

// identity returns the number of an object, and notes in the trace if it may be that of several.
func (e *encoder) identity(object uint64) int32 {
	const number = 1<<raw.ObjectStackBit - 1
	id := values.Identity(uintptr(object & number))
	if object > number {
		if object>>raw.ObjectStackBit&1 != 0 {
			id |= format.FirstOnStack
		}
		e.p.dict.doubt(id)
	}
	return id
}

// doubt notes that a number may be that of several objects.
func (d *dictionary) doubt(id int32) {
	switch {
	case id >= format.FirstOnStack:
		id = format.FirstOnStack
	case d.doubts > mostDoubts:
		return
	}
	if d.doubted[id] {
		return
	}
	if id < format.FirstOnStack {
		if d.doubts++; d.doubts > mostDoubts {
			id = 0
		}
	}
	d.doubted[id] = true
	d.text(format.DoubtText(id))
}
