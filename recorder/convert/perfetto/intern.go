package perfetto

import "tracex/format/pbfield"

const (
	knownSequences = 1 << 15
	knownState     = 48 << 20 // bytes
	sequenceCost   = 1 << 10  // bytes, roughly, without interned data
)

// internedText is an interned text, with the dictionary's numbers for it.
type internedText struct {
	text []byte
	word int32 // 0 until it is needed
	path int32 // as the name of an argument; -1 until it is needed

	// For the name of an event: the category that it was last used with, and the
	// resulting method.
	category int32 // its word
	method   int32
	joined   bool
}

// table holds the interned texts of one kind. In most traces their numbers count up
// from 1: those are in a slice, others in a map.
type table struct {
	dense  []*internedText
	sparse map[uint64]*internedText
	n      int
}

func (t *table) get(iid uint64) *internedText {
	if iid < uint64(len(t.dense)) {
		return t.dense[iid]
	}
	return t.sparse[iid]
}

func (t *table) put(iid uint64, e *internedText) {
	t.n++
	// Allocate only in proportion to the existing texts.
	if iid < uint64(4*(t.n+16)) {
		for uint64(len(t.dense)) <= iid {
			// A text that arrived early may be in the map.
			t.dense = append(t.dense, t.sparse[uint64(len(t.dense))])
		}
		t.dense[iid] = e
		return
	}
	if t.sparse == nil {
		t.sparse = make(map[uint64]*internedText)
	}
	t.sparse[iid] = e
}

// interned is the interned data of a sequence since its state was reset.
type interned struct {
	tables    [8]table
	locations map[uint64]sourceLocation
	frames    map[uint64]frame
	stacks    map[uint64][]uint64 // numbers of frames, outermost first
	places    map[string]int32    // ids of code locations, see arguments.location
	bytes     int64               // of memory, roughly
}

// tableOf returns the table for a field of InternedData.
func tableOf(field int) int {
	switch field {
	case pbfield.InternedData_EventCategories:
		return 0
	case pbfield.InternedData_EventNames:
		return 1
	case pbfield.InternedData_DebugAnnotationNames:
		return 2
	case pbfield.InternedData_LogMessageBody:
		return 3
	case pbfield.InternedData_DebugAnnotationValueTypeNames:
		return 4
	case pbfield.InternedData_DebugAnnotationStringValues:
		return 5
	case pbfield.InternedData_CorrelationIdStr:
		return 6
	case pbfield.InternedData_FunctionNames:
		return 7
	}
	return -1
}

// find returns an interned text, or nil.
func (in *interned) find(field int, iid uint64) *internedText {
	return in.tables[tableOf(field)].get(iid)
}

// internedCost is roughly the memory that an interned text takes besides its bytes.
const internedCost = 112

// read reads an InternedData. The first text of a number is kept. It reports whether
// all of it was valid.
func (in *interned) read(b []byte) bool {
	good := true
	f := fields{rest: b}
	for f.next() {
		if in.bytes > knownState {
			return false // the caller that checks the limit drops all
		}
		switch field := int(f.number); {
		case field == pbfield.InternedData_SourceLocations:
			good = in.readLocation(f.raw) && good
		case field == pbfield.InternedData_Frames:
			good = in.readFrame(f.raw) && good
		case field == pbfield.InternedData_Callstacks:
			good = in.readStack(f.raw) && good
		case tableOf(field) >= 0:
			good = in.readText(&in.tables[tableOf(field)], f.raw) && good
		}
	}
	return good && !f.bad
}

func (in *interned) readText(t *table, b []byte) bool {
	var iid uint64
	var text []byte
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case 1:
			iid = f.value
		case 2:
			text = f.raw
		}
	}
	if f.bad {
		return false
	}
	if t.get(iid) == nil {
		t.put(iid, &internedText{text: append([]byte(nil), text...), path: -1})
		in.bytes += internedCost + int64(len(text))
	}
	return true
}

func (in *interned) readLocation(b []byte) bool {
	iid, at, ok := parseSourceLocation(b)
	if !ok {
		return false
	}
	if _, known := in.locations[iid]; !known {
		if in.locations == nil {
			in.locations = make(map[uint64]sourceLocation)
		}
		at.file = append([]byte(nil), at.file...)
		at.function = append([]byte(nil), at.function...)
		in.locations[iid] = at
		in.bytes += internedCost + int64(len(at.file)+len(at.function))
	}
	return true
}

// parseSourceLocation decodes a SourceLocation without copying.
func parseSourceLocation(b []byte) (iid uint64, at sourceLocation, ok bool) {
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case 1:
			iid = f.value
		case 2:
			at.file = f.raw
		case 3:
			at.function = f.raw
		case 4:
			at.line = uint32(f.value)
		}
	}
	return iid, at, !f.bad
}

// sourceLocation is a location in the source of the program.
type sourceLocation struct {
	file, function []byte
	line           uint32
}

// frame is one call in a stack.
type frame struct {
	function uint64 // number of its name
	pc       uint64 // in its module
}

// readFrame reads a Frame.
func (in *interned) readFrame(b []byte) bool {
	var iid uint64
	var c frame
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case 1:
			iid = f.value
		case 2:
			c.function = f.value
		case 4:
			c.pc = f.value
		}
	}
	if _, known := in.frames[iid]; !known && !f.bad {
		if in.frames == nil {
			in.frames = make(map[uint64]frame)
		}
		in.frames[iid] = c
		in.bytes += internedCost
	}
	return !f.bad
}

// maxStack is the maximum number of calls kept of a stack, the outermost ones.
const maxStack = 1 << 10

// readStack reads a Callstack.
func (in *interned) readStack(b []byte) bool {
	var iid uint64
	var frames []uint64
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case 1:
			iid = f.value
		case 2:
			frames = f.numbers(frames, varint)
		}
	}
	if _, known := in.stacks[iid]; !known && !f.bad {
		if in.stacks == nil {
			in.stacks = make(map[uint64][]uint64)
		}
		frames = append([]uint64(nil), frames[:min(len(frames), maxStack)]...)
		in.stacks[iid] = frames
		in.bytes += internedCost + 8*int64(len(frames))
	}
	return !f.bad
}
