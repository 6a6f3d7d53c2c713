package uftrace

import (
	"fmt"

	"tracex/recorder/convert/calltrace"
)

// reason is why something of the input is not in the trace, or was changed.
type reason int

const (
	lostRecords reason = iota
	noBegin
	unseenEnds
	estimatedEnds
	inherited
	unknownLayout
	damagedParts
	cutShort
	unknownEvents
	callSites
	kernelFiles
	perfFiles
	externFiles
	unreadable
	badLines
	tooManySessions
	tooManyTasks
	tooManyLibraries
	tooManySymbols
	tooManyFunctions
	tooDeep

	reasons
)

// reasonTexts say what is counted, for one and for several.
var reasonTexts = [reasons][2]string{
	lostRecords:      {"record that the recorder lost", "records that the recorder lost"},
	noBegin:          {"end of a call without its beginning", "ends of calls without their beginning"},
	unseenEnds:       {"call whose end was not recorded", "calls whose ends were not recorded"},
	estimatedEnds:    {"call whose end was estimated by the recorder's --estimate-return", "calls whose ends were estimated by the recorder's --estimate-return"},
	inherited:        {"call of a parent process, open when it forked; it begins anew", "calls of parent processes, open when they forked; they begin anew"},
	unknownLayout:    {"call with values of an unknown type", "calls with values of unknown types"},
	damagedParts:     {"damaged part of a thread's records", "damaged parts of threads' records"},
	cutShort:         {"file that ends within a record", "files that end within a record"},
	unknownEvents:    {"event of an unknown kind", "events of unknown kinds"},
	callSites:        {"address of a call's place", "addresses of calls' places"},
	kernelFiles:      {"file of kernel functions", "files of kernel functions"},
	perfFiles:        {"file of scheduling events", "files of scheduling events"},
	externFiles:      {"file of external messages", "files of external messages"},
	unreadable:       {"file that cannot be read", "files that cannot be read"},
	badLines:         {"line that is not understood", "lines that are not understood"},
	tooManySessions:  {fmt.Sprintf("program beyond the first %d", maxSessions), fmt.Sprintf("programs beyond the first %d", maxSessions)},
	tooManyTasks:     {fmt.Sprintf("thread beyond the first %d", maxTasks), fmt.Sprintf("threads beyond the first %d", maxTasks)},
	tooManyLibraries: {fmt.Sprintf("loaded library beyond the first %d", maxLibraries), fmt.Sprintf("loaded libraries beyond the first %d", maxLibraries)},
	tooManySymbols:   {"symbol that exceeds the memory for symbols", "symbols that exceed the memory for symbols"},
	tooManyFunctions: {fmt.Sprintf("call of a function beyond the first %d", maxFunctions), fmt.Sprintf("calls of functions beyond the first %d", maxFunctions)},
	tooDeep:          {fmt.Sprintf("call nested more than %d deep", maxOpen), fmt.Sprintf("calls nested more than %d deep", maxOpen)},
}

// leftOut counts what is not in the trace.
type leftOut [reasons]int64

func (l *leftOut) count(why reason, n int64) { l[why] += n }

// tell passes the counts on. The places are unknown: they are in several files.
func (l *leftOut) tell(to *calltrace.Writer) {
	for why, n := range l {
		if n > 0 {
			to.Leave(reasonTexts[why][0], reasonTexts[why][1], n, -1)
		}
	}
}
