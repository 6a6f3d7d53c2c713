package query

import (
	"tracex/lazy"
	"tracex/lazy/query/display"
)

// grows reports whether a trace is still being recorded: calls that have not ended may do so later.
func grows(r *lazy.LazyTraceReader) bool { return r.Status().Growth.On }

// neverEnded tells of a call that it has not ended; pending if it may do so later.
func neverEnded(pending bool) string {
	if pending {
		return "not ended yet"
	}
	return "did not end"
}

// notEnded tells of how many calls have not ended.
func notEnded(n int64, grows bool) string {
	switch {
	case !grows:
		return display.Plural(n, "call") + " had not ended when the recording did"
	case n == 1:
		return "1 call has not ended yet"
	}
	return display.Plural(n, "call") + " have not ended yet"
}
