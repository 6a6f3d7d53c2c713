package perfetto

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// reason is why a part of the trace is not in the result.
type reason int

const (
	damaged reason = iota
	largePackets
	withoutSequence
	withoutState
	withoutTime
	strangeClock
	badSnapshots
	unknownEvents
	typedFields
	withoutValue
	withoutCounter
	withoutUUID
	tooManyTracks
	tooManyArguments
	noBegin
	overlapping
	tooDeep
	tooManyLanes
	longTexts
	lostMarks
	forgottenStates
	lostCalls
	repeatedCalls
	earlyCalls
	earlyEvents
	farNumbers
	unknownVersion

	reasons
)

// noun says what was left out, for one and for several.
type noun struct{ one, many string }

func (n noun) of(count int64) string {
	if count == 1 {
		return n.one
	}
	return n.many
}

// reasonTexts tell what was left out for each reason.
var reasonTexts = [reasons]noun{
	damaged: {"damaged packet", "damaged packets"},
	largePackets: {fmt.Sprintf("packet of more than %d MiB", maxPacket>>20),
		fmt.Sprintf("packets of more than %d MiB", maxPacket>>20)},
	withoutSequence: {"event without a sequence", "events without a sequence"},
	withoutState:    {"packet that refers to lost packets", "packets that refer to lost packets"},
	withoutTime:     {"event without a time", "events without a time"},
	strangeClock: {"event on a clock without a snapshot; its time is used unconverted",
		"events on a clock without a snapshot; their times are used unconverted"},
	badSnapshots:   {"clock snapshot that contradicts others", "clock snapshots that contradict others"},
	unknownEvents:  {"event of an unknown type", "events of unknown types"},
	typedFields:    {"unknown event field", "unknown event fields"},
	withoutValue:   {"counter event without a value", "counter events without a value"},
	withoutCounter: {"value of an undescribed counter", "values of undescribed counters"},
	withoutUUID: {"track descriptor without a UUID, or of track 0 with a parent",
		"track descriptors without a UUID, or of track 0 with a parent"},
	tooManyTracks: {fmt.Sprintf("event beyond the first %d tracks", knownTracks),
		fmt.Sprintf("events beyond the first %d tracks", knownTracks)},
	tooManyArguments: {"damaged or excess argument", "damaged or excess arguments"},
	noBegin:          {"slice end without a begin", "slice ends without a begin"},
	overlapping:      {"slice that overlaps others on its track", "slices that overlap others on their track"},
	tooDeep:          {"slice nested too deeply", "slices nested too deeply"},
	tooManyLanes: {"slice on too many simultaneous tracks of one name",
		"slices on too many simultaneous tracks of one name"},
	longTexts:       {"text cut to 65,535 bytes", "texts cut to 65,535 bytes"},
	lostMarks:       {"report of lost packets", "reports of lost packets"},
	forgottenStates: {"sequence state that took too much memory", "sequence states that took too much memory"},
	lostCalls: {"gap in recorded calls; calls open there end at an unknown time",
		"gaps in recorded calls; calls open there end at an unknown time"},
	repeatedCalls: {"duplicate packet of recorded calls", "duplicate packets of recorded calls"},
	earlyCalls: {"recorded call from before the recording; it begins with it",
		"recorded calls from before the recording; they begin with it"},
	earlyEvents: {"event from before the recording; it is at its beginning",
		"events from before the recording; they are at its beginning"},
	unknownVersion: {"packet of recorded calls in an unknown format version",
		"packets of recorded calls in an unknown format version"},
	farNumbers: {"recorder skipped: its ids exceed 31 bits", "recorders skipped: their ids exceed 31 bits"},
}

// LeftOut counts parts of the trace that are not in the result, or were changed.
type LeftOut struct {
	What  string // for as many as Count: packet or packets
	Count int64
	First int64 // offset of the first packet of the kind; -1 if unknown
}

// tally counts the parts that are left out.
type tally struct {
	counts [reasons]int64
	first  [reasons]int64                // offset + 1; 0 if unknown
	kinds  map[protowire.Number]*LeftOut // without What
}

// knownKinds bounds how many kinds of packets are counted separately.
const knownKinds = 1 << 10

// leave counts a packet that is left out, in whole or in part.
func (t *tally) leave(why reason, p *packet) { t.count(why, 1, p.offset) }

func (t *tally) count(why reason, n, offset int64) {
	if t.counts[why] == 0 {
		t.first[why] = offset + 1
	}
	t.counts[why] += n
}

// add adds the counts of a later tally.
func (t *tally) add(later *tally) {
	for why, n := range later.counts {
		if n > 0 {
			t.count(reason(why), n, later.first[why]-1)
		}
	}
	for number, k := range later.kinds {
		t.kindCount(number, *k)
	}
}

// kind counts a packet of an unknown kind.
func (t *tally) kind(p *packet) { t.kindCount(p.kind, LeftOut{Count: 1, First: p.offset}) }

// kindCount adds a count of packets of an unknown kind.
func (t *tally) kindCount(number protowire.Number, n LeftOut) {
	if t.kinds == nil {
		t.kinds = make(map[protowire.Number]*LeftOut)
	}
	if t.kinds[number] == nil && len(t.kinds) >= knownKinds {
		number = 0
	}
	k := t.kinds[number]
	if k == nil {
		k = &LeftOut{First: n.First}
		t.kinds[number] = k
	}
	k.Count += n.Count
}

// kindText says what a kind of packets is.
func kindText(number protowire.Number, count int64) string {
	packets := noun{"packet", "packets"}.of(count)
	name := kindNames[number]
	switch {
	case number == 0:
		return noun{"packet of another kind", "packets of other kinds"}.of(count)
	case name == "":
		name = "unknown"
	}
	return fmt.Sprintf("%s of kind %d (%s)", packets, number, name)
}

// list returns all counts, the largest first.
func (t *tally) list() (all []LeftOut) {
	for why, n := range t.counts {
		if n > 0 {
			all = append(all, LeftOut{reasonTexts[why].of(n), n, t.first[why] - 1})
		}
	}
	for number, k := range t.kinds {
		all = append(all, LeftOut{kindText(number, k.Count), k.Count, k.First})
	}
	slices.SortFunc(all, func(a, b LeftOut) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.What, b.What))
	})
	return all
}
