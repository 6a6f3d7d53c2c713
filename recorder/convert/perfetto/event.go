package perfetto

import (
	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
)

// eventCallstackWeight is a field of TrackEvent that our messages lack.
const eventCallstackWeight = 57

// event is one TrackEvent. Its slices are parts of the packet, except lists of
// numbers, which are reused.
type event struct {
	kind         uint64
	track        uint64
	hasTrack     bool
	hasName      bool
	mixed        bool // rare is not empty
	nameIID      uint64
	name         []byte
	categoryIIDs []uint64
	categories   [][]byte
	annotations  [][]byte
	unheard      int64 // annotations beyond these
	rare
}

// rare is the fields that few events have: one for each field of the message that is converted.
type rare struct {
	value         uint64 // of a counter
	hasValue      bool
	isDouble      bool // value is the bits of a float
	extraTracks   []uint64
	extraValues   []uint64
	doubleTracks  []uint64
	doubles       []uint64
	flows         []uint64
	flowEnds      []uint64
	oldFlows      []uint64 // used only if there are no others
	oldFlowEnds   []uint64
	correlation   uint64
	correlates    protowire.Number // the field; 0 if none
	correlationIs []byte
	source        []byte
	sourceIID     uint64
	log           []byte
	task          []byte
	stack         []byte
	stackIID      uint64
	legacy        []byte
	hasLegacy     bool
	asyncID       uint64
	hasAsyncID    bool
	override      threadID // of a thread other than the writer, by the older fields
	overridden    bool
	deltaUS       int64
	hasDelta      bool
	absoluteUS    int64
	typed         bool // it has extension fields of other projects
}

// reset clears the event but keeps the capacity of its lists.
func (e *event) reset() {
	e.kind, e.track, e.nameIID, e.name = 0, 0, 0, nil
	e.hasTrack, e.hasName, e.unheard = false, false, 0
	e.categoryIIDs, e.categories, e.annotations = e.categoryIIDs[:0], e.categories[:0], e.annotations[:0]
	if e.mixed {
		e.mixed, e.rare = false, rare{}
	}
}

// parse decodes an event; it returns false if the event is damaged. The most common
// fields are decoded inline for speed.
func (e *event) parse(b []byte) bool {
	e.reset()
	for len(b) > 0 {
		n := 0
		switch b[0] {
		case pbfield.TrackEvent_Type<<3 | varintKey:
			e.kind, n = consumeVarint(b[1:])
		case pbfield.TrackEvent_CategoryIids<<3 | varintKey:
			var v uint64
			v, n = consumeVarint(b[1:])
			e.categoryIIDs = limited(e.categoryIIDs, v)
		case pbfield.TrackEvent_NameIid<<3 | varintKey:
			e.nameIID, n = consumeVarint(b[1:])
		case pbfield.TrackEvent_TrackUuid<<3 | varintKey:
			e.track, n = consumeVarint(b[1:])
			e.hasTrack = true
		case pbfield.TrackEvent_DebugAnnotations<<3 | bytesKey:
			var raw []byte
			raw, n = consumeBytes(b[1:])
			e.annotate(raw)
		default:
			f := fields{rest: b}
			if !f.next() {
				return false
			}
			e.field(&f)
			if f.bad {
				return false
			}
			b = f.rest
			continue
		}
		if n < 0 {
			return false
		}
		b = b[1+n:]
	}
	return true
}

// annotate adds a debug annotation, unless there are too many.
func (e *event) annotate(b []byte) {
	if len(e.annotations) >= maxNumbers {
		e.unheard++
		return
	}
	e.annotations = append(e.annotations, b)
}

// field decodes a field that few events have, or that has an unusual form.
func (e *event) field(f *fields) {
	switch f.number {
	case pbfield.TrackEvent_Type:
		e.kind = f.value
	case pbfield.TrackEvent_CategoryIids:
		e.categoryIIDs = f.numbers(e.categoryIIDs, varint)
	case pbfield.TrackEvent_NameIid:
		e.nameIID = f.value
	case pbfield.TrackEvent_DebugAnnotations:
		e.annotate(f.raw)
	case pbfield.TrackEvent_TrackUuid:
		e.track, e.hasTrack = f.value, true
	case pbfield.TrackEvent_Name:
		e.name, e.hasName = f.raw, true
	case pbfield.TrackEvent_Categories:
		e.categories = limited(e.categories, f.raw)
	default:
		e.more(f)
	}
}

// more decodes a field of rare.
func (e *event) more(f *fields) {
	e.mixed = true
	switch f.number {
	case pbfield.TrackEvent_CounterValue:
		e.value, e.hasValue, e.isDouble = f.value, true, false
	case pbfield.TrackEvent_DoubleCounterValue:
		e.value, e.hasValue, e.isDouble = f.value, true, true
	case pbfield.TrackEvent_ExtraCounterTrackUuids:
		e.extraTracks = f.numbers(e.extraTracks, varint)
	case pbfield.TrackEvent_ExtraCounterValues:
		e.extraValues = f.numbers(e.extraValues, varint)
	case pbfield.TrackEvent_ExtraDoubleCounterTrackUuids:
		e.doubleTracks = f.numbers(e.doubleTracks, varint)
	case pbfield.TrackEvent_ExtraDoubleCounterValues:
		e.doubles = f.numbers(e.doubles, fixed64)
	case pbfield.TrackEvent_FlowIdsOld:
		e.oldFlows = f.numbers(e.oldFlows, varint)
	case pbfield.TrackEvent_FlowIds:
		e.flows = f.numbers(e.flows, fixed64)
	case pbfield.TrackEvent_TerminatingFlowIdsOld:
		e.oldFlowEnds = f.numbers(e.oldFlowEnds, varint)
	case pbfield.TrackEvent_TerminatingFlowIds:
		e.flowEnds = f.numbers(e.flowEnds, fixed64)
	case pbfield.TrackEvent_CorrelationId, pbfield.TrackEvent_CorrelationIdStr, pbfield.TrackEvent_CorrelationIdStrIid:
		e.correlates, e.correlation, e.correlationIs = f.number, f.value, f.raw
	case pbfield.TrackEvent_SourceLocation:
		e.source, e.sourceIID = f.raw, 0
	case pbfield.TrackEvent_SourceLocationIid:
		e.sourceIID, e.source = f.value, nil
	case pbfield.TrackEvent_LogMessage:
		e.log = f.raw
	case pbfield.TrackEvent_TaskExecution:
		e.task = f.raw
	case pbfield.TrackEvent_Callstack:
		e.stack = f.raw
	case pbfield.TrackEvent_CallstackIid:
		e.stackIID = f.value
	case pbfield.TrackEvent_LegacyEvent:
		e.legacy, e.hasLegacy = f.raw, true
	case pbfield.TrackEvent_TimestampDeltaUs:
		e.deltaUS, e.hasDelta = int64(f.value), true
	case pbfield.TrackEvent_TimestampAbsoluteUs:
		e.absoluteUS = int64(f.value)
	case pbfield.TrackEvent_ThreadTimeDeltaUs, pbfield.TrackEvent_ThreadTimeAbsoluteUs, pbfield.TrackEvent_ThreadInstructionCountDelta,
		pbfield.TrackEvent_ThreadInstructionCountAbsolute, eventCallstackWeight:
		// The thread time and instruction count are not shown.
	default:
		e.typed = true
	}
}

// moveTo replaces the numbers of tracks by those on a machine.
func (e *event) moveTo(machine uint32) {
	e.track = trackOn(machine, e.track)
	tracksOn(machine, e.extraTracks)
	tracksOn(machine, e.doubleTracks)
}
