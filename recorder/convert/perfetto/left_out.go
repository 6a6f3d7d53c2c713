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

// reasonTexts tell what was left out for each reason.
var reasonTexts = [reasons]string{
	damaged:          "damaged packets",
	largePackets:     fmt.Sprintf("packets of more than %d MiB", maxPacket>>20),
	withoutSequence:  "events without a sequence",
	withoutState:     "packets that refer to lost packets",
	withoutTime:      "events without a time",
	strangeClock:     "events on a clock without a snapshot; their times are used unconverted",
	badSnapshots:     "clock snapshots that contradict others",
	unknownEvents:    "events of unknown types",
	typedFields:      "unknown event fields",
	withoutValue:     "counter events without a value",
	withoutCounter:   "values of undescribed counters",
	withoutUUID:      "track descriptors without a UUID, or of track 0 with a parent",
	tooManyTracks:    fmt.Sprintf("events beyond the first %d tracks", knownTracks),
	tooManyArguments: "damaged or excess arguments",
	noBegin:          "slice ends without a begin",
	overlapping:      "slices that overlap others on their track",
	tooDeep:          "slices nested too deeply",
	tooManyLanes:     "slices on too many simultaneous tracks of one name",
	longTexts:        "texts cut to 65,535 bytes",
	lostMarks:        "reports of lost packets",
	forgottenStates:  "sequence states that took too much memory",
	lostCalls:        "gaps in recorded calls; calls open there end at an unknown time",
	repeatedCalls:    "duplicate packets of recorded calls",
	earlyCalls:       "recorded calls from before the recording; they begin with it",
	earlyEvents:      "events from before the recording; they are at its beginning",
	unknownVersion:   "packets of recorded calls in an unknown format version",
	farNumbers:       "recorders skipped: ids exceed 31 bits",
}

// Left counts parts of the trace that are not in the result, or were changed.
type Left struct {
	What  string
	Count int64
	First int64 // offset of the first packet of the kind; -1 if unknown
}

// tally counts the parts that are left out.
type tally struct {
	counts [reasons]int64
	first  [reasons]int64 // offset + 1; 0 if unknown
	kinds  map[protowire.Number]*Left
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

// kind counts a packet of an unknown kind.
func (t *tally) kind(p *packet) {
	number := p.kind
	if t.kinds == nil {
		t.kinds = make(map[protowire.Number]*Left)
	}
	if t.kinds[number] == nil && len(t.kinds) >= knownKinds {
		number = 0
	}
	k := t.kinds[number]
	if k == nil {
		k = &Left{What: kindText(number), First: p.offset}
		t.kinds[number] = k
	}
	k.Count++
}

func kindText(number protowire.Number) string {
	name := kindNames[number]
	switch {
	case number == 0:
		return "packets of other kinds"
	case name == "":
		name = "unknown"
	}
	return fmt.Sprintf("packets of kind %d (%s)", number, name)
}

// list returns all counts, the largest first.
func (t *tally) list() (all []Left) {
	for why, n := range t.counts {
		if n > 0 {
			all = append(all, Left{reasonTexts[why], n, t.first[why] - 1})
		}
	}
	for _, k := range t.kinds {
		all = append(all, *k)
	}
	slices.SortFunc(all, func(a, b Left) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.What, b.What))
	})
	return all
}
