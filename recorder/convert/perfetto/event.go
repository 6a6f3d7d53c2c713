package perfetto

import (
	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
)

// Numbers of fields of a TrackEvent.
const (
	eventDeltaUS         = pbfield.TrackEvent_TimestampDeltaUs // old: time relative to the previous event
	eventThreadDeltaUS   = pbfield.TrackEvent_ThreadTimeDeltaUs
	eventCategoryIIDs    = pbfield.TrackEvent_CategoryIids
	eventAnnotations     = pbfield.TrackEvent_DebugAnnotations
	eventTask            = pbfield.TrackEvent_TaskExecution
	eventLegacy          = pbfield.TrackEvent_LegacyEvent
	eventInstructions    = pbfield.TrackEvent_ThreadInstructionCountDelta
	eventType            = pbfield.TrackEvent_Type
	eventNameIID         = pbfield.TrackEvent_NameIid
	eventTrack           = pbfield.TrackEvent_TrackUuid
	eventExtraValues     = pbfield.TrackEvent_ExtraCounterValues
	eventAbsoluteUS      = pbfield.TrackEvent_TimestampAbsoluteUs
	eventThreadTimeUS    = pbfield.TrackEvent_ThreadTimeAbsoluteUs
	eventInstructionsNow = pbfield.TrackEvent_ThreadInstructionCountAbsolute
	eventLog             = pbfield.TrackEvent_LogMessage
	eventCategories      = pbfield.TrackEvent_Categories
	eventName            = pbfield.TrackEvent_Name
	eventCounter         = pbfield.TrackEvent_CounterValue
	eventExtraTracks     = pbfield.TrackEvent_ExtraCounterTrackUuids
	eventSource          = pbfield.TrackEvent_SourceLocation
	eventSourceIID       = pbfield.TrackEvent_SourceLocationIid
	eventOldFlows        = pbfield.TrackEvent_FlowIdsOld
	eventOldFlowEnds     = pbfield.TrackEvent_TerminatingFlowIdsOld
	eventDoubleCounter   = pbfield.TrackEvent_DoubleCounterValue
	eventDoubleTracks    = pbfield.TrackEvent_ExtraDoubleCounterTrackUuids
	eventDoubles         = pbfield.TrackEvent_ExtraDoubleCounterValues
	eventFlows           = pbfield.TrackEvent_FlowIds
	eventFlowEnds        = pbfield.TrackEvent_TerminatingFlowIds
	eventCorrelation     = pbfield.TrackEvent_CorrelationId
	eventCorrelationText = pbfield.TrackEvent_CorrelationIdStr
	eventCorrelationIID  = pbfield.TrackEvent_CorrelationIdStrIid
	eventCallstack       = pbfield.TrackEvent_Callstack
	eventCallstackIID    = pbfield.TrackEvent_CallstackIid
	eventCallstackWeight = 57
)

// Types of events.
const (
	typeBegin   = pbfield.TrackEvent_TYPE_SLICE_BEGIN
	typeEnd     = pbfield.TrackEvent_TYPE_SLICE_END
	typeInstant = pbfield.TrackEvent_TYPE_INSTANT
	typeCounter = pbfield.TrackEvent_TYPE_COUNTER
	typeState   = pbfield.TrackEvent_TYPE_STATE
)

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
		case eventType<<3 | varintKey:
			e.kind, n = consumeVarint(b[1:])
		case eventCategoryIIDs<<3 | varintKey:
			var v uint64
			v, n = consumeVarint(b[1:])
			e.categoryIIDs = limited(e.categoryIIDs, v)
		case eventNameIID<<3 | varintKey:
			e.nameIID, n = consumeVarint(b[1:])
		case eventTrack<<3 | varintKey:
			e.track, n = consumeVarint(b[1:])
			e.hasTrack = true
		case eventAnnotations<<3 | bytesKey:
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
	case eventType:
		e.kind = f.value
	case eventCategoryIIDs:
		e.categoryIIDs = f.numbers(e.categoryIIDs, varint)
	case eventNameIID:
		e.nameIID = f.value
	case eventAnnotations:
		e.annotate(f.raw)
	case eventTrack:
		e.track, e.hasTrack = f.value, true
	case eventName:
		e.name, e.hasName = f.raw, true
	case eventCategories:
		e.categories = limited(e.categories, f.raw)
	default:
		e.more(f)
	}
}

// more decodes a field of rare.
func (e *event) more(f *fields) {
	e.mixed = true
	switch f.number {
	case eventCounter:
		e.value, e.hasValue, e.isDouble = f.value, true, false
	case eventDoubleCounter:
		e.value, e.hasValue, e.isDouble = f.value, true, true
	case eventExtraTracks:
		e.extraTracks = f.numbers(e.extraTracks, varint)
	case eventExtraValues:
		e.extraValues = f.numbers(e.extraValues, varint)
	case eventDoubleTracks:
		e.doubleTracks = f.numbers(e.doubleTracks, varint)
	case eventDoubles:
		e.doubles = f.numbers(e.doubles, fixed64)
	case eventOldFlows:
		e.oldFlows = f.numbers(e.oldFlows, varint)
	case eventFlows:
		e.flows = f.numbers(e.flows, fixed64)
	case eventOldFlowEnds:
		e.oldFlowEnds = f.numbers(e.oldFlowEnds, varint)
	case eventFlowEnds:
		e.flowEnds = f.numbers(e.flowEnds, fixed64)
	case eventCorrelation, eventCorrelationText, eventCorrelationIID:
		e.correlates, e.correlation, e.correlationIs = f.number, f.value, f.raw
	case eventSource:
		e.source, e.sourceIID = f.raw, 0
	case eventSourceIID:
		e.sourceIID, e.source = f.value, nil
	case eventLog:
		e.log = f.raw
	case eventTask:
		e.task = f.raw
	case eventCallstack:
		e.stack = f.raw
	case eventCallstackIID:
		e.stackIID = f.value
	case eventLegacy:
		e.legacy, e.hasLegacy = f.raw, true
	case eventDeltaUS:
		e.deltaUS, e.hasDelta = int64(f.value), true
	case eventAbsoluteUS:
		e.absoluteUS = int64(f.value)
	case eventThreadDeltaUS, eventThreadTimeUS, eventInstructions, eventInstructionsNow, eventCallstackWeight:
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
