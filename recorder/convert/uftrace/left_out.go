package uftrace

import (
	"fmt"

	"tracex/recorder/convert/fit"
)

// Why something of the input is not in the trace, or was changed. The places are unknown: they are in several files.
var (
	lostRecords      = fit.Why("record that the recorder lost", "records that the recorder lost")
	noBegin          = fit.Why("end of a call without its beginning", "ends of calls without their beginning")
	unseenEnds       = fit.Why("call whose end was not recorded", "calls whose ends were not recorded")
	estimatedEnds    = fit.Why("call whose end was estimated by the recorder's --estimate-return", "calls whose ends were estimated by the recorder's --estimate-return")
	inherited        = fit.Why("call of a parent process, open when it forked; it begins anew", "calls of parent processes, open when they forked; they begin anew")
	unknownLayout    = fit.Why("call with values of an unknown type", "calls with values of unknown types")
	damagedParts     = fit.Why("damaged part of a thread's records", "damaged parts of threads' records")
	cutShort         = fit.Why("file that ends within a record", "files that end within a record")
	unknownEvents    = fit.Why("event of an unknown kind", "events of unknown kinds")
	callSites        = fit.Why("address of a call's place", "addresses of calls' places")
	kernelFiles      = fit.Why("file of kernel functions", "files of kernel functions")
	perfFiles        = fit.Why("file of scheduling events", "files of scheduling events")
	externFiles      = fit.Why("file of external messages", "files of external messages")
	unreadable       = fit.Why("file that cannot be read", "files that cannot be read")
	badLines         = fit.Why("line that is not understood", "lines that are not understood")
	tooManySessions  = fit.Why(fmt.Sprintf("program beyond the first %d", maxSessions), fmt.Sprintf("programs beyond the first %d", maxSessions))
	tooManyTasks     = fit.Why(fmt.Sprintf("thread beyond the first %d", maxTasks), fmt.Sprintf("threads beyond the first %d", maxTasks))
	tooManyLibraries = fit.Why(fmt.Sprintf("loaded library beyond the first %d", maxLibraries), fmt.Sprintf("loaded libraries beyond the first %d", maxLibraries))
	tooManySymbols   = fit.Why("symbol that exceeds the memory for symbols", "symbols that exceed the memory for symbols")
	tooManyFunctions = fit.Why(fmt.Sprintf("call of a function beyond the first %d", maxFunctions), fmt.Sprintf("calls of functions beyond the first %d", maxFunctions))
	tooDeep          = fit.Why(fmt.Sprintf("call nested more than %d deep", maxOpen), fmt.Sprintf("calls nested more than %d deep", maxOpen))
)
