package format

import (
	"strconv"
	"strings"
	"time"
)

// A recorder that leaves out call trees adds strings to the trace that nothing refers to: the texts that SampleText and
// SlowerText return.

const (
	sampleHead, sampleTail = "tracex: sampled: ", " of 1000000000 call trees"
	slowerHead, slowerTail = "tracex: call trees of at least ", "ns"
)

// SampleText returns the string that says that of call trees so many in 1e9 are recorded, chosen by chance.
func SampleText(n int64) string { return sampleHead + strconv.FormatInt(n, 10) + sampleTail }

// SlowerText returns the string that says that call trees that took less time, in ns, are left out.
func SlowerText(ns int64) string { return slowerHead + strconv.FormatInt(ns, 10) + slowerTail }

// leftTrees is what is known of call trees that are left out: the fewest of 1e9 that a program recorded, and the most, and the
// least time. 0 means that none were left out.
type leftTrees struct{ fewest, most, slower int64 }

// SampleNote tells which call trees are left out, and what counts are to be multiplied by; "" if none are.
func SampleNote(c *Context) string {
	var notes []string
	if ns := c.left.slower; ns > 0 {
		notes = append(notes, "call trees that took less than "+time.Duration(ns).String()+" are left out, unless they did not end")
	}
	if c.left.fewest > 0 {
		const all = 1e9
		number := func(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
		least, most := float64(c.left.fewest)/all, float64(c.left.most)/all
		if least < most {
			notes = append(notes, "samples: from "+number(100*least)+" to "+number(100*most)+" % of the call trees of programs were recorded, chosen by chance; what counts stand for depends on the program")
		} else {
			notes = append(notes, "a sample: "+number(100*least)+" % of the call trees were recorded, chosen by chance; counts and sums stand for "+number(1/least)+" times as much")
		}
	}
	return strings.Join(notes, "; ")
}

// noteLeft notes what a string says of trees that are left out.
func noteLeft(c *Context, s string) {
	number := func(head, tail string) int64 {
		text, is := strings.CutPrefix(s, head)
		text, ends := strings.CutSuffix(text, tail)
		n, err := strconv.ParseInt(text, 10, 64)
		if !is || !ends || err != nil {
			return 0
		}
		return n
	}
	if n := number(sampleHead, sampleTail); n > 0 && n < 1e9 {
		if c.left.fewest == 0 || n < c.left.fewest {
			c.left.fewest = n
		}
		c.left.most = max(c.left.most, n)
	}
	if ns := number(slowerHead, slowerTail); ns > 0 && (c.left.slower == 0 || ns < c.left.slower) {
		c.left.slower = ns
	}
}
