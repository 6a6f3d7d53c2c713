package format

// The two paths of Size, for tests that compare them.
func (v Version) FastSize(b []byte, open Class) int { return v.fastSize(b, open) }

func (v Version) SlowSize(b []byte, open Class) (int, error) {
	c := skipper{reader{b: b, v: v}}
	c.skipAny(open)
	return c.i, c.error()
}

// Descriptor is what follows the times of a packed trace.
var Descriptor = descriptor
