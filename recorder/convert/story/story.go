// Package story writes a trace that a converter made as text with times, for the tests of converters.
package story

import (
	"fmt"
	"math"
	"strings"
	"time"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
)

// Of returns the threads of a trace with their points. After a call are when it began, since the first
// call of the trace began, and how long it took, and its place:
//
//	# main
//	shop.total(n ➜ 2): 12 @1ms +3ms shop.rb:7
func Of(t *readback.Trace) string {
	first := int64(math.MaxInt64)
	each(t, func(p *readback.Point, _ int) {
		if !p.Variable {
			first = min(first, p.Start)
		}
	})
	var b strings.Builder
	for _, thread := range t.Threads {
		fmt.Fprintf(&b, "# %s\n", thread.Name)
		thread.Walk(func(p *readback.Point, depth int) {
			b.WriteString(strings.Repeat("  ", depth) + p.String())
			if !p.Variable {
				fmt.Fprintf(&b, " @%v +%v", time.Duration(p.Start-first), time.Duration(p.Dur))
			}
			if p.Place != "" {
				b.WriteString(" " + p.Place)
			}
			b.WriteByte('\n')
		})
	}
	return b.String()
}

func each(t *readback.Trace, f func(p *readback.Point, depth int)) {
	for _, thread := range t.Threads {
		thread.Walk(f)
	}
}

// Left returns what is not in a trace, a line each.
func Left(s *calltrace.Summary) string {
	var b strings.Builder
	for _, l := range s.LeftOut {
		fmt.Fprintf(&b, "%d %s from %d\n", l.Count, l.What, l.First)
	}
	return b.String()
}
