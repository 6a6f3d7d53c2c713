package status

import (
	"strings"
	"time"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// Settled reports whether the reader knows the whole trace.
func Settled(st lazy.Status) bool {
	return st.Phase == lazy.PhaseReady || st.Phase == lazy.PhaseFailed
}

// Reading reports whether the reader is still reading the data written so far.
func Reading(st lazy.Status) bool { return !Settled(st) && st.Phase != lazy.PhaseFollowing }

// Phase tells what the reader does in the background.
func Phase(st lazy.Status, now time.Time) string {
	what := map[lazy.Phase]string{
		lazy.PhaseOpening: "opening", lazy.PhaseUnpacking: "unpacking",
		lazy.PhaseIndexing: "reading the index", lazy.PhaseRebuilding: "rebuilding the index",
	}[st.Phase]
	if st.Growth.On {
		what = "reading"
	}
	if st.Total <= 0 {
		return what
	}
	what += " " + screen.Percent(st.Done, st.Total)
	return what + screen.Pace(st.Rate(now))
}

// PhaseIn is Phase in room cells, if possible.
func PhaseIn(st lazy.Status, now time.Time, room int, g *screen.Glyphs) string {
	text := Phase(st, now)
	if screen.TextWidth(text, g.ASCII) > room {
		text, _, _ = strings.Cut(text, " at ")
	}
	return text
}

// Index tells in a word or two what the user should know about the index; "" if it is as
// the user wanted it.
func Index(st lazy.Status, g *screen.Glyphs) string {
	switch st.Phase {
	case lazy.PhaseFollowing:
		return "growing"
	case lazy.PhaseOpening, lazy.PhaseIndexing:
		return "index …"
	case lazy.PhaseUnpacking:
		return "unpacking " + screen.Percent(st.Done, st.Total)
	case lazy.PhaseRebuilding:
		if st.Growth.On {
			return "reading " + screen.Percent(st.Done, st.Total)
		}
		return "rebuilding index " + screen.Percent(st.Done, st.Total)
	case lazy.PhaseFailed:
		return g.Warn + " failed"
	}
	switch {
	case st.Index == lazy.IndexRebuilt && st.StoreReason != nil:
		return g.Warn + " index not stored"
	}
	return ""
}

// Summary tells about the summary of a trace; "" if there is none, and nothing wrong.
func Summary(r *lazy.LazyTraceReader) string {
	switch size, why := lazy.SummaryOf(r).Known(); {
	case why != nil:
		return "none: " + screen.ErrorLine(why)
	case size > 0:
		return screen.Size(size)
	}
	return ""
}

// Memory tells how much memory is taken, in bytes, once little of the budget is left; otherwise "".
func Memory(taken, budget int64) string {
	if taken <= budget/5*4 {
		return ""
	}
	return "memory " + screen.Size(taken) + " of " + screen.Size(budget)
}
