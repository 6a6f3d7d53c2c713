package perfetto

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// reason is why something of the trace is not in the result.
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
	farNumbers
	unknownVersion

	reasons
)

// reasonTexts say of each reason what was left out.
var reasonTexts = [reasons]string{
	damaged:          "damaged packets",
	largePackets:     fmt.Sprintf("packets of more than %d MiB", maxPacket>>20),
	withoutSequence:  "events that belong to no sequence",
	withoutState:     "packets that refer to others which the recording lost",
	withoutTime:      "events without a time",
	strangeClock:     "events of a clock that no snapshot relates to the trace's: their times are taken as they are",
	badSnapshots:     "clock snapshots that contradict others",
	unknownEvents:    "events of unknown types",
	typedFields:      "fields of events that are not known",
	withoutValue:     "values of counters without a value",
	withoutCounter:   "values of counters that are not described",
	withoutUUID:      "descriptions of tracks without a number, or of track 0 below another",
	tooManyTracks:    fmt.Sprintf("events on more than %d tracks", knownTracks),
	tooManyArguments: "arguments that are damaged, or too many",
	noBegin:          "ends of slices that had not begun",
	overlapping:      "slices that overlap others on their track",
	tooDeep:          "slices in too many others",
	tooManyLanes:     "slices on too many tracks of one name at a time",
	longTexts:        "ends of texts of more than 65,535 bytes",
	lostMarks:        "marks of the recording that packets were lost",
	forgottenStates:  "states of sequences that took too much memory",
	lostCalls:        "places where recorded calls are missing: what was open there ends at a time that is not known",
	repeatedCalls:    "packets of recorded calls that came twice",
	unknownVersion:   "packets of recorded calls of versions of the format that are not known",
	farNumbers:       "recorders whose numbers do not fit beside those of others",
}

// Left is what of the trace is not in the result, or not as it was.
type Left struct {
	What  string
	Count int64
	First int64 // offset of the first packet of the kind; -1: not known
}

// tally counts what is left out.
type tally struct {
	counts [reasons]int64
	first  [reasons]int64 // offset + 1; 0: not known
	kinds  map[protowire.Number]*Left
}

// knownKinds bounds how many kinds of packets are counted one by one.
const knownKinds = 1 << 10

// leave counts a packet that is left out, wholly or in part.
func (c *Converter) leave(why reason, p *packet) { c.left.count(why, 1, p.offset) }

func (t *tally) count(why reason, n, offset int64) {
	if t.counts[why] == 0 {
		t.first[why] = offset + 1
	}
	t.counts[why] += n
}

// kind counts a packet whose kind is not known.
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

// list returns all that is left out, what there is most of first.
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
