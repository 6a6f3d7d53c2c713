package calltrace

import (
	"time"

	"tracex/recorder/convert/fit"
)

// LeftOut is what is not in the trace, or was mended.
type LeftOut = fit.LeftOut

// Summary tells what was written.
type Summary struct {
	Threads int
	Events  int64         // calls, values of variables, and exceptions
	Took    time.Duration // from the first event to the last
	LeftOut []LeftOut     // the largest counts first
}

// Why the Writer itself leaves something out.
var (
	backwards    = fit.Why("time before that of the event before; moved to it", "times before those of the events before; moved to them")
	early        = fit.Why("event from before the beginning; moved to it", "events from before the beginning; moved to it")
	noBegin      = fit.Why("end without a begin", "ends without a begin")
	tooDeep      = fit.Why("call nested too deeply", "calls nested too deeply")
	rounded      = fit.Why("call that ends by rounding just after the one around it; it ends with it", "calls that end by rounding just after the ones around them; they end with these")
	tooManyLanes = fit.Why("call that overlaps too many others", "calls that overlap too many others")
	manyTracks   = fit.Why("event beyond the first 1,048,576 tracks", "events beyond the first 1,048,576 tracks")
	negative     = fit.Why("negative duration; taken as 0", "negative durations; taken as 0")
	longText     = fit.Why("text cut to 65,535 bytes", "texts cut to 65,535 bytes")
	largeValue   = fit.Why("value too large or nested too deeply", "values too large or nested too deeply")
	manyArgs     = fit.Why("argument beyond the first 1,024 of a call", "arguments beyond the first 1,024 of a call")
	others       = fit.Why("thing of another kind", "things of other kinds")
)

// kindsLeft bounds how many kinds of things are counted separately: some are named after something
// in the input.
const kindsLeft = 1 << 10

// Leave counts something of the input that has no place in the trace: one or several, such as
// "flow event" and "flow events". at is where it is in the input, in bytes; -1 if unknown.
func (w *Writer) Leave(one, several string, n, at int64) {
	why := fit.Reason{One: one, Several: several}
	if w.left.Kinds() >= kindsLeft && w.left.Counted(why) == 0 {
		why = others
	}
	w.left.Count(why, n, at)
}

// LeaveAll counts what a converter has counted.
func (w *Writer) LeaveAll(left *fit.Tally) { w.left.Add(left) }
