package format

import (
	"strconv"
	"strings"
)

// Numbers of objects are identity hashes. A recorder that makes them from addresses cannot always tell whether
// an object is the one that it has seen at an address before. It then adds a string to the trace that nothing
// refers to: the text that DoubtText returns.

// FirstOnStack is the first number of objects on a stack, in traces with DoubtText(FirstOnStack). Variables of
// a function that follow each other in one place have the same number.
const FirstOnStack = 1 << 30

const doubtHead, doubtTail = "tracex: @", " may be several objects"

// DoubtText returns the string that says that a number may be that of several objects: FirstOnStack stands for
// all numbers from that on, and 0 for all.
func DoubtText(hash int32) string {
	return doubtHead + strconv.Itoa(int(hash)) + doubtTail
}

// InDoubt reports whether a number may be that of several objects, as the recorder says.
func InDoubt(c *Context, hash int32) bool {
	return c.doubts[0] || c.doubts[hash] || hash >= FirstOnStack && c.doubts[FirstOnStack]
}

// noteDoubt notes what a string says of numbers.
func noteDoubt(c *Context, s string) {
	text, ok := strings.CutPrefix(s, doubtHead)
	if !ok {
		return
	}
	text, ok = strings.CutSuffix(text, doubtTail)
	hash, err := strconv.ParseInt(text, 10, 32)
	if !ok || err != nil {
		return
	}
	if c.doubts == nil {
		c.doubts = map[int32]bool{}
	}
	c.doubts[int32(hash)] = true
}
