package query

import (
	"path/filepath"
	"strings"

	"tracex/format"
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

// gapNotes tell that times are missing: see WithoutTimes. They also tell of calls that are missing between the first calls
// of a recording and the newest, and, if it has times, of the time that tables have for these. They lock descriptors.
func gapNotes(r *lazy.LazyTraceReader, timed bool) (notes []string) {
	var without []string
	if why := WithoutTimes(r); !timed && why != "" {
		without = []string{why}
	}
	r.WithContext(func(c *format.Context) { notes = format.Gaps(c) })
	if len(notes) == 0 {
		return without
	}
	const several = 3
	text := "missing at the rows " + format.GapPrefix + "…>: " + strings.Join(notes[:min(len(notes), several)], ", ")
	if n := len(notes) - several; n > 0 {
		text += ", and " + display.Plural(int64(n), "gap") + " more"
	}
	if timed {
		text += "; that time is in the self times of the calls around, and a call that ends there counts up to it"
	}
	return append(without, text)
}

// WithoutTimes tells what to do if a trace was copied without its times; "" if it has some, or never had any.
func WithoutTimes(r *lazy.LazyTraceReader) string {
	file := lazy.TimesMissing(r)
	if file == "" {
		return ""
	}
	return "no times: " + filepath.Base(file) + " is not there; copy it beside the trace, unless it was recorded with --no-times"
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
