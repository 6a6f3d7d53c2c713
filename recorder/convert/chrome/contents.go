package chrome

import "tracex/format"

// contents is memory for what is inside of the values of one event. The next event uses it again.
type contents struct {
	stack  []format.CapturedField // of the values that are being read
	values []format.Value
	named  []format.CapturedField
}

func (c *contents) reset() { c.stack, c.values, c.named = c.stack[:0], c.values[:0], c.named[:0] }

// list returns the elements of a list.
func (c *contents) list(from []format.CapturedField) []format.Value {
	at := len(c.values)
	if at+len(from) > cap(c.values) {
		// The old memory belongs to the values that are in it.
		c.values, at = make([]format.Value, 0, 2*cap(c.values)+len(from)), 0
	}
	for i := range from {
		c.values = append(c.values, from[i].Value)
	}
	return c.values[at:len(c.values):len(c.values)]
}

// fields returns the fields of an object.
func (c *contents) fields(from []format.CapturedField) []format.CapturedField {
	at := len(c.named)
	if at+len(from) > cap(c.named) {
		c.named, at = make([]format.CapturedField, 0, 2*cap(c.named)+len(from)), 0
	}
	c.named = append(c.named, from...)
	return c.named[at:len(c.named):len(c.named)]
}
