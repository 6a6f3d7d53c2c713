package calltrace

import (
	"cmp"
	"slices"
	"time"
)

// LeftOut is what is not in the trace, or was mended.
type LeftOut struct {
	What  string // for as many as Count
	Count int64
	First int64 // where the first is in the input; -1 if unknown
}

// Summary tells what was written.
type Summary struct {
	Threads int
	Events  int64         // calls, values of variables, and exceptions
	Took    time.Duration // from the first event to the last
	LeftOut []LeftOut     // the largest counts first
}

// tally counts what is left out, by its noun for one.
type tally struct {
	counts map[string]*leftCount
	others leftCount
}

type leftCount struct {
	several  string
	n, first int64
}

// kindsLeft bounds how many kinds of things are counted separately: some are named after something
// in the input.
const kindsLeft = 1 << 10

func (t *tally) leave(one, several string, n, at int64) {
	if n <= 0 {
		return
	}
	c := t.counts[one]
	switch {
	case c != nil:
	case len(t.counts) >= kindsLeft:
		c = &t.others
		if c.n == 0 {
			c.first = at
		}
	default:
		if t.counts == nil {
			t.counts = map[string]*leftCount{}
		}
		c = &leftCount{several: several, first: at}
		t.counts[one] = c
	}
	c.n += n
}

// list returns all counts, the largest first.
func (t *tally) list() (all []LeftOut) {
	add := func(one string, c *leftCount) {
		what := one
		if c.n > 1 {
			what = c.several
		}
		all = append(all, LeftOut{what, c.n, c.first})
	}
	for one, c := range t.counts {
		add(one, c)
	}
	if t.others.n > 0 {
		t.others.several = "things of other kinds"
		add("thing of another kind", &t.others)
	}
	slices.SortFunc(all, func(a, b LeftOut) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.What, b.What))
	})
	return all
}

// reason is why the Writer itself leaves something out.
type reason struct{ one, several string }

var (
	backwards    = reason{"time before that of the event before; moved to it", "times before those of the events before; moved to them"}
	early        = reason{"event from before the beginning; moved to it", "events from before the beginning; moved to it"}
	noBegin      = reason{"end without a begin", "ends without a begin"}
	tooDeep      = reason{"call nested too deeply", "calls nested too deeply"}
	rounded      = reason{"call that ends by rounding just after the one around it; it ends with it", "calls that end by rounding just after the ones around them; they end with these"}
	tooManyLanes = reason{"call that overlaps too many others", "calls that overlap too many others"}
	manyTracks   = reason{"event beyond the first 1,048,576 tracks", "events beyond the first 1,048,576 tracks"}
	negative     = reason{"negative duration; taken as 0", "negative durations; taken as 0"}
	longText     = reason{"text cut to 65,535 bytes", "texts cut to 65,535 bytes"}
	largeValue   = reason{"value too large or nested too deeply", "values too large or nested too deeply"}
	manyArgs     = reason{"argument beyond the first 1,024 of a call", "arguments beyond the first 1,024 of a call"}
)

func (t *tally) count(why reason) { t.leave(why.one, why.several, 1, -1) }

// Leave counts something of the input that has no place in the trace: one or several, such as
// "flow event" and "flow events". at is where it is in the input, in bytes; -1 if unknown.
func (w *Writer) Leave(one, several string, n, at int64) { w.left.leave(one, several, n, at) }
