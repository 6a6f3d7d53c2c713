package perfetto

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/recorder/convert/fit"
)

// Why a part of the trace is not in the result.
var (
	damaged      = fit.Why("damaged packet", "damaged packets")
	largePackets = fit.Why(fmt.Sprintf("packet of more than %d MiB", maxPacket>>20),
		fmt.Sprintf("packets of more than %d MiB", maxPacket>>20))
	withoutSequence = fit.Why("event without a sequence", "events without a sequence")
	withoutState    = fit.Why("packet that refers to lost packets", "packets that refer to lost packets")
	withoutTime     = fit.Why("event without a time", "events without a time")
	strangeClock    = fit.Why("event on a clock without a snapshot; its time is used unconverted",
		"events on a clock without a snapshot; their times are used unconverted")
	badSnapshots   = fit.Why("clock snapshot that contradicts others", "clock snapshots that contradict others")
	unknownEvents  = fit.Why("event of an unknown type", "events of unknown types")
	typedFields    = fit.Why("unknown event field", "unknown event fields")
	withoutValue   = fit.Why("counter event without a value", "counter events without a value")
	withoutCounter = fit.Why("value of an undescribed counter", "values of undescribed counters")
	withoutUUID    = fit.Why("track descriptor without a UUID, or of track 0 with a parent",
		"track descriptors without a UUID, or of track 0 with a parent")
	tooManyTracks = fit.Why(fmt.Sprintf("event beyond the first %d tracks", knownTracks),
		fmt.Sprintf("events beyond the first %d tracks", knownTracks))
	tooManyArguments = fit.Why("damaged or excess argument", "damaged or excess arguments")
	noBegin          = fit.Why("slice end without a begin", "slice ends without a begin")
	overlapping      = fit.Why("slice that overlaps others on its track", "slices that overlap others on their track")
	tooDeep          = fit.Why("slice nested too deeply", "slices nested too deeply")
	tooManyLanes     = fit.Why("slice on too many simultaneous tracks of one name",
		"slices on too many simultaneous tracks of one name")
	longTexts       = fit.Why("text cut to 65,535 bytes", "texts cut to 65,535 bytes")
	lostMarks       = fit.Why("report of lost packets", "reports of lost packets")
	forgottenStates = fit.Why("sequence state that took too much memory", "sequence states that took too much memory")
	lostCalls       = fit.Why("gap in recorded calls; calls open there end at an unknown time",
		"gaps in recorded calls; calls open there end at an unknown time")
	repeatedCalls = fit.Why("duplicate packet of recorded calls", "duplicate packets of recorded calls")
	earlyCalls    = fit.Why("recorded call from before the recording; it begins with it",
		"recorded calls from before the recording; they begin with it")
	earlyEvents = fit.Why("event from before the recording; it is at its beginning",
		"events from before the recording; they are at its beginning")
	unknownVersion = fit.Why("packet of recorded calls in an unknown format version",
		"packets of recorded calls in an unknown format version")
	farNumbers = fit.Why("recorder skipped: its ids exceed 31 bits", "recorders skipped: their ids exceed 31 bits")
	otherKind  = fit.Why("packet of another kind", "packets of other kinds")
)

// LeftOut counts parts of the trace that are not in the result, or were changed.
type LeftOut = fit.LeftOut

// unknownKinds are the kinds of packets that are not converted, each of which is counted.
type unknownKinds map[protowire.Number]fit.Reason

// knownKinds bounds how many kinds of packets are counted separately.
const knownKinds = 1 << 10

func (k unknownKinds) reason(number protowire.Number) fit.Reason {
	why, known := k[number]
	switch {
	case known:
	case number == 0, len(k) >= knownKinds:
		return otherKind
	default:
		name := kindNames[number]
		if name == "" {
			name = "unknown"
		}
		of := fmt.Sprintf(" of kind %d (%s)", number, name)
		why = fit.Reason{One: "packet" + of, Several: "packets" + of}
		k[number] = why
	}
	return why
}
